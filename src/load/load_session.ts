import { isDeepStrictEqual } from 'node:util';
import type { Database } from 'better-sqlite3';
import { Dialect, type SearchDialect } from '../dialect/dialect.ts';
import type { Mapping } from '../dialect/mapping.ts';
import { segmentsOf } from '../json/pointer.ts';
import { type Answers, answerTable } from '../warehouse/answer.ts';
import { estimateTable } from '../warehouse/change_estimate.ts';
import { refreshCompanyViews } from '../warehouse/company_views.ts';
import type { FeedVersions } from '../warehouse/feed/versions.ts';
import { forgottenIds } from '../warehouse/forget.ts';
import {
  type DecidedName,
  InferredSchema,
  type SchemaLimits,
  schemaWriter,
} from '../warehouse/inferred_schema.ts';
import { KnownCompanies } from '../warehouse/known.ts';
import { metaTable } from '../warehouse/meta.ts';
import { NameIndex } from '../warehouse/name_index.ts';
import { payloadTables } from '../warehouse/payload.ts';
import { addQuarantined, type QuarantineEntry } from '../warehouse/quarantine.ts';
import { Queries } from '../warehouse/query.ts';
import type { RowOf } from '../warehouse/table.ts';
import { CHANGE } from '../warehouse/tables.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import { type Volatile, volatilePaths } from './content.ts';
import { OpenListings } from './query_listing.ts';

interface LoadSessionOptions {
  readonly warehouse: Warehouse;
  readonly dialect: Dialect;
  readonly runId: number;
  /** The file with the responses, if it is not the file with the derived tables. Only a rebuild uses two files. */
  readonly stored?: Database;
  readonly mapping: Mapping;
  readonly limits?: Partial<SchemaLimits> | undefined;
  readonly decided?: readonly DecidedName[];
}

/** A call that returned a known company's record. `sentAfter` is the last call that had arrived when it was sent. */
export interface Success {
  readonly entityId: string;
  readonly sentAfter: number;
}

/** The state that processing reads and writes: the open tables, the inferred schema and the run's evidence. */
export class LoadSession {
  /** The file with the derived tables. */
  readonly db: Database;
  readonly dialect: Dialect;
  readonly ignored: Volatile;
  /** Reads and writes the stored responses. */
  readonly responses: Answers;
  /**
   * True if the responses are new rather than read from the warehouse. Only then can a repeated response be replaced by
   * a reference.
   */
  readonly storesResponses: boolean;
  /** The ids of forgotten entities, which must not be loaded again. */
  readonly forgotten: ReadonlySet<string>;
  readonly meta: ReturnType<typeof metaTable>;
  /** The indexes of names to update. A rebuild updates none, because the names are indexed when its result is merged. */
  readonly names: NameIndex | null;
  readonly known: KnownCompanies;
  readonly estimates: ReturnType<typeof estimateTable>;
  readonly queries: Queries;
  readonly listings: OpenListings;
  readonly payload: ReturnType<typeof payloadTables>;
  readonly feed: FeedVersions;
  readonly schema: InferredSchema;
  readonly tables: InferredSchema['roots'];
  readonly #addChange;
  readonly #saveSchema;

  /** The run that made the calls being processed. */
  runId: number;
  /** This run's last successful calls for two different known companies. */
  lastSuccesses: readonly Success[] = [];
  /** This run's record calls for known companies, and those that show false or new claims (see `isDoubtful`). */
  recordCalls = 0;
  falseOrNewClaims = 0;
  /** True if a known company may have returned a 404 in this run without proof of its deletion so far. */
  mayHaveMissing = true;
  /** The largest number of rows on a search page so far. */
  largestPage: number;
  /** How many pages of this session had that many rows. */
  largestPageTimes = 0;
  /** Whether a total has ever been larger than its page, so that totals do not count only the page. */
  hasLargerTotal: boolean;

