import { type Exchange, type Param, type SearchDraft, wasSent } from '../evidence.ts';
import { ignoresUnknownParams, isTooShort } from '../refusals.ts';
import { LONG_SEED_QUERIES, QUERY_PARAMS } from '../word_lists.ts';

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
  return searches.reduce((possible, search) => {
    const sent = new Set(search.request.params.map(([name]) => name));
    if (search.reading === 'ok') return possible.filter((name) => sent.has(name));
    return lacksQuery(search) ? possible.filter((name) => !sent.has(name)) : possible;
  }, QUERY_PARAMS);
}

/** Returns whether a search was refused although none of its values can be too short for a query. */
function lacksQuery(search: Exchange): boolean {
  return (
    search.reading === 'refused' &&
    !isTooShort(search) &&
    search.request.params.every(([, value]) => LONG_SEED_QUERIES.includes(value))
  );
}

/** Drafts a search with the likeliest third of the possible parameters. */
export function probeRequiredParam(searches: readonly Exchange[]): SearchDraft | null {
  const possible = possibleRequiredParams(searches);
  if (possible.length < 2) return null;
  const params = possible
    .slice(0, Math.ceil(possible.length / 3))
    .map((name, index): Param => [name, LONG_SEED_QUERIES[index] ?? 'limited']);
  return wasSent(searches, params) ? null : { params, why: 'does the API need one of these parameters?' };
}
