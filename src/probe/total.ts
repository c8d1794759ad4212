import type { Pointer } from '../dialect/dialect.ts';
import { type CountedPage, totalCountsMatches, totalsFollowQuery } from '../dialect/evidence/judgements.ts';
import { listPointer } from '../dialect/search_results.ts';
import { totalAt } from '../dialect/total.ts';
import type { Json } from '../json/json.ts';
import { segmentsOf } from '../json/pointer.ts';
import { leavesOf, listsIn, wholeNumberOf } from './bodies.ts';
import { type Finding, likely, open, type ProbeExchange, sure } from './exchange.ts';
import { nextPageLinksIn } from './pages.ts';
import { COMPANY_WORDS, NOT_COMPANY_WORDS, NOT_TOTAL_WORDS, TOTAL_WORDS, wordsOfKey } from './words.ts';

/** Hypotheses and evidence about the total of a query, and the registry count in the statistics. */

/** A number in the response to one search. */
interface Sample extends CountedPage {
  readonly total: number;
  readonly query: string;
}

/**
 * Judges the numbers in search responses as totals. The checks are those of a running mirror: a total counts all matches
 * and not the rows of its page, and differs from query to query. A number inside the results is no total.
 */
export function findTotal(
  searches: readonly ProbeExchange[],
  rowsOf: (search: ProbeExchange) => number,
  queryOf: (search: ProbeExchange) => string | null,
  results: Pointer | null = null,
): Finding<Pointer | null> {
  const possible = [...samplesOf(searches, rowsOf, queryOf)]
    .filter(([pointer]) => results === null || !pointer.startsWith(`${listPointer(results)}/`))
    .map(([pointer, all]) => ({ pointer, all, words: totalScore(pointer) }))
    .filter(({ all, words }) => words > 0 && all.every(isPossible))
    .sort((a, b) => b.words - a.words);
  const fitting = possible.filter(({ all }) => !countsPage(all) && totalsFollowQuery(all).holds !== false);
  const shown = fitting.filter(({ all }) => totalCountsMatches(all).holds === true || isSteady(all));
  const [best] = shown;
  if (best !== undefined && (fitting[0]?.words ?? 0) - best.words <= 2) {
    const checks = [totalCountsMatches(best.all), totalsFollowQuery(best.all)];
    const because = checks.flatMap((one) => (one.holds === true ? [one.because] : [])).join(', ');
    const isShown = best.all.some(({ total, rows }) => total === rows) || best.words >= 6;
    return (isShown ? sure : likely)(best.pointer, because || 'it stays the same on an empty page');
  }
  const named = fitting.find(({ words, all }) => words >= 5 && totalsFollowQuery(all).holds === true);
  if (named !== undefined)
    return likely(named.pointer, 'its name suggests it, and it differs from query to query');
  // A number that equals the rows of full pages may do so by chance.
  return possible.some(({ all }) => !endsBeforeNext(all))
    ? open(null, 'no response shows what its numbers count')
    : sure(null, 'no number in the responses counts the matches');
}

function samplesOf(
  searches: readonly ProbeExchange[],
  rowsOf: (search: ProbeExchange) => number,
  queryOf: (search: ProbeExchange) => string | null,
): Map<Pointer, Sample[]> {
  const samples = new Map<Pointer, Sample[]>();
  const echoes = new Set<Pointer>();
  for (const search of searches) {
    if (search.json === undefined) continue;
    const [rows, query] = [rowsOf(search), queryOf(search) ?? ''];
    const hasNext = nextPageLinksIn(search).length > 0 ? true : null;
    const inBody = leavesOf(search.json);
    for (const { pointer, value } of inBody) if (value === query && query !== '') echoes.add(pointer);
    const pointers = [...inBody.map(({ pointer }) => pointer), ...Object.keys(search.headers)];
    for (const pointer of pointers.filter((one) => totalScore(one) > 0)) {
      const total = totalAt(pointer, search.headers, search.json);
      if (total !== null)
        samples.set(pointer, [...(samples.get(pointer) ?? []), { total, rows, query, hasNext }]);
    }
  }
  // A query that consists of digits is not a count, even if the upstream repeats it under a key for numbers.
  for (const pointer of echoes) samples.delete(pointer);
  return samples;
}

