import { type Exchange, type Param, type SearchDraft, wasSent } from '../evidence.ts';
import { ignoresUnknownParams, isTooShort } from '../refusals.ts';
import { LONG_SEED_QUERIES, PREFIXES, QUERY_PARAMS } from '../word_lists.ts';

/**
 * Finds the query parameter in an API that ignores unknown parameters but refuses searches without a query. No row is
 * needed: the API accepts a search with some of the likely parameters only if one of them takes the query.
 */

/** Returns the likely parameters of which one takes the query, or [] if the API accepts searches without a query. */
export function possibleRequiredParams(searches: readonly Exchange[]): string[] {
  const isRequired = searches.some(
    ({ request, reading }) => request.params.length === 0 && reading === 'refused',
  );
  if (!isRequired || !ignoresUnknownParams(searches)) return [];
  const longEnough = lengthOfAccepted(searches);
  return searches.reduce((possible, search) => {
    const sent = new Set(search.request.params.map(([name]) => name));
    if (search.reading === 'ok') return possible.filter((name) => sent.has(name));
    return lacksQuery(search, longEnough) ? possible.filter((name) => !sent.has(name)) : possible;
  }, QUERY_PARAMS);
}

/** Returns a query length that the API accepts. */
function lengthOfAccepted(searches: readonly Exchange[]): number {
  const accepted = searches.filter(({ reading }) => reading === 'ok');
  const longest = accepted.map(({ request }) =>
    Math.max(
      0,
      ...request.params.filter(([name]) => QUERY_PARAMS.includes(name)).map(([, { length }]) => length),
    ),
  );
  return Math.min(...longest.filter((length) => length > 0), LONG);
}

/** Returns whether a search was refused although none of its values can be too short for a query. */
function lacksQuery(search: Exchange, longEnough: number): boolean {
  return (
    search.reading === 'refused' &&
    !isTooShort(search) &&
    search.request.params.length > 0 &&
    search.request.params.every(([, value]) => value.length >= longEnough)
  );
}

// The shortest of the frequent words has five letters.
const LONG = 5;

/**
 * Drafts a search with the likeliest third of the possible parameters. They all have the same query, and each search
 * has another one, so that some search has matches.
 */
export function probeRequiredParam(searches: readonly Exchange[]): SearchDraft | null {
  const possible = possibleRequiredParams(searches);
  if (possible.length < 2) return null;
  const queries = lengthOfAccepted(searches) <= 3 ? PREFIXES : LONG_SEED_QUERIES;
  const earlier = searches.filter(({ request }) => request.why === WHY).length;
  const query = queries[earlier % queries.length] ?? '';
  const params = possible.slice(0, Math.ceil(possible.length / 3)).map((name): Param => [name, query]);
  return wasSent(searches, params) ? null : { params, why: WHY };
}

const WHY = 'does the API need one of these parameters?';
