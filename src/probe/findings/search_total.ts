import type { Pointer } from '../../dialect/dialect.ts';
import { segmentsOf } from '../../json/pointer.ts';
import type { SearchPage } from '../conclusions.ts';
import { type Exchange, type Finding, likely, open, paramOf, sure } from '../evidence.ts';
import { leavesOf, wholeNumberOf, wordsOfKey } from '../json_leaves.ts';
import { NOT_TOTAL_WORDS, TOTAL_WORDS } from '../word_lists.ts';

/** A number in the response to one search. */
interface Sample {
  readonly count: number;
  readonly rows: number;
  readonly query: string;
  /** Whether the request sent the same number as a page size or page number. Null if the request sent no number. */
  readonly wasSent: boolean | null;
}

/**
 * Finds the path to a query's total. The total differs between queries and is at least the number of rows. If all
 * matches fit on the page, it is exactly the number of rows.
 */
export function findTotal(
  searches: readonly Exchange[],
  rowsOf: (search: Exchange) => number,
  queryParam: string,
): Finding<Pointer | null> {
  const samples = samplesOf(searches, rowsOf, queryParam);
  const fitting = [...samples]
    .map(([pointer, all]) => ({ pointer, all, words: totalScore(pointer) }))
    .filter(({ all, words }) => words > 0 && all.every(isPossible) && !isRepeated(all))
    .sort((a, b) => b.words - a.words);
  const proven = fitting.filter(({ all }) => (exceeds(all) || isSteady(all)) && !isConstant(all));
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
  const [named] = fitting.filter(
    ({ words, all, pointer }) =>
      (words >= 5 && (exceeds(all) || !isRowCount(all))) || (isNamedTotal(pointer) && !isOneCount(all)),
  );
  if (named !== undefined) return likely(named.pointer, 'its name suggests it');
  const unnamed = [...samples].filter(
    ([pointer, all]) =>
      isPlainNumber(pointer) && all.every(isPossible) && !isRepeated(all) && !isConstant(all),
  );
  const [shown] = unnamed.filter(([, all]) => exceeds(all) && equals(all));
  if (shown !== undefined)
    return likely(shown[0], 'it is never below the number of rows, and is the same on some pages');
  if (fitting.length > 0 || unnamed.some(([, all]) => exceeds(all)))
    return open(null, 'no response shows what its numbers count');
  return sure(null, 'no number in the responses counts the matches');
}

/**
 * Finds the largest total that the upstream reports. The evidence is a round total that several queries with different
 * companies share, or a page with more rows than its total.
 */
export function findClamp(
  pages: readonly Pick<SearchPage, 'query' | 'total' | 'ids'>[],
): Finding<number | null> {
  const largest = Math.max(0, ...pages.map(({ total }) => total ?? 0));
  const atLargest = pages.filter(({ total }) => total === largest);
  const firstIds = new Set(atLargest.map(({ ids }) => ids[0]));
  const queries = new Set(atLargest.map(({ query }) => query));
  const beyond = pages.find(({ total, ids }) => total !== null && total > 0 && ids.length > total);
  if (beyond !== undefined)
    return sure(beyond.total, `a page with the total ${beyond.total} has ${beyond.ids.length} rows`);
  if (largest < 100 || largest % 100 !== 0) return open(null, `the largest total so far is ${largest}`);
  // If all queries have the same total, each of them may have matched the whole registry.
  const isLimit = pages.some(({ total }) => total !== null && total > 0 && total < largest);
  return isLimit && queries.size > 1 && firstIds.size > 1
    ? sure(largest, `different queries have the total ${largest}`)
    : open(null, `one query has the total ${largest}, which may mean "at least"`);
}