/** Scores how likely a path is to lead to the number of matches, with 0 if its keys do not suggest that. */
export function totalScore(pointer: Pointer): number {
  if (pointer === 'content-range') return TOTAL_WORDS.get('total') ?? 0;
  const keys = pointer.startsWith('/') ? segmentsOf(pointer).map(wordsOfKey) : [wordsOfKey(pointer)];
  const last = keys.at(-1) ?? [];
  if (last.some((word) => NOT_TOTAL_WORDS.has(word)) || keys.flat().includes('shards')) return 0;
  const compact = TOTAL_WORDS.get(last.join('')) ?? 0;
  const words = keys.flat().map((word) => TOTAL_WORDS.get(word) ?? 0);
  return Math.max(compact, ...words) + (last.includes('total') ? 1 : 0);
}

/** Returns the numbers in a response that may be totals, as text. */
export function countsIn({ json }: ProbeExchange): string {
  const counts = leavesOf(json ?? null).filter(
    ({ pointer, value }) => totalScore(pointer) > 0 && wholeNumberOf(value) !== null,
  );
  return counts.map(({ value }) => String(value)).join();
}

/** A total is at least the number of rows, or a round number that may be a cap on totals. */
function isPossible({ total, rows }: Sample): boolean {
  return total >= rows || (total >= 100 && total % 100 === 0);
}

/** Returns whether the number seems to count the rows of the page, and not the matches. */
function countsPage(all: readonly Sample[]): boolean {
  const hasMore = totalCountsMatches(all).holds === true || isSteady(all);
  return (
    endsBeforeNext(all) || (!hasMore && all.filter(({ rows }) => rows > 0).length > 2 && isFullPageCount(all))
  );
}

/**
 * Returns whether the number equals the rows of a full page although further pages exist. A shorter page can have a link
 * to an empty one.
 */
function endsBeforeNext(all: readonly Sample[]): boolean {
  const most = Math.max(...all.map(({ rows }) => rows));
  return all.some(
    ({ total, rows, hasNext }) => hasNext === true && rows > 0 && rows === most && total === rows,
  );
}

/** Returns whether the number is the same on several full pages for different queries. */
function isFullPageCount(all: readonly Sample[]): boolean {
  const most = Math.max(...all.map(({ rows }) => rows));
  const full = all.filter(({ rows, total }) => rows === most && total === most);
  return most >= 5 && new Set(full.map(({ query }) => query)).size > 1;
}

/** Returns whether the number is the row count on one of a query's pages, yet is the same on an empty page for it. */
function isSteady(all: readonly Sample[]): boolean {
  return all.some(
    ({ total, rows, query }) =>
      total > 0 &&
      rows === 0 &&
      all.some((other) => other.query === query && other.total === total && other.rows === total),
  );
}

/**
 * Judges the numbers in the statistics as the registry count. `listed` is the total for an empty query, or null if it is
 * unknown. A number that equals `listed` is the registry count. Statistics can be a list with one element.
 */
export function findRegistryTotal(stats: Json, listed: number | null): Finding<Pointer | null> {
  const inLists = listsIn(stats).flatMap(({ pointer, list }) =>
    list.length === 1
      ? leavesOf(list[0] as Json).map((leaf) => ({ ...leaf, pointer: `${pointer}/0${leaf.pointer}` }))
      : [],
  );
  const all = [...leavesOf(stats), ...inLists].flatMap(({ pointer, value }) => {
    const count = wholeNumberOf(value);
    return count === null ? [] : [{ pointer, count, score: registryScore(pointer) }];
  });
  const counts = all.filter(({ score }) => score > 0);
  const equal = listed === null ? undefined : counts.find(({ count }) => count === listed);
  if (equal !== undefined)
    return sure(equal.pointer, `${equal.pointer} is ${equal.count}, and so is the total of an empty query`);
  const [best, second] = counts.sort((a, b) => b.score - a.score || b.count - a.count);
  if (best === undefined) return likely(null, 'no key in the statistics suggests a number of companies');
  const because = `${best.pointer} is ${best.count}`;
  const isPlain = second === undefined || (best.score - second.score >= 3 && best.count >= second.count);
  if (isPlain && best.score >= 4) return sure(best.pointer, because);
  return likely(
    best.pointer,
    second === undefined ? because : `${because}, but ${second.pointer} is ${second.count}`,
  );
}

function registryScore(pointer: Pointer): number {
  const keys = segmentsOf(pointer).map(wordsOfKey);
  const words = keys.flat();
  const isOfCompanies = words.some((word) => COMPANY_WORDS.has(word));
  const isPartial = words.some((word) => NOT_COMPANY_WORDS.has(word));
  const isTotal = keys.at(-1)?.some((word) => TOTAL_WORDS.has(word)) ?? false;
  return (isOfCompanies ? 5 : 0) + (isTotal ? 3 : 0) - (isPartial ? 6 : 0) - keys.length / 4;
}
