import type { Pointer } from '../../dialect/dialect.ts';
import type { Json } from '../../json/json.ts';
import { segmentsOf } from '../../json/pointer.ts';
import { type Finding, likely, sure } from '../evidence.ts';
import { leavesOf, wholeNumberOf, wordsOfKey } from '../json_leaves.ts';
import { COMPANY_WORDS, NOT_COMPANY_WORDS, TOTAL_WORDS } from '../word_lists.ts';

/**
 * Finds the registry count in the statistics. `listed` is the total for an empty query, or null if it is unknown. If a
 * number in the statistics is the same as `listed`, it is the registry count. `probeAddress` requests the statistics.
 */
export function findRegistryTotal(stats: Json, listed: number | null): Finding<Pointer | null> {
  const counts = leavesOf(stats).flatMap(({ pointer, value }) => {
    const count = wholeNumberOf(value);
    const score = scoreOf(pointer);
    return count === null || score <= 0 ? [] : [{ pointer, count, score }];
  });
  const equal = listed === null ? undefined : counts.find(({ count }) => count === listed);
  if (equal !== undefined)
    return sure(equal.pointer, `${equal.pointer} is ${equal.count}, and so is the total of an empty query`);
  const [best, second] = counts.sort((a, b) => b.score - a.score || b.count - a.count);
  if (best === undefined) return likely(null, 'no key in the statistics suggests a number of companies');
  const because = `${best.pointer} is ${best.count}`;
  const isPlain = second === undefined || (best.score - second.score >= 3 && best.count >= second.count);
  return isPlain && best.score >= 4
    ? sure(best.pointer, because)
    : likely(
        best.pointer,
        `${because}${second === undefined ? '' : `, but ${second.pointer} is ${second.count}`}`,
      );
}

function scoreOf(pointer: Pointer): number {
  const keys = segmentsOf(pointer).map(wordsOfKey);
  const words = keys.flat();
  const isOfCompanies = words.some((word) => COMPANY_WORDS.has(word));
  const isPartial = words.some((word) => NOT_COMPANY_WORDS.has(word));
  const isTotal = keys.at(-1)?.some((word) => TOTAL_WORDS.has(word)) ?? false;
  return (isOfCompanies ? 5 : 0) + (isTotal ? 3 : 0) - (isPartial ? 6 : 0) - keys.length / 4;
}
