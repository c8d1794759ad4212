import type { Move, PagePosition } from '../conclusions.ts';
import type { Param } from '../evidence.ts';
import { OFFSET_PARAMS, PAGE_PARAMS } from '../word_lists.ts';

/**
 * Chooses values for several paging parameters in one request, so that the first row in the response identifies the
 * effective parameter.
 */

/** A parameter that may select a page, and its possible values for the first page. */
export interface PagingCandidate {
  readonly param: string;
  readonly style: Move['style'];
  readonly firsts: readonly number[];
}

/** All candidates, most likely first. Page parameters and offset parameters alternate. */
export const ALL_CANDIDATES: readonly PagingCandidate[] = Array.from({
  length: Math.max(PAGE_PARAMS.length, OFFSET_PARAMS.length),
})
  .flatMap((_, index): (PagingCandidate | null)[] => [
    candidateOf(PAGE_PARAMS[index], 'page'),
    candidateOf(OFFSET_PARAMS[index], 'offset'),
  ])
  .filter((candidate) => candidate !== null);

function candidateOf(param: string | undefined, style: Move['style']): PagingCandidate | null {
  return param === undefined ? null : { param, style, firsts: [0, 1] };
}

/** Returns the parameters in the possible moves as candidates. */
export function candidatesOf(moves: readonly Move[]): PagingCandidate[] {
  const params = new Map<string, PagingCandidate>();
  for (const { param, style, first } of moves)
    params.set(param, { param, style, firsts: [...(params.get(param)?.firsts ?? []), first] });
  return [...params.values()];
}

/**
 * Returns half of the candidates, but at most the four most likely ones. A response that shows whether one of them is
 * effective excludes the others, or them.
 */
export function likeliestGroup(candidates: readonly PagingCandidate[]): readonly PagingCandidate[] {
  return candidates.slice(0, Math.min(MAX_GROUP, Math.ceil(candidates.length / 2)));
}

const MAX_GROUP = 4;

/** A query's known rows. */
export interface KnownRows {
  /** The number of rows on the longest first page. */
  readonly count: number;
  /** The query's total, or Infinity if it is unknown. */
  readonly total: number;
}

/**
 * Returns a value for each candidate. For any page size and first value, no two candidates move the first row by the
 * same number of rows. Moves that stay within the known rows are assigned first, then moves within the total. If the
 * total is unknown or every such value is already in use, the value is 2.
 */
export function distinctShifts(
  candidates: readonly PagingCandidate[],
  pageSizes: readonly number[],
  { count, total }: KnownRows,
): Param[] {
  const taken = pageSizes.map(() => new Set<number>([0]));
  return candidates.map(({ param, style, firsts }): Param => {
    const shiftsAt = (value: number, size: number) =>
      firsts.map((first) => (value - first) * (style === 'page' ? size : 1));
    const isFree = (value: number, bound: number) =>
      pageSizes.every((size, index) =>
        shiftsAt(value, size).every(
          // The first page sizes in the list are small and likely. Only moves with a larger page size may exceed the
          // bound.
          (shift) => shift > 0 && (shift < bound || index >= LIKELY_SIZES) && !taken[index]?.has(shift),
        ),
      );
    const value =
      firstNumber((one) => isFree(one, count), count) ??
      (total === Number.POSITIVE_INFINITY ? 2 : (firstNumber((one) => isFree(one, total), MAX_VALUE) ?? 2));
    pageSizes.forEach((size, index) => {
      for (const shift of shiftsAt(value, size)) taken[index]?.add(shift);
    });
    return [param, String(value)];
  });
}

const LIKELY_SIZES = 5;
const MAX_VALUE = 400;

function firstNumber(isGood: (value: number) => boolean, most: number): number | null {
  for (let value = 1; value <= most; value++) if (isGood(value)) return value;
  return null;
}

/**
 * Returns values for a second request if the first response, `moved`, was beyond the known rows. Some candidates get a
 * new value, and the rest repeat theirs. If the second response has the same rows as the first, the effective candidate
 * is one of those that repeated their value.
 */
export function repeatedValues(candidates: readonly PagingCandidate[], moved: PagePosition): Param[] {
  const before = new Map(moved.page.exchange.request.params);
  const tested = likeliestGroup(candidates);
  const isFirstKnown = tested.every(({ firsts }) => firsts.length === 1);
  return candidates.map(({ param, firsts }, index): Param => {
    if (index >= tested.length) return [param, before.get(param) ?? '2'];
    // If the value that requests the first page is known, it is sent. If the first page is returned, this parameter is
    // effective, because no other parameter requests the first page.
    return [param, isFirstKnown ? String(firsts[0]) : '1'];
  });
}
