import type {
  Move,
  PagePosition,
  PagingStyle,
  QueryEvidence,
  SearchConclusions,
  SearchPage,
  SizeFacts,
} from '../conclusions.ts';
import { type Finding, likely, open, type Param, type SearchDraft, sure } from '../evidence.ts';
import { candidatesFor, roleOfParam } from '../param_roles.ts';
import { isFirstPage, longestOrder } from '../search_pages.ts';
import { SINGLE_PAGING_PARAMS } from '../word_lists.ts';
import { distinctSizes, likeliest, pageSizesOf } from './page_size.ts';
import {
  ALL_CANDIDATES,
  candidatesOf,
  distinctShifts,
  type KnownRows,
  repeatedValues,
} from './paging_probe.ts';

/** Finds a page or offset parameter: the only possible move. */
export function findPageOrOffset(moves: readonly Move[]): Finding<PagingStyle | null> {
  const [move, ...others] = moves;
  if (move === undefined) return open(null, 'no parameter changed the page yet');
  const paging = { style: move.style, param: move.param, first: move.first } as const;
  const because = `${move.param} moved the first row by ${move.shift}`;
  return others.length === 0 ? sure(paging, because) : likely(paging, because);
}

/** Returns the searches with paging parameters, each with its position in the listing. */
export function positionsOf(pages: readonly SearchPage[], size: SizeFacts): PagePosition[] {
  const isFirst = (page: SearchPage) => isFirstPage(page.exchange);
  return pages.flatMap((page) => {
    if (isFirst(page)) return [];
    const order = longestOrder(pages.filter((other) => isFirst(other) && other.query === page.query));
    const shift = shiftOf(page, order);
    return shift === null ? [] : [{ page, shift, order, pageSizes: pageSizesOf(page, size, shift) }];
  });
}

/** Returns the number of the page's first row in `order`, or `beyond` it; null: the page has another order. */
export function shiftOf({ ids }: SearchPage, order: readonly string[]): number | 'beyond' | null {
  const [first] = ids;
  if (order.length === 0) return null;
  if (first === undefined) return 'beyond';
  const at = order.indexOf(first);
  if (at === -1) return 'beyond';
  const overlap = ids.slice(0, order.length - at);
  return overlap.every((id, index) => id === order[at + index]) ? at : null;
}

/** Returns the moves that explain the positions of all pages. */
export function possibleMoves(positions: readonly PagePosition[]): Move[] {
  const moved = positions.find(({ shift }) => shift !== 0);
  if (moved === undefined) return [];
  const moves = movesOf(moved.page, moved.pageSizes).filter(
    (move) => positions.every((position) => explains(move, position)) && isConsistent(move, positions),
  );
  return [...new Map(moves.map((move) => [`${move.style} ${move.param} ${move.first}`, move])).values()];
}

/** Returns the possible moves of a page. A page parameter moves by `(value - first) * page size`, an offset by rows. */
function movesOf({ exchange }: SearchPage, pageSizes: readonly number[]): Move[] {
  return exchange.request.params.flatMap(([param, text]) => {
    const value = Number(text);
    if (!/^\d+$/.test(text)) return [];
    const style = roleOfParam(param);
    if (style !== 'page' && style !== 'offset') return [];
    const steps = style === 'page' ? pageSizes : [1];
    return [0, 1]
      .flatMap((first) => steps.map((step) => ({ style, param, first, shift: (value - first) * step })))
      .filter(({ shift }) => shift >= 0);
  });
}

function explains(move: Move, { page, shift, pageSizes, order }: PagePosition): boolean {
  const shifts = shiftsBy(move, page, pageSizes);
  if (shifts.length === 0) return shift === 0;
  if (shift !== 'beyond') return shifts.includes(shift);
  return shifts.some((possible) => possible >= order.length);
}

/** Whether pages beyond the known rows have equal first rows exactly if the move gives them equal shifts. */
function isConsistent(move: Move, positions: readonly PagePosition[]): boolean {
  const beyond = positions.filter(({ shift }) => shift === 'beyond');
  return beyond.every((a, index) =>
    beyond.slice(index + 1).every((b) => a.page.query !== b.page.query || isPossiblePair(move, a, b)),
  );
}

function isPossiblePair(move: Move, a: PagePosition, b: PagePosition): boolean {
  const [first, second] = [a.page.ids[0], b.page.ids[0]];
  if (first === undefined && second === undefined) return true;
  const [left, right] = [shiftsBy(move, a.page, a.pageSizes), shiftsBy(move, b.page, b.pageSizes)];
  return left.some((one) =>
    right.some((other) => {
      // A page without rows is behind the last row.
      if (first === undefined) return one > other;
      if (second === undefined) return other > one;
      return (one === other) === (first === second);
    }),
  );
}

