import type { Pointer } from '../dialect/dialect.ts';
import type { Json } from '../json/json.ts';
import { segmentsOf } from '../json/pointer.ts';
import { type Finding, likely, sure } from './evidence.ts';
import { leavesOf, wholeNumberOf, wordsOfKey } from './json_leaves.ts';
import { COMPANY_WORDS, NOT_COMPANY_WORDS, TOTAL_WORDS } from './word_lists.ts';

/**
 * Where the statistics count the companies. `listed` is the total of a search for everything, where there was
 * one: a count that equals it is meant.
 */
export function findRegistryTotal(stats: Json, listed: number | null): Finding<Pointer | null> {
  const counts = leavesOf(stats).flatMap(({ pointer, value }) => {
    const count = wholeNumberOf(value);
    const score = scoreOf(pointer);
    return count === null || score <= 0 ? [] : [{ pointer, count, score }];
  });
  const equal = listed === null ? undefined : counts.find(({ count }) => count === listed);
  if (equal !== undefined)
    return sure(equal.pointer, `${equal.count} there, and as many by a search for everything`);
  const [best, second] = counts.sort((a, b) => b.score - a.score || b.count - a.count);
  if (best === undefined) return likely(null, 'no number there speaks of companies');
  const says = `${best.pointer} says ${best.count}`;
  const isPlain = second === undefined || (best.score - second.score >= 3 && best.count >= second.count);
  return isPlain && best.score >= 4
    ? sure(best.pointer, says)
    : likely(
        best.pointer,
        `${says}${second === undefined ? '' : `, though ${second.pointer} says ${second.count}`}`,
      );
}

function scoreOf(pointer: Pointer): number {
  const keys = segmentsOf(pointer).map(wordsOfKey);
  const words = keys.flat();
  const speaksOfCompanies = words.some((word) => COMPANY_WORDS.has(word));
  const isPart = words.some((word) => NOT_COMPANY_WORDS.has(word));
  const isTotal = keys.at(-1)?.some((word) => TOTAL_WORDS.has(word)) ?? false;
  return (speaksOfCompanies ? 5 : 0) + (isTotal ? 3 : 0) - (isPart ? 6 : 0) - keys.length / 4;
}
