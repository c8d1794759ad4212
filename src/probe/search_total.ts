import type { Pointer } from '../dialect/dialect.ts';
import { segmentsOf } from '../json/pointer.ts';
import type { Exchange } from './evidence.ts';
import { type Finding, likely, open, sure } from './evidence.ts';
import { leavesOf, wholeNumberOf, wordsOfKey } from './json_leaves.ts';
import { rowsAt } from './result_list.ts';
import { NOT_TOTAL_WORDS, TOTAL_WORDS } from './word_lists.ts';

interface Sample {
  readonly count: number;
  readonly rows: number;
  /** What was asked, without what turns pages or sizes them. */
  readonly text: string;
  /** The same number was sent: a size or a page, repeated. null: no number was sent. */
  readonly wasSent: boolean | null;
}

/**
 * Where a search says how many companies it matches in all: a number that is never below the rows, differs
 * with the query, and equals the rows where everything fits the page.
 */
export function findTotal(
  searches: readonly Exchange[],
  results: Pointer,
  queryParam: string,
): Finding<Pointer | null> {
  const samples = samplesOf(searches, results, queryParam);
  const fitting = [...samples]
    .map(([pointer, all]) => ({ pointer, all, words: wordScore(pointer) }))
    .filter(({ all, words }) => words > 0 && all.every(isPossible) && !isRepeated(all))
    .sort((a, b) => b.words - a.words);
  const proven = fitting.filter(({ all }) => exceeds(all) && !isConstant(all));
  const [best] = proven;
  const isOvershadowed = (fitting[0]?.words ?? 0) - (best?.words ?? 0) > 2;
  if (best !== undefined && !isOvershadowed) {
    const because = `${best.all
      .slice(0, 4)
      .map(({ count, rows }) => `${count} for ${rows} rows`)
      .join(', ')}`;
    const isShown = equals(best.all) || best.words >= 6;
    return isShown ? sure(best.pointer, because) : likely(best.pointer, because);
  }
  const [named] = fitting.filter(({ words, all }) => words >= 5 && (exceeds(all) || !isPageCount(all)));
  if (named !== undefined) return likely(named.pointer, 'its name says so');
  if (fitting.length > 0) return open(null, 'no answer shows what its numbers count');
  return sure(null, 'no number in the answers counts the matches');
}

/**
 * The number at which totals stop: two queries that find different companies with the same round total, or
 * rows beyond it.
 */
export function findClamp(
  totals: readonly {
    readonly text: string | null;
    readonly total: number | null;
    readonly ids: readonly string[];
  }[],
): Finding<number | null> {
  const largest = Math.max(0, ...totals.map(({ total }) => total ?? 0));
  const atLargest = totals.filter(({ total }) => total === largest);
  const queries = new Set(atLargest.map(({ ids }) => ids[0]));
  const texts = new Set(atLargest.map(({ text }) => text));
  const beyond = totals.find(({ total, ids }) => total !== null && total > 0 && ids.length > total);
  if (beyond !== undefined)
    return sure(beyond.total, `${beyond.ids.length} rows came with the total ${beyond.total}`);
  if (largest < 100 || largest % 100 !== 0) return open(null, `the largest total so far is ${largest}`);
  // Where all queries have it, they may all have found everything.
  const isLimit = totals.some(({ total }) => total !== null && total > 0 && total < largest);
  return isLimit && texts.size > 1 && queries.size > 1
    ? sure(largest, `different queries all have ${largest}`)
    : open(null, `one query has ${largest}, which may mean "at least"`);
}

function samplesOf(
  searches: readonly Exchange[],
  results: Pointer,
  queryParam: string,
): Map<Pointer, Sample[]> {
  const samples = new Map<Pointer, Sample[]>();
  for (const search of searches) {
    if (search.json === undefined) continue;
    const rows = rowsAt(search, results).length;
    const text = search.request.params.find(([name]) => name === queryParam)?.[1] ?? '';
    const numbers = search.request.params.map(([, value]) => value).filter((value) => /^\d+$/.test(value));
    for (const { pointer, value } of leavesOf(search.json)) {
      const count = wholeNumberOf(value);
      if (count === null) continue;
      const sample = {
        count,
        rows,
        text,
        wasSent: numbers.length === 0 ? null : numbers.includes(String(count)),
      };
      const known = samples.get(pointer);
      if (known === undefined) samples.set(pointer, [sample]);
      else known.push(sample);
    }
  }
  return samples;
}

function wordScore(pointer: Pointer): number {
  const keys = segmentsOf(pointer).map(wordsOfKey);
  const last = keys.at(-1) ?? [];
  if (last.some((word) => NOT_TOTAL_WORDS.has(word))) return 0;
  const compact = TOTAL_WORDS.get(last.join('')) ?? 0;
  const words = keys.flat();
  return (
    Math.max(compact, ...words.map((word) => TOTAL_WORDS.get(word) ?? 0)) + (last.includes('total') ? 1 : 0)
  );
}

/** Never below the rows, unless it is a round number at which all totals stop. */
function isPossible({ count, rows }: Sample): boolean {
  return count >= rows || (count >= 100 && count % 100 === 0);
}

const exceeds = (all: readonly Sample[]) => all.some(({ count, rows }) => count > rows && rows > 0);
const equals = (all: readonly Sample[]) => all.some(({ count, rows }) => count === rows);
const isPageCount = (all: readonly Sample[]) => all.every(({ count, rows }) => count === rows);

/** Whatever number is sent comes back: a size, or a page. */
function isRepeated(all: readonly Sample[]): boolean {
  const telling = all.filter(({ wasSent }) => wasSent !== null);
  return telling.length > 1 && telling.every(({ wasSent }) => wasSent === true);
}

/** The same for different queries: a page size, a version. */
function isConstant(all: readonly Sample[]): boolean {
  const texts = new Set(all.map(({ text }) => text));
  return (
    texts.size > 1 &&
    new Set(all.map(({ count }) => count)).size === 1 &&
    !all.some(({ count }) => count >= 100)
  );
}
