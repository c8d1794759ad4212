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
import { candidatesFor, isPagingParam, roleOfParam } from '../param_roles.ts';
import { isFirstPage, longestOrder } from '../search_pages.ts';
import { SINGLE_PAGING_PARAMS } from '../word_lists.ts';
import { distinctSizes, likeliest, pageSizesOf } from './page_size.ts';
import {
  ALL_CANDIDATES,
  candidatesOf,
  distinctShifts,
  type KnownRows,
  likeliestGroup,
  repeatedValues,
} from './paging_probe.ts';

/**
 * Finds the page or offset parameter. Each move is a possible effect of such a parameter that explains where all pages
 * start. The finding is sure if there is only one move.
 */
export function findPageOrOffset(moves: readonly Move[]): Finding<PagingStyle | null> {
  const [move, ...others] = moves;
  if (move === undefined) return open(null, 'no parameter changed the page yet');
  const paging = { style: move.style, param: move.param, first: move.first } as const;
  const because = `${move.param} moved the first row by ${move.shift}`;
  return others.length === 0 ? sure(paging, because) : likely(paging, because);
}

/** Returns the pages that were requested with paging parameters, each with its position in the listing. */
export function positionsOf(pages: readonly SearchPage[], size: SizeFacts): PagePosition[] {
  const isFirst = (page: SearchPage) => isFirstPage(page.exchange);
  return pages.flatMap((page) => {
    if (isFirst(page)) return [];
    const order = longestOrder(pages.filter((other) => isFirst(other) && other.query === page.query));
    const shift = shiftOf(page, order);
    return shift === null ? [] : [{ page, shift, order, pageSizes: pageSizesOf(page, size, shift) }];
  });
}

/**
 * Returns the index of the page's first row in `order`, or `beyond` if that row is not in `order`. Returns null if the
 * page's rows are in a different order.
 */
export function shiftOf({ keys }: SearchPage, order: readonly string[]): number | 'beyond' | null {
  const [first] = keys;
  if (order.length === 0) return null;
  if (first === undefined) return 'beyond';
  const at = order.indexOf(first);
  if (at === -1) return 'beyond';
  const overlap = keys.slice(0, order.length - at);
  return overlap.every((key, index) => key === order[at + index]) ? at : null;
}

/** Returns the moves that explain where all these pages start. */
export function possibleMoves(positions: readonly PagePosition[]): Move[] {
  const moved = positions.find(({ shift }) => shift !== 0);
  if (moved === undefined) return [];
  const moves = movesOf(moved.page, moved.pageSizes).filter(
    (move) => positions.every((position) => explains(move, position)) && isConsistent(move, positions),
  );
  return [...new Map(moves.map((move) => [`${move.style} ${move.param} ${move.first}`, move])).values()];
}

/**
 * Returns the moves that can explain one page's position, the most common first. Pages are usually numbered from 1, and
 * offsets from 0. A page parameter skips `(value - first) * page size` rows, and an offset parameter skips `value -
 * first` rows.
 */
function movesOf({ exchange }: SearchPage, pageSizes: readonly number[]): Move[] {
  return exchange.request.params.flatMap(([param, text]) => {
    const value = Number(text);
    if (!/^\d+$/.test(text)) return [];
    const style = roleOfParam(param);
    if (style !== 'page' && style !== 'offset') return [];
    const steps = style === 'page' ? pageSizes : [1];
    return (style === 'page' ? [1, 0] : [0, 1])
      .flatMap((first) => steps.map((step) => ({ style, param, first, shift: (value - first) * step })))
      .filter(({ shift }) => shift >= 0);
  });
}

function explains(move: Move, { page, shift, pageSizes, order }: PagePosition): boolean {
  const shifts = shiftsBy(move, page, pageSizes);
  if (shifts.length === 0) return shift === 0;
  if (shift !== 'beyond') return shifts.includes(shift);
  return shifts.some((possible) => possible >= order.length && fitsTotal(possible, page));
}

