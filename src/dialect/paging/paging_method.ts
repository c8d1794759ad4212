import { z } from 'zod';
import type { PageRef } from '../../call.ts';
import { type Json, scalarText } from '../../json/json.ts';
import { type Pointer, valueAt } from '../../json/pointer.ts';
import type { Headers } from '../headers.ts';

/** Settings that every style has. */
export interface PagingSettings {
  readonly style: string;
  readonly size_param: string | null;
  readonly size: number;
  readonly window: number | null;
}

/**
 * One style of paging: its settings, the request of a page, the link to the next page, and the end of a listing.
 * Each style is one file that exports one PagingMethod; `paging.ts` lists the styles.
 */
export interface PagingMethod<Settings extends PagingSettings = PagingSettings> {
  readonly style: Settings['style'];
  /** The schema of `dialect.search.paging` for this style. */
  readonly schema: z.ZodType<Settings>;
  /** Response headers, in lower case, that `nextPage` reads. They are stored with the body. */
  readonly keptHeaders: readonly string[];
  /** The request of one page. */
  requestOf(paging: Settings, page: PageRef): PageRequest;
  /** The cursor or URL of the next page; null: this is the last page, or the style has neither. */
  nextPage(paging: Settings, body: Json, headers: Headers): string | null;
  /** Decides by the last page whether more pages follow. The caller has checked totals, caps and empty pages. */
  statusAfter(page: LastPage): ListingStatus;
  /** The style in one sentence, for `config validate`. */
  describe(paging: Settings): string;
}

/** Query parameters to add to the search, or a URL that replaces the address of the search. */
export type PageRequest =
  | { readonly parameters: Readonly<Record<string, string>> }
  | { readonly url: string };

/** The facts about the last page of a listing that decide whether the listing is at its end. */
export interface LastPage {
  /** It has fewer rows than a full page. */
  readonly isShort: boolean;
  /** The total is not yet reached, or not known (null). */
  readonly total: number | null;
  /** The cursor or URL of the next page. */
  readonly next: string | null;
}

/** `open`: more pages follow; `complete`: all matches are listed; `capped`: the rest cannot be reached. */
export type ListingStatus = 'open' | 'complete' | 'capped';

/** The cursor or URL at a JSON path; null if there is none, which some APIs write as `false` or as empty text. */
export function linkAt(body: Json, pointer: Pointer): string | null {
  const link = scalarText(valueAt(body, pointer));
  return link === null || link === '' || link === 'false' ? null : link;
}

/** The end of a listing whose pages are counted: without a total, a short page is the last. */
export function statusOfCountedPages({ total, isShort }: LastPage): ListingStatus {
  return total === null && isShort ? 'complete' : 'open';
}

/** The end of a listing whose pages link to the next one. */
export function statusOfLinkedPages({ total, isShort, next }: LastPage): ListingStatus {
  if (next !== null) return 'open';
  // A full last page below the total indicates a cap; a short one indicates an inexact total.
  return total === null || isShort ? 'complete' : 'capped';
}

/** The configuration keys that every style has. */
export const sizeKeys = {
  size_param: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe('parameter of the page size; null: there is none'),
  size: z.int().positive().default(20).describe('requested and expected rows of a page'),
  window: z
    .int()
    .positive()
    .nullable()
    .default(null)
    .describe('maximum number of results that one query can return over all pages; null: no known limit'),
};

export function styleKey<const Style extends string>(style: Style) {
  return z.literal(style).describe('paging style');
}

export const paramKey = z.string().min(1).describe('parameter of the page number, offset or cursor');
