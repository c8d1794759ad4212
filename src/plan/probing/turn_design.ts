import type { Param } from './exchange.ts';
import type { Move, Turned } from './turning.ts';
import { OFFSET_PARAMS, PAGE_PARAMS } from './vocabulary.ts';

/** A parameter that may turn pages, and where its counting may begin. */
interface Way {
  readonly param: string;
  readonly style: Move['style'];
  readonly firsts: readonly number[];
}

/** All that are likely, before any is known to do something; the likeliest first. */
export const LIKELY_WAYS: readonly Way[] = Array.from({
  length: Math.max(PAGE_PARAMS.length, OFFSET_PARAMS.length),
})
  .flatMap((_, index): (Way | null)[] => [
    wayOf(PAGE_PARAMS[index], 'page'),
    wayOf(OFFSET_PARAMS[index], 'offset'),
  ])
  .filter((way) => way !== null);

function wayOf(param: string | undefined, style: Move['style']): Way | null {
  return param === undefined ? null : { param, style, firsts: [0, 1] };
}

/** What is left of them after some searches. */
export function waysLeft(moves: readonly Move[]): Way[] {
  const params = new Map<string, Way>();
  for (const { param, style, first } of moves)
    params.set(param, { param, style, firsts: [...(params.get(param)?.firsts ?? []), first] });
  return [...params.values()];
}

/** How far the rows of a query are known. */
export interface Reach {
  /** Rows of the longest first page. */
  readonly seen: number;
  /** Rows in all; Infinity where nobody says. */
  readonly total: number;
}

/**
 * Values for all the parameters at once such that the first row tells which of them counts, and from where: each
 * moves it by another number of rows, whichever of the page sizes it is, as far as the rows that were seen reach.
 * The others lead beyond them, each to other rows where it is known how many there are.
 */
export function designTurn(
  ways: readonly Way[],
  pageSizes: readonly number[],
  { seen, total }: Reach,
): Param[] {
  const taken = pageSizes.map(() => new Set<number>([0]));
  return ways.map(({ param, style, firsts }): Param => {
    const shiftsAt = (value: number, size: number) =>
      firsts.map((first) => (value - first) * (style === 'page' ? size : 1));
    const isFree = (value: number, bound: number) =>
      pageSizes.every((size, index) =>
        shiftsAt(value, size).every(
          // Large pages may lead too far; the likely ones, which are small, must not.
          (shift) => shift > 0 && (shift < bound || index >= LIKELY_SIZES) && !taken[index]?.has(shift),
        ),
      );
    const value =
      firstWhere((one) => isFree(one, seen), seen) ??
      (total === Number.POSITIVE_INFINITY ? 2 : (firstWhere((one) => isFree(one, total), MOST) ?? 2));
    pageSizes.forEach((size, index) => {
      for (const shift of shiftsAt(value, size)) taken[index]?.add(shift);
    });
    return [param, String(value)];
  });
}

const LIKELY_SIZES = 5;
const MOST = 400;

function firstWhere(isGood: (value: number) => boolean, most: number): number | null {
  for (let value = 1; value <= most; value++) if (isGood(value)) return value;
  return null;
}

/**
 * Where every turn leads beyond the rows that were seen: some parameters get the value they had when the page was
 * turned (the same rows come if it is one of them), the others 1 (the first page, or the second, comes).
 */
export function designAgain(ways: readonly Way[], turned: Turned): Param[] {
  const before = new Map(turned.one.search.request.params);
  const tested = ways.slice(0, ways.length > 3 ? 2 : 1);
  const isSettled = tested.every(({ firsts }) => firsts.length === 1);
  return ways.map(({ param, firsts }, index): Param => {
    const again = before.get(param) ?? '2';
    if (index >= tested.length) return [param, again];
    // Where counting begins is known: the first page itself, which nothing else brings.
    return [param, isSettled ? String(firsts[0]) : '1'];
  });
}
