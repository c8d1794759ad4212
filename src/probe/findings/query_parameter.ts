import { byLikelihood } from '../companions.ts';
import type { QueryEvidence } from '../conclusions.ts';
import { errorHintsOf } from '../errors/error_hints.ts';
import { type Exchange, type Finding, likely, open, sure } from '../evidence.ts';
import { isTooBroad, isTooShort, refusesUnknownParams } from '../refusals.ts';
import { QUERY_PARAMS } from '../word_lists.ts';
import { matchOf, NO_ROWS, type OneMatch, type ParamMatch } from './query_match.ts';
import { possibleRequiredParams } from './required_parameter.ts';

/**
 * Finds the parameter that takes the query. The evidence is a search with rows that match this parameter's value and no
 * other parameter's.
 */
export function findQueryParam(evidence: QueryEvidence): Finding<string | null> {
  const { searches, listing, hint } = evidence;
  const named = namesIn(evidence);
  const candidates = new Set(hint === null ? [...named, ...QUERY_PARAMS] : [hint]);
  const matches = searches.map(
    (search): ParamMatch => (search.reading === 'ok' ? matchOf(search, listing, candidates) : NO_ROWS),
  );
  const excluded = excludedBy(searches, matches, candidates);
  const shown = matches.filter((match) => match.is === 'one' && !excluded.has(match.param)) as OneMatch[];
  const [param] = mostFrequent(shown.map((match) => match.param));
  if (param !== undefined) {
    const queries = new Set(shown.filter((match) => match.param === param).map(({ query }) => query));
    const isStrong =
      queries.size > 1 || shown.some(({ rows, query }) => rows >= 5 || (rows > 0 && query.length >= 6));
    const because = `the results match its value: ${[...queries].slice(0, 3).map(quoted).join(', ')}`;
    return isStrong ? sure(param, because) : likely(param, because);
  }
  if (hint !== null) return likely(hint, 'you named it');
  const [required, ...others] = possibleRequiredParams(searches);
  if (required !== undefined && others.length === 0)
    return likely(required, 'the API refuses searches without it');
  const accepted = acceptedAlone(searches, candidates);
  if (accepted !== null) return likely(accepted, 'the API accepts it and refuses other parameters');
  const next = named.find((name) => !excluded.has(name));
  if (next !== undefined) return likely(next, 'an error message names it');
  return open(null, 'no parameter had an effect yet');
}

/**
 * Returns the parameters that do not take the query: they were sent alone without effect, or were refused because
 * another parameter is missing, or for no stated reason although the query was long.
 */
function excludedBy(
  searches: readonly Exchange[],
  matches: readonly ParamMatch[],
  candidates: ReadonlySet<string>,
): Set<string> {
  const excluded = searches.flatMap((search, index) => {
    const sent = search.request.params.map(([name]) => name).filter((name) => candidates.has(name));
    const [only] = sent;
    if (only === undefined || sent.length > 1) return [];
    const { required, unknown, minQueryLength } = errorHintsOf([search]);
    const isStillMissing = required.includes(only) && minQueryLength === null;
    const needsAnother =
      byLikelihood(required).some((name) => name !== only) || isStillMissing || unknown.includes(only);
    const isUnexplained = required.length === 0 && isRefusedDespiteLength(search);
    return needsAnother || isUnexplained || matches[index]?.is === 'none' ? [only] : [];
  });
  return new Set(excluded);
}

/** Returns whether a search with a long query and no other parameter was refused, although the query was not too broad. */
function isRefusedDespiteLength(search: Exchange): boolean {
  const [query, ...others] = search.request.params;
  const isLong = others.length === 0 && (query?.[1].length ?? 0) >= LONG_QUERY;
  return search.reading === 'refused' && isLong && !isTooShort(search) && !isTooBroad(search);
}

const LONG_QUERY = 5;

function acceptedAlone(searches: readonly Exchange[], candidates: ReadonlySet<string>): string | null {
  if (!refusesUnknownParams(searches)) return null;
  const accepted = searches.find(
    ({ request, reading }) =>
      request.params.length === 1 && candidates.has(request.params[0]?.[0] ?? '') && reading === 'ok',
  );
  return accepted?.request.params[0]?.[0] ?? null;
}

/** Returns the parameters named in error messages that may take the query, most likely first. */
function namesIn({ stated: { required, allowed } }: QueryEvidence): string[] {
  return [...new Set([...byLikelihood(required), ...byLikelihood(allowed)])];
}

function mostFrequent(items: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).map(([item]) => item);
}

function quoted(text: string): string {
  return `"${text}"`;
}