/**
 * Returns whether a page can start at this row. A page without rows starts after the last match, unless the upstream
 * returns no rows beyond a limit, which high values in a request with many candidates can exceed.
 */
function fitsTotal(start: number, { ids, total, exchange }: SearchPage): boolean {
  const { length } = exchange.request.params.filter(([name]) => isPagingParam(name));
  return total === null || ids.length > 0 || start >= total || length > 1;
}

/**
 * Returns whether a move is consistent with the pages beyond the known rows. Two such pages must have the same first
 * row if and only if the move skips the same number of rows for both.
 */
function isConsistent(move: Move, positions: readonly PagePosition[]): boolean {
  const beyond = positions.filter(({ shift }) => shift === 'beyond');
  return beyond.every((a, index) =>
    beyond.slice(index + 1).every((b) => a.page.query !== b.page.query || isPossiblePair(move, a, b)),
  );
}

function isPossiblePair(move: Move, a: PagePosition, b: PagePosition): boolean {
  const [first, second] = [a.page.keys[0], b.page.keys[0]];
  if (first === undefined && second === undefined) return true;
  const [left, right] = [shiftsBy(move, a.page, a.pageSizes), shiftsBy(move, b.page, b.pageSizes)];
  return left.some((one) =>
    right.some((other) => {
      // A page without rows starts after the last row in the listing.
      if (first === undefined) return one > other;
      if (second === undefined) return other > one;
      return (one === other) === (first === second);
    }),
  );
}

/**
 * Returns how many rows the parameter in `move` may have skipped to reach a page, or [] if the request did not have the
 * parameter.
 */
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

/**
 * Drafts requests while no parameter is known to have an effect. If the upstream ignores unknown parameters, the first
 * request has all candidates. After that, there is one request for each candidate.
 */
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

/**
 * Drafts one request with all candidates. Each candidate's value would move the first row by a different number of
 * rows.
 */
function draftTogether(query: Param, base: SearchPage, search: SearchConclusions): SearchDraft {
  const { param, byDefault } = search.size;
  const sizes = param.value === null ? distinctSizes(search, 2) : smallSize(search);
  // If no size parameter has an effect, every move leads beyond the known rows. A request for the second page then
  // identifies the parameter.
  const isFixed = param.value === null && base.ids.length === byDefault;
  const pageSizes = isFixed ? [byDefault ?? 1] : sizes.map(([, value]) => Number(value));
  const values = distinctShifts(ALL_CANDIDATES, pageSizes, knownRowsOf(base));
  return {
    params: [query, ...sizes, ...values],
    why: 'which parameter requests the next page? (each moves the rows by a different number)',
  };
}

/** Drafts requests that distinguish between several possible moves. */
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
    // The value 1 requests the first page, or the second page if page numbers start at 0.
    ...candidates.map(({ param }) => draft([...size, [param, '1']])),
  ];
  if (!isLenient) return single;
  const values = distinctShifts(candidates, [step], rows);
  // If all values are the same, the response is the same for every candidate.
  const together = new Set(values.map(([, value]) => value)).size > 1 ? [draft([...size, ...values])] : [];
  const beyond = positions.filter(({ shift }) => shift === 'beyond');
  const far = beyond.find(({ page }) => page.ids.length > 0) ?? beyond[0];
  const repeated = far === undefined ? [] : [draft(repeatedValues(candidates, far))];
  const some = draft([...size, ...distinctShifts(likeliestGroup(candidates), [step], rows)]);
  const grouped =
    step * 2 < base.ids.length ? [...together, ...repeated, some] : [...repeated, ...together, some];
  return [...grouped, ...single];
}

/**
 * Returns the size parameter for a page of one row, or of two rows if the default page size is one. Returns [] if no
 * size parameter is known.
 */
function smallSize({ size: { param, byDefault } }: SearchConclusions): Param[] {
  return param.value === null ? [] : [[param.value, byDefault === 1 ? '2' : '1']];
}

function knownRowsOf({ ids, total }: SearchPage): KnownRows {
  return { count: ids.length, total: total ?? Number.POSITIVE_INFINITY };
}
