import { segmentsOf } from '../../json/pointer.ts';
import type { Conclusions, QueryEvidence, SearchConclusions } from '../conclusions.ts';
import { errorHintsOf } from '../errors/error_hints.ts';
import { paramOf, type SearchDraft, wasSent } from '../evidence.ts';
import { roleOfParam } from '../param_roles.ts';
import { IDENTIFIER_PARAMS } from '../word_lists.ts';

/**
 * Finds the identifier parameter in an API that refuses unknown parameters but names only the first mistake in a
 * request. The probe sends likely identifier parameters in a search without a query. If the API reports that the query
 * is missing, it has none of these parameters. If it complains about another parameter, it has one of them.
 */

/**
 * Returns parameters of which one takes identifiers, [] if no likely parameter does, or null if no search without a
 * query has been sent.
 */
export function possibleIdentifierParams(
  { searches }: Pick<QueryEvidence, 'searches'>,
  queryParam: string,
): string[] | null {
  let possible: string[] | null = null;
  for (const search of searches) {
    const names = search.request.params.map(([name]) => name);
    const isForIdentifiers = names.length > 0 && names.every((name) => roleOfParam(name) === 'identifier');
    if (search.reading !== 'refused' || paramOf(search, queryParam) !== null || !isForIdentifiers) continue;
    const { required, unknown } = errorHintsOf([search]);
    const isNone = required.includes(queryParam);
    const remaining: string[] = possible ?? names;
    possible = remaining.filter((name) => !unknown.includes(name) && names.includes(name) !== isNone);
  }
  return possible;
}

/** Drafts a search without a query but with all likely identifier parameters, or with half of the possible ones. */
export function probeIdentifierParam(
  conclusions: Conclusions,
  { idPath, identifiers, known }: SearchConclusions,
): SearchDraft | null {
  const { query, queryParam } = conclusions;
  const id = known[0]?.id;
  const isInformative = query.reportsMissingFirst && !query.stated.isListed;
  if (!isInformative || identifiers.matches.certainty === 'sure' || id === undefined) return null;
  const key = segmentsOf(idPath).at(-1) ?? '';
  const likely = roleOfParam(key) === 'identifier' ? [key, ...IDENTIFIER_PARAMS] : IDENTIFIER_PARAMS;
  const remaining = possibleIdentifierParams(query, queryParam.value ?? '');
  const possible = remaining ?? [...new Set(likely)];
  const names =
    remaining === null ? possible : possible.slice(0, Math.min(MAX_HALF, Math.ceil(possible.length / 2)));
  const params = names.filter((name) => name !== queryParam.value).map((name) => [name, id] as const);
  if (possible.length < 2 || wasSent(query.searches, params)) return null;
  return { params, why: 'which parameter takes an identifier? (without a query)' };
}

/** The first parameters are the most likely ones. */
const MAX_HALF = 4;
