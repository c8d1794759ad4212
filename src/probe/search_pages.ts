import type { Pointer } from '../dialect/dialect.ts';
import { type JsonObject, stringifyJson } from '../json/json.ts';
import { valueAt } from '../json/pointer.ts';
import type { SearchPage } from './conclusions.ts';
import { type Exchange, paramOf } from './evidence.ts';
import { allRowsAt } from './findings/main_result.ts';
import { nextPageLinksIn } from './findings/next_page_link.ts';
import { textAt } from './findings/result_list.ts';
import { wholeNumberOf } from './json_leaves.ts';
import { isPagingParam, roleOfParam } from './param_roles.ts';

/** The JSON paths that are needed to read a page. The paths to the id and the name are relative to a row. */
export interface PagePaths {
  readonly queryParam: string;
  readonly results: Pointer;
  readonly id: Pointer;
  readonly idFallback: Pointer | null;
  readonly name: Pointer | null;
  readonly main: Pointer | null;
  readonly total: Pointer | null;
}

/** Parses the successful searches. */
export function readSearchPages(searches: readonly Exchange[], paths: PagePaths): SearchPage[] {
  const idOf = (row: JsonObject) =>
    textAt(row, paths.id) ?? (paths.idFallback === null ? null : textAt(row, paths.idFallback)) ?? '';
  const all = searches
    .filter(({ reading }) => reading === 'ok')
    .map((exchange) => {
      const rows = allRowsAt(exchange, paths.results, paths.main, paths.id);
      return {
        exchange,
        query: paramOf(exchange, paths.queryParam),
        rows,
        ids: rows.map(idOf),
        names: rows.map((row) => (paths.name === null ? null : textAt(row, paths.name))),
        total: paths.total === null ? null : wholeNumberOf(valueAt(exchange.json, paths.total)),
      };
    });
  const isById = !hasSeveralRows(all);
  return all.map((page) => ({
    ...page,
    keys: isById ? page.ids : page.rows.map((row) => stringifyJson(row)),
  }));
}

/** Returns whether a page has several rows with the same id. */
export function hasSeveralRows(pages: readonly Pick<SearchPage, 'ids'>[]): boolean {
  return pages.some(({ ids }) => new Set(ids).size < ids.length);
}

/** Returns whether a search has no paging parameter and therefore gets the first page. */
export function isFirstPage({ request }: Exchange): boolean {
  return !request.params.some(([name]) => isPagingParam(name));
}

/** Returns a search's page size parameters and their values. */
export function sizesSent({ exchange }: SearchPage): { readonly name: string; readonly value: number }[] {
  return exchange.request.params
    .filter(([name, value]) => roleOfParam(name) === 'size' && /^\d+$/.test(value))
    .map(([name, value]) => ({ name, value: Number(value) }));
}

/** Returns the row keys on the page with the most rows, or [] if there is no page. */
export function longestOrder(pages: readonly SearchPage[]): readonly string[] {
  return pages.reduce<readonly string[]>(
    (longest, { keys }) => (keys.length > longest.length ? keys : longest),
    [],
  );
}

/**
 * Returns whether a query has more matches than the page has rows. A total or a next-page link proves it. Without
 * either, the result is `maybe` if other pages have the same number of rows, or if that number is a multiple of 5.
 */
export function isTruncated(page: SearchPage, all: readonly SearchPage[]): 'yes' | 'maybe' | 'no' {
  const { rows, total } = page;
  if (total !== null && total > rows.length) return 'yes';
  if (hasNext(page)) return 'yes';
  if (total !== null || rows.length < 3 || all.some(hasNext) || all.some((other) => isEmptyPage(other, page)))
    return 'no';
  const alike = all.filter((other) => other.rows.length === rows.length && other.ids[0] !== page.ids[0]);
  return alike.length > 0 || rows.length % 5 === 0 ? 'maybe' : 'no';
}

/** Returns whether `other` is a page for the same query and has no rows. */
function isEmptyPage(other: SearchPage, page: SearchPage): boolean {
  return other !== page && other.query === page.query && other.rows.length === 0;
}

function hasNext({ exchange }: SearchPage): boolean {
  return nextPageLinksIn(exchange).length > 0;
}
