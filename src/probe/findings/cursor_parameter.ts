import type { Pointer } from '../../dialect/dialect.ts';
import type {
  Conclusions,
  NextPageLink,
  PagingStyle,
  SearchConclusions,
  SearchPage,
} from '../conclusions.ts';
import { type Finding, open, type Param, type SearchDraft, sure } from '../evidence.ts';
import { candidatesFor, roleOfParam } from '../param_roles.ts';
import { isFirstPage, longestOrder } from '../search_pages.ts';
import { CURSOR_PARAMS } from '../word_lists.ts';
import { findNextPageLink } from './next_page_link.ts';
import { shiftOf } from './page_and_offset.ts';

/**
 * Finds the parameter that takes the cursor. The evidence is a page that starts at the row that the parameter's cursor
 * points to.
 */
export function findCursorParam(
  { at }: NextPageLink,
  pages: readonly SearchPage[],
): Finding<PagingStyle | null> {
  const trials = trialsIn(pages);
  const sent = pages.flatMap(({ exchange }) => exchange.request.params.map(([name]) => name));
  const names = new Set([
    ...namesAt(at),
    ...sent.filter((name) => roleOfParam(name) === 'cursor'),
    ...CURSOR_PARAMS,
  ]);
  const [only, ...others] = possibleParams(trials, [...names]);
  const isShown = trials.some(({ effective }) => effective.length > 0);
  if (only === undefined || others.length > 0 || !isShown)
    return open(null, `${at} contains a cursor, but no parameter took it yet`);
  const paging = { style: 'cursor', param: only, next: at } as const;
  return sure(paging, `${only} with the cursor at ${at} returned the next rows`);
}

/** Returns the parameters that a cursor's key suggests, such as `nextToken` for `/nextToken`. */
function namesAt(at: Pointer): string[] {
  const key = at.split('/').at(-1) ?? '';
  return [key].filter((name) => roleOfParam(name) === 'cursor');
}

/** A page that was requested with cursors. */
interface Trial {
  readonly sent: readonly string[];
  /** The parameters with a cursor that explains the page's first row, or [] if the upstream ignored all of them. */
  readonly effective: readonly string[];
}

function trialsIn(pages: readonly SearchPage[]): Trial[] {
  return pages.flatMap((page): Trial[] => {
    const rowsBefore = new Map(cursorsOf(page.query, pages).map(({ value, rows }) => [value, rows]));
    const sent = page.exchange.request.params.filter(
      ([name, value]) => roleOfParam(name) === 'cursor' && rowsBefore.has(value),
    );
    if (sent.length === 0 || page.ids.length === 0) return [];
    const order = longestOrder(firstPagesOf(page.query, pages));
    const shift = shiftOf(page, order);
    const isAt = (rows: number) => (shift === 'beyond' ? rows >= order.length : rows === shift);
    const effective = shift === 0 ? [] : sent.filter(([, value]) => isAt(rowsBefore.get(value) ?? 0));
    return [{ sent: sent.map(([name]) => name), effective: effective.map(([name]) => name) }];
  });
}

/** Returns the parameters that no trial contradicts, most likely first. */
function possibleParams(trials: readonly Trial[], names: readonly string[]): string[] {
  return names.filter((name) =>
    trials.every(({ sent, effective }) =>
      effective.length > 0 ? effective.includes(name) : !sent.includes(name),
    ),
  );
}

interface Cursor {
  readonly value: string;
  /** The number of rows before the row that the cursor points to. */
  readonly rows: number;
}

function cursorsOf(query: string | null, pages: readonly SearchPage[]): Cursor[] {
  const cursors = firstPagesOf(query, pages).flatMap((page): Cursor[] => {
    const link = findNextPageLink([page.exchange]);
    return link?.is === 'cursor' ? [{ value: link.value, rows: page.ids.length }] : [];
  });
  return [...new Map(cursors.map((cursor) => [cursor.rows, cursor])).values()];
}

/** Returns a query's first pages, including those for which the upstream ignored the paging parameters. */
function firstPagesOf(query: string | null, pages: readonly SearchPage[]): SearchPage[] {
  const same = pages.filter((page) => page.query === query);
  const order = longestOrder(same.filter(({ exchange }) => isFirstPage(exchange)));
  return same.filter((page) => isFirstPage(page.exchange) || shiftOf(page, order) === 0);
}

/**
 * Sends several known cursors in one request, each in a different parameter. The first row in the response shows which
 * parameter had an effect. If the upstream refuses unknown parameters, only one parameter is sent. If no cursor is
 * known for the preferred query, another query's cursors are sent.
 */
export function cursorDrafts(
  preferred: string | null,
  { query: evidence, queryParam }: Conclusions,
  { pages }: SearchConclusions,
  isLenient: boolean,
): SearchDraft[] {
  const queries = [preferred, ...pages.map(({ query }) => query)];
  const [query = preferred] = queries.filter((one) => cursorsOf(one, pages).length > 0);
  const known = [...cursorsOf(query, pages)].sort((a, b) => b.rows - a.rows);
  const link = findNextPageLink(pages.map(({ exchange }) => exchange));
  const usual = [...new Set([...CURSOR_PARAMS.slice(0, 1), ...namesAt(link?.at ?? ''), ...CURSOR_PARAMS])];
  const isRefused = (name: string) =>
    evidence.searches.some(
      ({ reading, request }) => reading === 'refused' && request.params[1]?.[0] === name,
    );
  const possible = possibleParams(trialsIn(pages), candidatesFor('cursor', usual, evidence)).filter(
    (name) => isLenient || !isRefused(name),
  );
  const params = possible
    .slice(0, known.length)
    .map((name, index): Param => [name, known[index]?.value ?? '']);
  const tries = pages.filter(({ exchange }) => exchange.request.why.endsWith(WHY_END)).length;
  if (params.length === 0 || tries >= MAX_TRIES) return [];
  const why = `does ${params.map(([name]) => name).join(', or ')} ${WHY_END}`;
  const queried: Param[] = query === null ? [] : [[queryParam.value ?? '', query]];
  return [{ params: [...queried, ...(isLenient ? params : params.slice(0, 1))], why }];
}

const WHY_END = 'take the cursor?';
const MAX_TRIES = 6;