function samplesOf(
  searches: readonly Exchange[],
  rowsOf: (search: Exchange) => number,
  queryParam: string,
): Map<Pointer, Sample[]> {
  const samples = new Map<Pointer, Sample[]>();
  const echoes = new Set<Pointer>();
  for (const search of searches) {
    if (search.json === undefined) continue;
    const rows = rowsOf(search);
    const query = paramOf(search, queryParam) ?? '';
    const numbers = search.request.params.map(([, value]) => value).filter((value) => /^\d+$/.test(value));
    for (const { pointer, value } of leavesOf(search.json)) {
      if (value === query && query !== '') echoes.add(pointer);
      const count = wholeNumberOf(value);
      if (count === null) continue;
      const sample = {
        count,
        rows,
        query,
        wasSent: numbers.length === 0 ? null : numbers.includes(String(count)),
      };
      const known = samples.get(pointer);
      if (known === undefined) samples.set(pointer, [sample]);
      else known.push(sample);
    }
  }
  // A query that consists of digits is not a count, even if the upstream repeats it under a key for numbers.
  for (const pointer of echoes) samples.delete(pointer);
  return samples;
}

/** Returns false if the keys suggest that the number is, for example, a page number, a limit or a time. */
function isPlainNumber(pointer: Pointer): boolean {
  return !segmentsOf(pointer)
    .flatMap(wordsOfKey)
    .some((word) => NOT_TOTAL_WORDS.has(word));
}

/** Scores how likely a path is to lead to the number of matches, with 0 if its keys do not suggest that. */
export function totalScore(pointer: Pointer): number {
  const keys = segmentsOf(pointer).map(wordsOfKey);
  const last = keys.at(-1) ?? [];
  if (last.some((word) => NOT_TOTAL_WORDS.has(word))) return 0;
  const compact = TOTAL_WORDS.get(last.join('')) ?? 0;
  const words = keys.flat();
  return (
    Math.max(compact, ...words.map((word) => TOTAL_WORDS.get(word) ?? 0)) + (last.includes('total') ? 1 : 0)
  );
}

/**
 * Returns whether a number can be a total. It must be at least the number of rows, or a round number that may be a cap
 * on totals.
 */
function isPossible({ count, rows }: Sample): boolean {
  return count >= rows || (count >= 100 && count % 100 === 0);
}

const exceeds = (all: readonly Sample[]) => all.some(({ count, rows }) => count > rows && rows > 0);

/**
 * Returns whether the number is the row count on one of a query's pages, yet is the same on an empty page for that
 * query.
 */
const isSteady = (all: readonly Sample[]) =>
  all.some(
    ({ count, rows, query }) =>
      count > 0 &&
      rows === 0 &&
      all.some((other) => other.query === query && other.count === count && other.rows === count),
  );

const equals = (all: readonly Sample[]) => all.some(({ count, rows }) => count === rows);
const isRowCount = (all: readonly Sample[]) => all.every(({ count, rows }) => count === rows);

/**
 * Returns whether the last key, such as `totalElements`, means a total and not just a number of rows. A total can match
 * the number of rows on every page so far if no query had more matches than fit on a page.
 */
function isNamedTotal(pointer: Pointer): boolean {
  const last = wordsOfKey(segmentsOf(pointer).at(-1) ?? '');
  return last.some((word) => (TOTAL_WORDS.get(word) ?? 0) >= 6);
}

const isOneCount = (all: readonly Sample[]) => new Set(all.map(({ count }) => count)).size === 1;

/** Returns whether the number only repeats a page size or page number from the request. */
function isRepeated(all: readonly Sample[]): boolean {
  const informative = all.filter(({ wasSent }) => wasSent !== null);
  return informative.length > 1 && informative.every(({ wasSent }) => wasSent === true);
}

/** Returns whether the number is small and the same for different queries, as a page size or a version would be. */
function isConstant(all: readonly Sample[]): boolean {
  const queries = new Set(all.map(({ query }) => query));
  return (
    queries.size > 1 &&
    new Set(all.map(({ count }) => count)).size === 1 &&
    !all.some(({ count }) => count >= 100)
  );
}
