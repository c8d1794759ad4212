import { z } from 'zod';
import type { PageRef } from '../../call.ts';
import type { Json } from '../../json/json.ts';
import type { Pointer } from '../../json/pointer.ts';
import { textAt } from '../body_values.ts';
import type { Headers } from '../headers.ts';

/** The settings that all paging styles share. */
export interface PagingSettings {
  readonly style: string;
  readonly size_param: string | null;
  readonly size: number;
  readonly window: number | null;
  readonly uneven: boolean;
}

/**
 * One paging style: its settings, the request for a page, the link to the next page, and the rule for when a listing
 * ends. `paging.ts` has all styles.
 */
export interface PagingMethod<Settings extends PagingSettings = PagingSettings> {
  readonly style: Settings['style'];
  /** The schema of `dialect.search.paging` for this style. */
  readonly schema: z.ZodType<Settings>;
  /** The response headers that `nextPage` reads, in lower case. They are stored with the body. */
  readonly keptHeaders: readonly string[];
  /** Returns the request for one page. */
  requestOf(paging: Settings, page: PageRef): PageRequest;
  /** Returns the next page's cursor or URL, or null on the last page or if the style uses neither. */
  nextPage(paging: Settings, body: Json, headers: Headers): string | null;
  /** Returns the next page's position after this many rows. Absent if the style does not count rows. */
  nextAfter?(rows: number): string;
  /**
   * Decides from the last page received whether more pages follow, after the caller has checked totals, caps and empty
   * pages.
   */
  statusAfter(page: LastPage): ListingStatus;
  /** Describes the style in one sentence, for `config validate`. */
  describe(paging: Settings): string;
}

/** The query parameters to add to the search URL, or a URL that replaces the search URL. */
type PageRequest = { readonly parameters: Readonly<Record<string, string>> } | { readonly url: string };

/** The facts about the last page received that show whether a listing is complete. */
export interface LastPage {
  /** True if the page has fewer rows than a full page. */
  readonly isShort: boolean;
  /** The query's total, which the listing has not reached yet; null if it is unknown. */
  readonly total: number | null;
  /** The next page's cursor or URL; null if there is none. */
  readonly next: string | null;
}

/** `open`: more pages follow. `complete`: all matches are listed. `capped`: the remaining matches cannot be reached. */
export type ListingStatus = 'open' | 'complete' | 'capped';

/**
 * Returns the cursor or URL at a JSON path, or null if there is none. Some APIs write a missing link as `false` or as
 * an empty string.
 */
export function linkAt(body: Json, pointer: Pointer): string | null {
  const link = textAt(body, pointer);
  return link === null || link === '' || link === 'false' ? null : link;
}

/**
 * Returns the status of a listing that requests pages by number or offset. Without a total, a short page is the last
 * page.
 */
export function statusOfCountedPages({ total, isShort }: LastPage): ListingStatus {
  return total === null && isShort ? 'complete' : 'open';
}

/** Returns the status of a listing in which each page links to the next. */
export function statusOfLinkedPages({ total, isShort, next }: LastPage): ListingStatus {
  if (next !== null) return 'open';
  // A full last page below the total means that there is a cap. A short last page means that the total is inexact.
  return total === null || isShort ? 'complete' : 'capped';
}

/** The configuration keys that every style has. */
export const sizeKeys = {
  size_param: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe('parameter for the page size; null if there is none'),
  size: z
    .int()
    .positive()
    .default(20)
    .describe('expected number of rows per page, which size_param also requests'),
  window: z
    .int()
    .positive()
    .nullable()
    .default(null)
    .describe(
      'maximum number of results that one query can return over all pages; null if no limit is known',
    ),
  uneven: z
    .boolean()
    .default(false)
    .describe('whether pages differ in length, so that a short page need not be the last one'),
};

export function styleKey<const Style extends string>(style: Style) {
  return z.literal(style).describe('paging style');
}

export const paramKey = z
  .string()
  .min(1)
  .describe('name of the parameter for the page number, offset or cursor');
