import { segmentsOf } from '../../json/pointer.ts';
import { isSmallAndStrict } from '../broad_queries.ts';
import type { Conclusions, SearchConclusions } from '../conclusions.ts';
import { type Exchange, type Param, type SearchDraft, wasSent } from '../evidence.ts';
import { roleOfParam } from '../param_roles.ts';
import { ignoresUnknownParams } from '../refusals.ts';
import { IDENTIFIER_PARAMS } from '../word_lists.ts';
import { possibleIdentifierParams } from './identifier_parameter.ts';
import { nextSizeParams } from './page_size.ts';

/** Drafts searches for known identifiers. `identifier_search.ts` draws the conclusions. */

/**
 * Drafts a search for a known identifier in the query parameter, or in parameters that error messages name. For a small
 * registry with an API that refuses unknown parameters, the draft has a prefix of an identifier instead, because only
 * prefixes save more calls than the probe costs.
 */
export function probeIdentifiers(conclusions: Conclusions, search: SearchConclusions): SearchDraft | null {
  const { query, queryParam } = conclusions;
  const { searches } = query;
  const ids = search.known.map(({ id }) => id);
  const [id] = ids;
  if (id === undefined || search.identifiers.param.certainty === 'sure') return null;
  const param = queryParam.value ?? '';
  const named = statedIdentifierParams(query.stated.allowed, param);
  const remaining = ignoresUnknownParams(searches) ? [] : (possibleIdentifierParams(query, param) ?? []);
  const ownParams = [...named, ...(remaining.length <= FEW_PARAMS ? remaining : [])];
  const draftOf = (name: string): SearchDraft => ({
    params: [[name, id], ...nextSizeParams(search)],
    why: 'does an identifier find its company?',
  });
  const drafts = isSmallAndStrict(conclusions)
    ? [prefixDraft(ownParams[0] ?? param, ids, search)]
    : [...ownParams, param].map(draftOf);
  const isNew = ({ params }: SearchDraft) =>
    !wasSent(searches, params) && !searches.some((other) => isAsInformative(other, params, ids));
  return drafts.filter((draft) => draft !== null).find(isNew) ?? null;
}

/**
 * Drafts a search with a known identifier in each likely parameter, if the upstream ignores unknown parameters. If fewer
 * identifiers than parameters are known, several parameters get the same one. If that one is found, the next draft has
 * half of these parameters.
 */
export function probeIdentifierParams(
  { query: { searches }, queryParam }: Conclusions,
  { known, idPath, identifiers }: SearchConclusions,
): SearchDraft | null {
  const ids = known.map(({ id }) => id);
  if (ids.length === 0 || identifiers.param.certainty === 'sure' || !ignoresUnknownParams(searches))
    return null;
  const keyOfId = segmentsOf(idPath).at(-1) ?? '';
  const usual = roleOfParam(keyOfId) === 'identifier' ? [keyOfId, ...IDENTIFIER_PARAMS] : IDENTIFIER_PARAMS;
  const names = [...new Set(usual)].filter((name) => name !== queryParam.value);
  const { possible } = identifiers;
  const some = possible.length > 0 ? possible.slice(0, Math.ceil(possible.length / 2)) : names;
  const params = some.map((name, index): Param => [name, ids[index % ids.length] ?? '']);
  const isFirst = possible.length === 0;
  const isSent =
    wasSent(searches, params) || (isFirst && searches.some((search) => isAsInformative(search, params, ids)));
  return isSent ? null : { params, why: 'which parameter takes an identifier? (each has a different one)' };
}

/** So few parameters are each tried in a search of their own. */
const FEW_PARAMS = 2;

/** Drafts a search for a prefix of a known identifier, in the parameter that takes identifiers. */
export function probeIdentifierPrefix(
  { query, queryParam }: Conclusions,
  search: SearchConclusions,
): SearchDraft | null {
  const { identifiers, known } = search;
  if (identifiers.matches.certainty === 'sure' || identifiers.param.certainty !== 'sure') return null;
  const ids = known.map(({ id }) => id);
  const draft = prefixDraft(identifiers.param.value ?? queryParam.value ?? '', ids, search);
  return draft === null || wasSent(query.searches, draft.params) ? null : draft;
}

/** Returns the parameters that may take identifiers and that error messages name. */
export function statedIdentifierParams(allowed: readonly string[], queryParam: string): string[] {
  return allowed.filter((name) => name !== queryParam && roleOfParam(name) === 'identifier');
}

function prefixDraft(param: string, ids: readonly string[], search: SearchConclusions): SearchDraft | null {
  const prefix = sharedPrefix(ids, 3);
  if (prefix === null) return null;
  const params: Param[] = [[param, prefix], ...nextSizeParams(search)];
  return { params, why: 'does a prefix find an identifier?' };
}

/**
 * Returns whether a successful search already sent known ids in the same parameters. A request with other ids or page
 * sizes would reveal nothing new.
 */
function isAsInformative(
  { request, reading }: Exchange,
  params: readonly Param[],
  ids: readonly string[],
): boolean {
  const sent = new Map(request.params);
  const withIds = params.filter(([name]) => roleOfParam(name) !== 'size');
  return (
    reading === 'ok' &&
    withIds.every(([name, value]) =>
      ids.includes(value) ? ids.includes(sent.get(name) ?? '') : sent.get(name) === value,
    )
  );
}

/**
 * Returns the longest prefix that several known ids share. If there is none, returns an id without its last two
 * characters, or null if that id is too short.
 */
function sharedPrefix(ids: readonly string[], minLength: number): string | null {
  const counts = new Map<string, number>();
  for (const id of ids)
    for (let length = Math.max(2, minLength); length < id.length; length++) {
      const prefix = id.slice(0, length);
      counts.set(prefix, (counts.get(prefix) ?? 0) + 1);
    }
  const known = new Set(ids);
  const shared = [...counts].filter(([prefix, count]) => count > 1 && !known.has(prefix));
  const [best] = shared.sort((a, b) => b[0].length - a[0].length);
  const [first] = ids;
  if (best !== undefined) return best[0];
  return first !== undefined && first.length > 4 ? first.slice(0, -2) : null;
}
