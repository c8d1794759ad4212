import type { Pointer, ResponseRule } from '../../dialect/dialect.ts';
import { valueAt } from '../../json/pointer.ts';
import type { Conclusions, SearchConclusions } from '../conclusions.ts';
import { type Exchange, type Param, type SearchDraft, wasSent } from '../evidence.ts';
import { isEmptyQuery } from './empty_query.ts';

/**
 * Returns whether the upstream omits the list in responses without matches. This matters only if the responses have no
 * total that could be 0.
 */
export function isAbsentWhenEmpty({ pages, listing, total }: SearchConclusions): boolean {
  return total.value === null && pages.some(({ exchange }) => !hasList(exchange, listing.results));
}

function hasList({ json }: Exchange, results: Pointer): boolean {
  return Array.isArray(valueAt(json, results));
}

/** Returns the rule that reads a 404 as a search without matches, or [] if no search returned a 404 with JSON. */
export function notFoundRules(searches: readonly Exchange[]): ResponseRule[] {
  const isEmptyResult = (search: Exchange) =>
    search.reading === 'absent' && search.json !== undefined && !isEmptyQuery(search);
  return searches.some(isEmptyResult) ? [{ kind: 'search', status: 404, means: 'absent' }] : [];
}

/**
 * Drafts a query without matches if the responses have no total. The response shows whether the list is then empty or
 * missing.
 */
export function probeEmptyResult(
  { query, queryParam, minQueryChars }: Conclusions,
  { pages, total, listing }: SearchConclusions,
): SearchDraft | null {
  if (total.value !== null || listing.results === '' || pages.some(({ rows }) => rows.length === 0))
    return null;
  const params: Param[] = [[queryParam.value ?? '', 'zqxjvwkq'.slice(0, Math.max(8, minQueryChars))]];
  return wasSent(query.searches, params)
    ? null
    : { params, why: 'what does a response without matches look like?' };
}