  constructor(options: LoadSessionOptions) {
    const { warehouse, dialect, runId, mapping, limits, decided = [] } = options;
    const { db } = warehouse;
    const { stored = db } = options;
    this.db = db;
    this.dialect = dialect;
    this.runId = runId;
    this.ignored = volatilePaths(dialect.volatile);
    this.responses = answerTable(stored);
    this.storesResponses = stored === db;
    this.forgotten = forgottenIds(stored);
    this.meta = metaTable(db);
    this.names = this.storesResponses ? new NameIndex(db) : null;
    this.known = new KnownCompanies(db, this.names);
    this.estimates = estimateTable(db);
    this.queries = new Queries(db);
    this.listings = new OpenListings(this.queries, dialect.search.paging.uneven);
    this.payload = payloadTables(db);
    this.feed = this.known.feed;
    this.schema = new InferredSchema({ mapping, limits, decided, altered: db });
    this.schema.restore(db);
    this.tables = this.schema.roots;
    this.largestPage = this.queries.largestPage();
    this.hasLargerTotal = this.queries.hasLargerTotal();
    this.#addChange = CHANGE.insert(db);
    this.#saveSchema = schemaWriter(db);
  }

  /** The form of the 404 for an id that never existed; null if it is unknown. */
  get absentShape(): string | null {
    return this.meta.get('absent_shape');
  }

  set absentShape(shape: string | null) {
    this.meta.set('absent_shape', shape);
  }

  /** Whether companies can have several rows, so that totals and pages do not count companies. */
  get hasSeveralRows(): boolean {
    return this.meta.get('several_rows') !== null;
  }

  noteSeveralRows(): void {
    this.meta.set('several_rows', 1);
  }

  /** Adds a row to `entity_change`. Its id is its stored version in the change feed. */
  addChange(change: Omit<RowOf<typeof CHANGE>, 'changeId'>): void {
    this.#addChange({ ...change, changeId: this.feed.next() });
  }

  quarantine(entry: QuarantineEntry): void {
    addQuarantined(this.db, entry);
  }

  /**
   * Writes everything pending in memory: the names, types and counts of the inferred schema, the counts of companies
   * and words, the last version in the change feed, and the change rate estimates.
   */
  save(): void {
    if (this.#saveSchema(this.schema) && this.storesResponses) refreshCompanyViews(this.db);
    this.known.save();
    this.estimates.save();
  }

  /** Stores the dialect, and the record's JSON path in a response, which the view `entity_history` needs. */
  noteDialect(): void {
    this.meta.set('record_path', jsonPathOf(this.dialect.entity.root));
    this.meta.set('dialect', this.dialect);
  }

  /**
   * Forgets the listings that an earlier dialect read in another way, so that they are read again. If the paging has
   * changed, these are the truncated and refused ones. If the parameters have changed, they are the results of all queries.
   */
  forgetOutdatedListings(): void {
    const before = Dialect.safeParse(this.meta.get('dialect')).data?.search;
    if (before === undefined) return;
    const { search } = this.dialect;
    const hasOtherParameters = !isDeepStrictEqual(parametersOf(before), parametersOf(search));
    if (hasOtherParameters || !isDeepStrictEqual(before.paging, search.paging))
      this.queries.forgetUnfinished({ withQueries: hasOtherParameters });
  }

  /**
   * Switches the session to another run's calls. Discards the evidence, because it proves nothing about the upstream in
   * another run.
   */
  enterRun(runId: number): void {
    if (this.runId === runId) return;
    this.runId = runId;
    this.lastSuccesses = [];
    this.recordCalls = 0;
    this.falseOrNewClaims = 0;
    this.mayHaveMissing = true;
  }
}

function parametersOf({
  query_param,
  identifier_param,
  query_template,
  identifier_template,
  extra,
}: SearchDialect): unknown[] {
  return [query_param, identifier_param, query_template, identifier_template, extra];
}

/** Converts a JSON Pointer to the path syntax that SQLite's JSON functions use. */
function jsonPathOf(pointer: string): string {
  return segmentsOf(pointer).reduce(
    (path, key) => (/^\d+$/.test(key) ? `${path}[${key}]` : `${path}."${key.replaceAll('"', '\\"')}"`),
    '$',
  );
}
