import type { JsonObject } from '../json/json.ts';
import type { CompanyQuery } from '../names/name_search.ts';
import type { Problem } from './problems.ts';

export type { IdentifierSearch, NameSearch } from '../names/name_search.ts';

/**
 * What the HTTP layer stands on: a registry that can be counted, searched and read. It never learns whether
 * companies lie in memory or in SQLite. All methods are synchronous, and every answer is JSON text that is
 * ready to be sent, so that numbers stay exactly as the catalogue holds them.
 */
export interface Catalogue {
  /** Companies that exist now, without the deleted ones. */
  count(): number;
  /**
   * The ids that a query finds, in an order that stays the same while the catalogue does not change. A
   * catalogue that changes under its readers can hold what a reader began to page through.
   */
  search(query: CatalogueQuery, reader?: Reader): Matches;
  /** The list item of one company, as JSON text; null for an id that is not there. */
  summary(id: string): string | null;
  /** The canonical record; null for an id that never existed. */
  record(id: string): CatalogueRecord | null;
  /** The record as it was known at a moment (epoch milliseconds), where the catalogue remembers. */
  recordAsOf?(id: string, atMs: number): CatalogueRecord | null;
  /** Why there is no record to tell, where there is more to say than that no company has this id. */
  refusal?(id: string, atMs: number | null): Problem | null;
  /** Whatever the statistics say beside the count: figures, dates, coverage. */
  stats(): JsonObject;
}

/** Who reads a result, and from which row on. */
export interface Reader {
  readonly account: string;
  /** Position of the first row, from 0. */
  readonly from: number;
}

export type CatalogueQuery = CompanyQuery;

export interface Matches {
  readonly total: number;
  /** Ids of the matches from position `from` (counted from 0), at most `count`. */
  ids(from: number, count: number): readonly string[];
}

export interface CatalogueRecord {
  /** JSON text of the record; of the tombstone where the company is gone. */
  readonly text: string;
  /** The company was deleted. */
  readonly gone: boolean;
  /** A strong entity tag, quotes included, where the catalogue keeps one: enables `If-None-Match`. */
  readonly etag?: string;
  /** Headers that belong to this record, such as its age. */
  readonly headers?: Readonly<Record<string, string>>;
}
