import type { JsonObject } from '../json/json.ts';
import type { CompanyQuery } from '../names/name_search.ts';
import type { Problem } from './problems.ts';

export type { IdentifierSearch, NameSearch } from '../names/name_search.ts';

/**
 * The companies that the service can return: in memory (the sandbox) or in SQLite (`serve`). All methods are
 * synchronous. They return JSON text that is ready to send, so that numbers keep every digit.
 */
export interface Catalogue {
  /** The number of companies that exist, without deleted companies. */
  count(): number;
  /**
   * The matches of a query. Their order is stable while the catalogue does not change. With `reader`, a catalogue
   * can keep the order stable for later pages even if it changes.
   */
  search(query: CatalogueQuery, reader?: Reader): Matches;
  /** The list item of one company, as JSON text; null for an unknown or deleted company. */
  summary(id: string): string | null;
  /** The record of one company; null for an id that never existed. */
  record(id: string): CatalogueRecord | null;
  /** The record as it was known at a time (epoch milliseconds). Absent if the catalogue has no history. */
  recordAsOf?(id: string, atMs: number): CatalogueRecord | null;
  /** A more exact problem than `entity_not_found` for an id without a record; null: there is none. */
  missingRecordProblem?(id: string, atMs: number | null): Problem | null;
  /** The statistics besides the count: figures, dates, coverage. */
  stats(): JsonObject;
}

/** The reader of a search result. */
export interface Reader {
  readonly account: string;
  /** Position of the first row, from 0. */
  readonly from: number;
}

export type CatalogueQuery = CompanyQuery;

export interface Matches {
  readonly total: number;
  /** At most `count` ids of the matches, from position `from` (counted from 0). */
  ids(from: number, count: number): readonly string[];
}

export interface CatalogueRecord {
  /** JSON text of the record, or of the tombstone if the company is gone. */
  readonly text: string;
  /** Was the company deleted? */
  readonly gone: boolean;
  /** A strong entity tag with its quotes. It enables `If-None-Match`. */
  readonly etag?: string;
  /** Headers of this record, such as its age. */
  readonly headers?: Readonly<Record<string, string>>;
}
