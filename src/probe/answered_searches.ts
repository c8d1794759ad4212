import type { Pointer } from '../dialect/dialect.ts';
import type { JsonObject } from '../json/json.ts';
import { valueAt } from '../json/pointer.ts';
import { type Exchange, paramOf } from './evidence.ts';
import { wholeNumberOf } from './json_leaves.ts';
import { nextPageLinksIn } from './next_page_link.ts';
import { rowsAt, textAt } from './result_list.ts';

/** Where things stand in the rows as they are in the list. */
export interface SearchPaths {
  readonly queryParam: string;
  readonly results: Pointer;
  readonly id: Pointer;
  readonly name: Pointer | null;
  readonly total: Pointer | null;
}

/** An answered search, read. */
export interface AnsweredSearch {
  readonly search: Exchange;
  /** What was searched for; null: everything. */
  readonly text: string | null;
  readonly rows: readonly JsonObject[];
  readonly ids: readonly string[];
  readonly names: readonly (string | null)[];
  readonly total: number | null;
}

export function readSearches(searches: readonly Exchange[], places: SearchPaths): AnsweredSearch[] {
  return searches
    .filter(({ reading }) => reading === 'answered')
    .map((search) => {
      const rows = rowsAt(search, places.results);
      return {
        search,
        text: paramOf(search, places.queryParam),
        rows,
        ids: rows.map((row) => textAt(row, places.id) ?? ''),
        names: rows.map((row) => (places.name === null ? null : textAt(row, places.name))),
        total: places.total === null ? null : wholeNumberOf(valueAt(search.json, places.total)),
      };
    });
}

/** The params of a search whose name is among these. */
export function tagsIn(
  { search }: AnsweredSearch,
  names: ReadonlySet<string>,
): { readonly name: string; readonly value: number }[] {
  return search.request.params
    .filter(([name, value]) => names.has(name) && /^\d+$/.test(value))
    .map(([name, value]) => ({ name, value: Number(value) }));
}

/** The searches for a text that turned no page: they begin at the first row. */
export function firstPages(
  answered: readonly AnsweredSearch[],
  paging: ReadonlySet<string>,
): AnsweredSearch[] {
  return answered.filter(({ search }) => search.request.params.every(([name]) => !paging.has(name)));
}

/** Did everything that the query matches come? Said only where nothing speaks against it. */
export type IsWhole = (one: AnsweredSearch) => boolean;

/**
 * Were there more matches than rows? A total or a way to the next page says so; without them, as many rows as
 * several different answers had, or a round number of them, may be a full page.
 */
export function isTruncated(one: AnsweredSearch, all: readonly AnsweredSearch[]): 'yes' | 'maybe' | 'no' {
  const { rows, total } = one;
  if (total !== null && total > rows.length) return 'yes';
  if (hasNext(one)) return 'yes';
  if (total !== null || rows.length < 3 || all.some(hasNext) || all.some((other) => isEmptyPage(other, one)))
    return 'no';
  const alike = all.filter((other) => other.rows.length === rows.length && other.ids[0] !== one.ids[0]);
  return alike.length > 0 || rows.length % 5 === 0 ? 'maybe' : 'no';
}

/** The same text had no rows on a page that was turned to. */
function isEmptyPage(other: AnsweredSearch, one: AnsweredSearch): boolean {
  return other !== one && other.text === one.text && other.rows.length === 0;
}

function hasNext({ search }: AnsweredSearch): boolean {
  return nextPageLinksIn(search).length > 0;
}