/** Returns the possible shifts of a page by the parameter of a move; []: the request did not contain it. */
function shiftsBy(move: Move, page: SearchPage, pageSizes: readonly number[]): number[] {
  return movesOf(page, pageSizes)
    .filter(({ param, first, style }) => param === move.param && first === move.first && style === move.style)
    .map(({ shift }) => shift);
}

interface FirstDraftOptions {
  readonly isLenient: boolean;
  readonly maxSingle: number;
  readonly evidence: QueryEvidence;
}

/** Drafts probes while no parameter is known to have an effect: all in one request if possible, then single ones. */
export function firstDrafts(
  query: Param,
  base: SearchPage,
  search: SearchConclusions,
  { isLenient, maxSingle, evidence }: FirstDraftOptions,
): SearchDraft[] {
  const hadNoEffect = search.paging.positions.some(
    ({ shift, page }) => shift === 0 && page.exchange.request.params.length > 8,
  );
  if (hadNoEffect) return [];
  const usual = (role: 'page' | 'offset') =>
    candidatesFor(
      role,
      SINGLE_PAGING_PARAMS.filter((name) => roleOfParam(name) === role),
      evidence,
    );
  const possible = [...new Set([...usual('page'), ...usual('offset')])];
  const single = likeliest(
    SINGLE_PAGING_PARAMS.filter((name) => possible.includes(name)).concat(
      possible.filter((name) => !SINGLE_PAGING_PARAMS.includes(name)),
    ),
    search,
  ).map(
    (name): SearchDraft => ({
      params: [query, ...smallSize(search), [name, '2']],
      why: `does ${name} request the next page?`,
    }),
  );
  return isLenient ? [draftTogether(query, base, search), ...single.slice(0, 3)] : single.slice(0, maxSingle);
}

/** Sends all candidates in one request, each with a value that moves the first row by a different number. */
function draftTogether(query: Param, base: SearchPage, search: SearchConclusions): SearchDraft {
  const { param, byDefault } = search.size;
  const sizes = param.value === null ? distinctSizes(search, 2) : smallSize(search);
  // If no size parameter has an effect, every page is beyond the known rows. The second page identifies the parameter.
  const isFixed = param.value === null && base.ids.length === byDefault;
  const pageSizes = isFixed ? [byDefault ?? 1] : sizes.map(([, value]) => Number(value));
  const values = distinctShifts(ALL_CANDIDATES, pageSizes, knownRowsOf(base));
  return {
    params: [query, ...sizes, ...values],
    why: 'which parameter requests the next page? (each moves the rows by another number)',
  };
}

/** Drafts probes if several moves are possible: values by which they differ. */
export function distinguishingDrafts(
  query: Param,
  base: SearchPage,
  search: SearchConclusions,
  isLenient: boolean,
): SearchDraft[] {
  const { moves, positions } = search.paging;
  if (moves.length === 1) return [];
  const candidates = candidatesOf(moves);
  const size = smallSize(search);
  const step = size.length > 0 ? Number(size[0]?.[1]) : (search.size.byDefault ?? base.ids.length);
  const names = candidates.slice(0, 3).map(({ param }) => param);
  const draft = (params: readonly Param[]): SearchDraft => ({
    params: [query, ...params],
    why: `does ${names.join(', or ')} request the next page?`,
  });
  const rows = knownRowsOf(base);
  const single = [
    ...candidates.map((one) => draft([...size, ...distinctShifts([one], [step], rows)])),
    // The value 1 is the first page, or the second one if pages count from 0.
    ...candidates.map(({ param }) => draft([...size, [param, '1']])),
  ];
  if (!isLenient) return single;
  const together = draft([...size, ...distinctShifts(candidates, [step], rows)]);
  const beyond = positions.filter(({ shift }) => shift === 'beyond');
  const far = beyond.find(({ page }) => page.ids.length > 0) ?? beyond[0];
  const repeated = far === undefined ? [] : [draft(repeatedValues(candidates, far))];
  return step * 2 < base.ids.length ? [together, ...repeated, ...single] : [...repeated, together, ...single];
}

/** A page of one row, or of two if one is the default. */
function smallSize({ size: { param, byDefault } }: SearchConclusions): Param[] {
  return param.value === null ? [] : [[param.value, byDefault === 1 ? '2' : '1']];
}

function knownRowsOf({ ids, total }: SearchPage): KnownRows {
  return { count: ids.length, total: total ?? Number.POSITIVE_INFINITY };
}
