import type { CompanyQuery } from '../names/query_matching.ts';
import type { Listing, Reader } from './listings.ts';

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
   * Returns the response to a request for one record. `atMs` requests the record as it was known at that time, and null
   * the current record.
   *
   * @throws RejectedRequest if there is none.
   */
  record(id: string, atMs: number | null): CatalogueRecord;
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
  /**
   * Response headers about this record, such as its age. If there is an `etag`, clients can send `If-None-Match`.
   */
  readonly headers?: Readonly<Record<string, string>>;
}
