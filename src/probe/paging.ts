import type { Pointer } from '../dialect/dialect.ts';
import type { AnsweredSearch } from './answered_searches.ts';
import { type Finding, likely, open, sure } from './evidence.ts';
import type { NextPageLink } from './next_page_link.ts';
import { CURSOR_PARAMS, OFFSET_PARAMS, PAGE_PARAMS } from './word_lists.ts';

/** How the next page is asked for, before its size is known. */
export type PagingStyle =
  | { readonly style: 'none' | 'link_header' }
  | { readonly style: 'next_url'; readonly next: Pointer }
  | { readonly style: 'page' | 'offset'; readonly param: string; readonly first: number }
  | { readonly style: 'cursor'; readonly param: string; readonly next: Pointer };

export const PAGING_PARAMS: ReadonlySet<string> = new Set([
  ...PAGE_PARAMS,
  ...OFFSET_PARAMS,
  ...CURSOR_PARAMS,
]);

/** One way in which the parameters of a search may have moved its first row. */
export interface Move {
  readonly style: 'page' | 'offset';
  readonly param: string;
  readonly first: number;
  /** How many rows it skips. */
  readonly shift: number;
}

/** All ways in which a search's parameters may have moved it, given the rows on its pages. */
export function movesOf(one: AnsweredSearch, pageSizes: readonly number[]): Move[] {
  return one.search.request.params.flatMap(([param, text]) => {
    const value = Number(text);
    if (!/^\d+$/.test(text)) return [];
    const isPage = PAGE_PARAMS.includes(param);
    const isOffset = OFFSET_PARAMS.includes(param);
    if (!isPage && !isOffset) return [];
    const style = isPage ? ('page' as const) : ('offset' as const);
    const steps = isPage ? pageSizes : [1];
    return [0, 1]
      .flatMap((first) => steps.map((step) => ({ style, param, first, shift: (value - first) * step })))
      .filter(({ shift }) => shift >= 0);
  });
}

/** Where a search began in the order that another one shows: a row number, or beyond it; null: in another order. */
export function shiftOf(one: AnsweredSearch, order: readonly string[]): number | 'beyond' | null {
  const [first] = one.ids;
  if (order.length === 0) return null;
  if (first === undefined) return 'beyond';
  const at = order.indexOf(first);
  if (at === -1) return 'beyond';
  const overlap = one.ids.slice(0, order.length - at);
  return overlap.every((id, index) => id === order[at + index]) ? at : null;
}

/** A search whose parameters may turn pages, and where its rows stand among those of the first page. */
export interface PagePosition {
  readonly one: AnsweredSearch;
  readonly shift: number | 'beyond';
  /** How many rows a page of this search may hold. */
  readonly pageSizes: readonly number[];
  /** The rows of the first page. */
  readonly order: readonly string[];
}

/** The parameters that explain where every one of these searches began. */
export function explainingMoves(turned: readonly PagePosition[]): Move[] {
  const moved = turned.filter(({ shift }) => shift !== 0);
  const [first] = moved;
  if (first === undefined) return [];
  const moves = movesOf(first.one, first.pageSizes).filter(
    (move) => turned.every((other) => explains(move, other)) && agrees(move, turned),
  );
  return [...new Map(moves.map((move) => [`${move.style} ${move.param} ${move.first}`, move])).values()];
}

function explains(move: Move, { one, shift, pageSizes, order }: PagePosition): boolean {
  const ways = waysOf(move, one, pageSizes);
  if (ways.length === 0) return shift === 0;
  if (shift !== 'beyond') return ways.includes(shift);
  return ways.some((way) => way >= order.length);
}

/** Of searches that led beyond the rows that were seen, the same rows mean the same shift, others another one. */
function agrees(move: Move, turned: readonly PagePosition[]): boolean {
  const beyond = turned.filter(({ shift }) => shift === 'beyond');
  return beyond.every((a, index) =>
    beyond.slice(index + 1).every((b) => a.one.text !== b.one.text || isPossiblePair(move, a, b)),
  );
}

function isPossiblePair(move: Move, a: PagePosition, b: PagePosition): boolean {
  const [first, second] = [a.one.ids[0], b.one.ids[0]];
  if (first === undefined && second === undefined) return true;
  const [left, right] = [waysOf(move, a.one, a.pageSizes), waysOf(move, b.one, b.pageSizes)];
  return left.some((one) =>
    right.some((other) => {
      // No rows come only behind the last one.
      if (first === undefined) return one > other;
      if (second === undefined) return other > one;
      return (one === other) === (first === second);
    }),
  );
}

/** How far the parameter would have moved this search; none where it was not sent. */
function waysOf(move: Move, one: AnsweredSearch, pageSizes: readonly number[]): number[] {
  return movesOf(one, pageSizes)
    .filter(({ param, first, style }) => param === move.param && first === move.first && style === move.style)
    .map(({ shift }) => shift);
}

/** A finding from the moves that are left. */
export function pagingFrom(moves: readonly Move[]): Finding<PagingStyle | null> {
  const [move, ...others] = moves;
  if (move === undefined) return open(null, 'no parameter turned the page yet');
  const paging = { style: move.style, param: move.param, first: move.first } as const;
  const because = `${move.param} moved the first row by ${move.shift}`;
  return others.length === 0 ? sure(paging, because) : likely(paging, because);
}

/** The style that a signpost gives by itself. */
export function pagingBy({ is, at }: NextPageLink): PagingStyle | null {
  if (is === 'link_header') return { style: 'link_header' };
  return is === 'next_url' ? { style: 'next_url', next: at } : null;
}
