import type { Dialect } from '../dialect/dialect.ts';
import type { Mapping } from '../dialect/mapping.ts';
import { segmentsOf } from '../json/pointer.ts';
import { answerTable } from '../warehouse/answer.ts';
import { type DerivedTables, derivedTables } from '../warehouse/derived.ts';
import { forgottenIds } from '../warehouse/forget.ts';
import {
  type InferredSchema,
  type InferredTable,
  NO_NAMES,
  type ReservedNames,
  type SchemaLimits,
} from '../warehouse/inferred_schema.ts';
import { metaTable } from '../warehouse/meta.ts';
import {
  alterTables,
  type ResourceTable,
  readSchema,
  resourceTable,
  schemaVersion,
} from '../warehouse/schema_store.ts';
import { schemaWriter } from '../warehouse/schema_writer.ts';
import { live, type Naming } from '../warehouse/table_naming.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import { type Volatile, volatilePlaces } from './content.ts';
import { type OpenListings, openQueryListings } from './query_listing.ts';

/** Everything that deriving reads and writes, open: the tables, the inferred schema, the run's evidence. */
export interface LoadSession extends DerivedTables {
  readonly dialect: Dialect;
  /** The run whose calls are being derived. */
  runId: number;
  readonly ignored: Volatile;
  readonly answers: ReturnType<typeof answerTable>;
  readonly meta: ReturnType<typeof metaTable>;
  readonly listings: OpenListings;
  readonly schema: InferredSchema;
  readonly tables: Readonly<Record<ResourceTable, InferredTable>>;
  /** Brings the file to the shape before rows are written. */
  alter(): void;
  /** Writes what was counted in memory: the inferred schema's names, types and shares, and the counts. */
  save(): void;
  /** Another connection changed the schema. */
  isOutdated(): boolean;
  /** Notes where the record stands in an answer, for `entity_history`. */
  describeRecords(): void;
  /** The shape of the 404 that an id gets which never existed; null: not learned yet. */
  absentForm: string | null;
  /** Answers are stored as they come in, so it matters whether one is like an earlier one. */
  readonly storesAnswers: boolean;
  /** When the latest call was sent in this run that a known company answered; null: none did. */
  answeredAt: string | null;
  /** Companies may have answered 404 in this run without a proof yet. */
  mayHaveMissing: boolean;
  /** Entities that must not be taken in again. */
  readonly forgotten: ReadonlySet<string>;
  /** The most rows that a page of a search had so far. */
  largestPage: number;
}

export function openLoadSession(options: {
  warehouse: Warehouse;
  dialect: Dialect;
  runId: number;
  naming: Naming;
  mapping: Mapping;
  limits: SchemaLimits;
  reserved?: ReservedNames;
}): LoadSession {
  const { warehouse, dialect, runId, naming, mapping, limits, reserved = NO_NAMES } = options;
  const { db } = warehouse;
  const tables = derivedTables(db, naming);
  const schema = readSchema(db, naming, { mapping, limits, reserved });
  const meta = metaTable(db);
  const saveShape = schemaWriter(db, naming);
  const absentShape = naming === live ? 'absent_shape' : 'next_absent_shape';
  const versionNow = schemaVersion(db);
  let version = versionNow();
  return {
    ...tables,
    dialect,
    runId,
    ignored: volatilePlaces(dialect.volatile),
    answers: answerTable(db),
    meta,
    listings: openQueryListings(tables.queries),
    get absentForm() {
      return meta.get(absentShape);
    },
    set absentForm(schema) {
      meta.set(absentShape, schema);
    },
    storesAnswers: naming === live,
    schema,
    tables: {
      entity: resourceTable(schema, 'entity'),
      search_result: resourceTable(schema, 'search_result'),
      registry_stats: resourceTable(schema, 'registry_stats'),
    },
    alter: () => {
      if (!schema.isAhead) return;
      alterTables(db, naming, schema);
      version = versionNow();
    },
    save: () => {
      saveShape(schema);
      tables.known.saveCounts();
      tables.estimates.save();
    },
    isOutdated: () => versionNow() !== version,
    describeRecords: () => {
      meta.set('record_path', jsonPathOf(dialect.entity.root));
      meta.set('dialect', JSON.stringify(dialect));
    },
    answeredAt: null,
    mayHaveMissing: true,
    forgotten: forgottenIds(db),
    largestPage: tables.queries.largestPage(),
  };
}

/** The JSON path, as SQLite's JSON functions read it, of a JSON Pointer. */
function jsonPathOf(pointer: string): string {
  return segmentsOf(pointer).reduce(
    (path, key) => (/^\d+$/.test(key) ? `${path}[${key}]` : `${path}."${key.replaceAll('"', '\\"')}"`),
    '$',
  );
}
