import type { JsonObject } from '../json/json.ts';
import type { CompanyQuery, IdentifierSearch, Semantics } from '../names/query_matching.ts';
import type { Problem } from './problems.ts';

export type NameSearch = Semantics;
export type { IdentifierSearch };

/**
 * The companies that the service can return. The sandbox and `serve` read them from SQLite files. All
 * methods are synchronous. They return JSON text that can be sent unchanged, so that numbers keep all their digits.
 */
export interface Catalogue {
  /** Returns the number of companies, not counting deleted ones. */
  count(): number;
  /**
   * Returns a query's matches, in an order that is stable while the catalogue does not change. If `reader` is given,
   * later pages can keep this order even when the catalogue changes.
   */
  search(query: CatalogueQuery, reader?: Reader): Matches;
  /** Returns one company's list item as JSON text, or null for an unknown or deleted company. */
  summary(id: string): string | null;
  /** Returns one company's record, or null for an id that never existed. */
  record(id: string): CatalogueRecord | null;
  /** Returns the record as it was known at a time in epoch milliseconds. Undefined if the catalogue has no history. */
  recordAsOf?(id: string, atMs: number): CatalogueRecord | null;
  /** Explains why an id has no record, or returns null if `entity_not_found` is all that is known. */
  missingRecordProblem?(id: string, atMs: number | null): Problem | null;
  /** Returns the statistics without the count of companies. */
  stats(): JsonObject;
}

/** The account that requests a page, and the page's position. */
export interface Reader {
  readonly account: string;
  /** The position of the first requested row, counted from 0. */
  readonly from: number;
}

export type CatalogueQuery = CompanyQuery;

export interface Matches {
  readonly total: number;
  /** Returns the ids of at most `count` matches, starting at position `from` (counted from 0). */
  ids(from: number, count: number): readonly string[];
}

export interface CatalogueRecord {
  /** The JSON text of the record, or of the tombstone if the company is gone. */
  readonly text: string;
  /** Whether the company was deleted. */
  readonly gone: boolean;
  /** A strong entity tag, including its quotes. If it is present, clients can send `If-None-Match`. */
  readonly etag?: string;
  /** Response headers about this record, such as its age. */
  readonly headers?: Readonly<Record<string, string>>;
}
