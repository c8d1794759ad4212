import type { CompanyQuery } from '../names/query_matching.ts';
import type { Listing, Reader } from './listings.ts';
import type { Problem } from './problems.ts';

/**
 * The companies that the service can return. The sandbox and `serve` read them from SQLite files. All methods are
 * synchronous. They return JSON text that can be sent unchanged, so that numbers keep all their digits.
 */
export interface Catalogue {
  /** Returns the companies that match a query now. */
  matches(query: CompanyQuery): Listing;
  /**
   * Returns a query's matches, in an order that is stable while the catalogue does not change. If `reader` is given,
   * later pages can keep this order even when the catalogue changes.
   */
  search(query: CompanyQuery, reader?: Reader): Matches;
  /**
   * Returns the response to a request for one record, or why there is none. `atMs` requests the record as it was known
   * at that time; it is null for the current record, and always null if `hasHistory` is false.
   */
  record(id: string, atMs: number | null): CatalogueRecord | Problem;
  readonly hasHistory: boolean;
  /** Returns the response to a request for the statistics. */
  stats(): string;
}

interface Matches {
  readonly total: number;
  /** Returns the list items of at most `count` matches, starting at position `from` (counted from 0). */
  items(from: number, count: number): readonly string[];
}

export interface CatalogueRecord {
  readonly text: string;
  /** A strong entity tag, including its quotes. If it is present, clients can send `If-None-Match`. */
  readonly etag?: string;
  /** Response headers about this record, such as its age. */
  readonly headers?: Readonly<Record<string, string>>;
}
