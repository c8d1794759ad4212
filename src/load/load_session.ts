import type { Database } from 'better-sqlite3';
import type { Dialect } from '../dialect/dialect.ts';
import type { Mapping } from '../dialect/mapping.ts';
import { segmentsOf } from '../json/pointer.ts';
import { answerTable } from '../warehouse/answer.ts';
import { refreshCompanyViews } from '../warehouse/company_views.ts';
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
import { NO_NAME_INDEX, nameIndex } from '../warehouse/name_index.ts';
import {
  alterTables,
  type ResourceTable,
  readSchema,
  resourceTable,
  schemaVersion,
  schemaWriter,
} from '../warehouse/schema_store.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import { type Volatile, volatilePaths } from './content.ts';
import { type OpenListings, openQueryListings } from './query_listing.ts';

/** The state that processing reads and writes: the open tables, the inferred schema and the run's evidence. */
export interface LoadSession extends DerivedTables {
  readonly dialect: Dialect;
  /** The run that made the calls being processed. */
  runId: number;
  readonly ignored: Volatile;
  readonly responses: ReturnType<typeof answerTable>;
  readonly meta: ReturnType<typeof metaTable>;
  readonly listings: OpenListings;
  readonly schema: InferredSchema;
  readonly tables: Readonly<Record<ResourceTable, InferredTable>>;
  /** Adds missing tables and columns to the file. Call this function before writing rows. */
  alter(): void;
  /**
   * Writes everything pending in memory: the names, types and counts of the inferred schema, the counts of companies
   * and words, the change rate estimates, and the last version in the change feed.
   */
  save(): void;
  /** Returns whether another connection has changed the schema. */
  isOutdated(): boolean;
  /** Stores the record's JSON path in a response, which the view `entity_history` needs. */
  describeRecords(): void;
  /** The form of the 404 for an id that never existed; null if it is unknown. */
  absentShape: string | null;
  /**
   * True if the responses are new rather than read from the warehouse. Only then can a repeated response be replaced by
   * a reference.
   */
  readonly storesResponses: boolean;
  /**
   * The last call that had arrived when this run's last successful call for a known company was sent; 0 if there was no
   * such call.
   */
  respondedAfter: number;
  /** True if a known company may have returned a 404 in this run without proof of its deletion so far. */
  mayHaveMissing: boolean;
  /** The ids of forgotten entities, which must not be loaded again. */
  readonly forgotten: ReadonlySet<string>;
  /** The largest number of rows on a search page so far. */
  largestPage: number;
  /** How many pages of this session had that many rows. */
  largestPageTimes: number;
  /** Whether a total has ever been larger than its page, so that totals do not count only the page. */
  hasLargerTotal: boolean;
  /** Whether a search page has ever had different rows of one company. */
  hasSeveralRows: boolean;
}

export function openLoadSession(options: {
  warehouse: Warehouse;
  dialect: Dialect;
  runId: number;
  /** The file with the responses, if it is not the file with the derived tables. Only a rebuild uses two files. */
  stored?: Database;
  mapping: Mapping;
  limits: SchemaLimits;
  reserved?: ReservedNames;
}): LoadSession {
  const { warehouse, dialect, runId, mapping, limits, reserved = NO_NAMES } = options;
  const { db } = warehouse;
  const { stored = db } = options;
  const storesResponses = stored === db;
  const tables = derivedTables(db, storesResponses ? nameIndex(db) : NO_NAME_INDEX);
  const schema = readSchema(db, { mapping, limits, reserved });
  const meta = metaTable(db);
  const saveSchema = schemaWriter(db);
  const versionNow = schemaVersion(db);
  let version = versionNow();
  return {
    ...tables,
    dialect,
    runId,
    ignored: volatilePaths(dialect.volatile),
    responses: answerTable(stored),
    meta,
    listings: openQueryListings(tables.queries),
    get absentShape() {
      return meta.get('absent_shape');
    },
    set absentShape(shape) {
      meta.set('absent_shape', shape);
    },
    get hasSeveralRows() {
      return dialect.search.group_as !== null || meta.get('several_rows') !== null;
    },
    set hasSeveralRows(hasSeveral) {
      meta.set('several_rows', hasSeveral ? '1' : null);
    },
    storesResponses,
    schema,
    tables: {
      entity: resourceTable(schema, 'entity'),
      search_result: resourceTable(schema, 'search_result'),
      registry_stats: resourceTable(schema, 'registry_stats'),
    },
    alter: () => {
      if (!schema.isAhead) return;
      alterTables(db, schema);
      version = versionNow();
    },
    save: () => {
      if (saveSchema(schema) && storesResponses) {
        refreshCompanyViews(db);
        version = versionNow();
      }
      tables.known.saveCounts();
      tables.estimates.save();
      tables.feed.save();
    },
    isOutdated: () => versionNow() !== version,
    describeRecords: () => {
      meta.set('record_path', jsonPathOf(dialect.entity.root));
      meta.set('dialect', JSON.stringify(dialect));
    },
    respondedAfter: 0,
    mayHaveMissing: true,
    forgotten: forgottenIds(stored),
    largestPage: tables.queries.largestPage(),
    largestPageTimes: 0,
    hasLargerTotal: tables.queries.hasLargerTotal(),
  };
}

/** Converts a JSON Pointer to the path syntax that SQLite's JSON functions use. */
function jsonPathOf(pointer: string): string {
  return segmentsOf(pointer).reduce(
    (path, key) => (/^\d+$/.test(key) ? `${path}[${key}]` : `${path}."${key.replaceAll('"', '\\"')}"`),
    '$',
  );
}
