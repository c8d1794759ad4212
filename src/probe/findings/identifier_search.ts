import type { IdentifierMatch } from '../../dialect/dialect.ts';
import { segmentsOf } from '../../json/pointer.ts';
import { loosely } from '../../names/loose_matching.ts';
import { isSmallAndStrict } from '../broad_queries.ts';
import type { Conclusions, IdentifierFacts, IsWhole, SearchConclusions, SearchPage } from '../conclusions.ts';
import { errorHintsOf } from '../errors/error_hints.ts';
import {
  type Exchange,
  type Finding,
  likely,
  open,
  type Param,
  type SearchDraft,
  sure,
  wasSent,
} from '../evidence.ts';
import { roleOfParam } from '../param_roles.ts';
import { ignoresUnknownParams } from '../refusals.ts';
import { IDENTIFIER_PARAMS } from '../word_lists.ts';
import { possibleIdentifierParams } from './identifier_parameter.ts';
import { nextSizeParams } from './page_size.ts';

/** A search for an identifier or for a prefix of an identifier. */
interface Attempt {
  readonly page: SearchPage;
  readonly param: string;
  readonly identifier: string;
  readonly hasFound: boolean;
}

interface IdentifierEvidence {
  readonly pages: readonly SearchPage[];
  readonly refused: readonly Exchange[];
  /** The ids of known companies. */
  readonly ids: readonly string[];
  readonly queryParam: string;
  readonly isWhole: IsWhole;
  /** Whether the API refuses unknown parameters. */
  readonly isStrict: boolean;
}

/** Finds the parameter for searches by identifier, and the query rule of these searches. */
export function findIdentifiers(evidence: IdentifierEvidence): IdentifierFacts {
  const { pages, refused, ids, queryParam, isWhole, isStrict } = evidence;
  const attempts = pages.flatMap((page) => attemptsIn(page, ids, queryParam));
  const hit = attempts.find(({ hasFound }) => hasFound);
  const accepted = attempts.find(({ param }) => isStrict && param !== queryParam);
  if (hit === undefined && accepted !== undefined) {
    const because = `the API accepts ${accepted.param}; the prefix "${accepted.identifier}" finds nothing`;
    return { param: likely(accepted.param, because), matches: open('unknown', because) };
  }
  if (hit === undefined) {
    const complete = attempts.filter(({ identifier }) => ids.includes(identifier));
    return notFound(
      [...complete.map(({ param }) => param), ...refused.flatMap(identifierParamsIn)],
      queryParam,
    );
  }
  const because = `${hit.param}=${hit.identifier} finds the company`;
  const sameParam = attempts.filter(({ param }) => param === hit.param);
  return {
    param: sure(hit.param === queryParam ? null : hit.param, because),
    matches: ruleOf(sameParam, hit, ids, isWhole),
  };
}

function notFound(params: readonly string[], queryParam: string): IdentifierFacts {
  const tried = [...new Set(params)];
  if (tried.length === 0)
    return {
      param: open(null, 'no search for an identifier was sent'),
      matches: open('unknown', 'no search for an identifier was sent'),
    };
  const because = `a known identifier is not found by ${tried.slice(0, 4).join(', ')}${tried.length > 4 ? ' and others' : ''}`;
  return tried.length > 1 && tried.includes(queryParam)
    ? { param: likely(null, because), matches: likely('none', because) }
    : { param: open(null, because), matches: open('unknown', because) };
}

/** Returns the parameters in a refused search that had only identifier parameters. The API has none of them. */
function identifierParamsIn(refusal: Exchange): string[] {
  if (errorHintsOf([refusal]).refusesUnknown) return [];
  const names = refusal.request.params.map(([name]) => name).filter((name) => roleOfParam(name) !== 'size');
  const isForIdentifiers = names.length > 1 && names.every((name) => roleOfParam(name) === 'identifier');
  return isForIdentifiers ? names : [];
}

function ruleOf(
  attempts: readonly Attempt[],
  hit: Attempt,
  ids: readonly string[],
  isWhole: IsWhole,
): Finding<IdentifierMatch> {
  const prefixes = attempts.filter(({ identifier }) => !ids.includes(identifier));
  const yes = prefixes.find(({ hasFound }) => hasFound);
  if (yes !== undefined) return sure('prefix', `"${yes.identifier}" finds ${firstIdOf(yes)}`);
  const no = prefixes.find(({ page }) => isWhole(page));
  if (no !== undefined)
    return sure('exact', `"${hit.identifier}" finds the company, but the prefix "${no.identifier}" does not`);
  return open('unknown', `"${hit.identifier}" finds the company; no prefix was sent`);
}

function attemptsIn(page: SearchPage, ids: readonly string[], queryParam: string): Attempt[] {
  return page.exchange.request.params.flatMap(([param, identifier]) => {
    if (param !== queryParam && roleOfParam(param) !== 'identifier') return [];
    const isComplete = ids.includes(identifier);
    // A word without digits can be an id's prefix by chance, so it is not counted as an identifier.
    const isPrefix =
      /\d/.test(identifier) && identifier.length >= 2 && ids.some((id) => id.startsWith(identifier));
    if (!isComplete && !isPrefix) return [];
    return [{ page, param, identifier, hasFound: hasFound(page, identifier, isComplete) }];
  });
}

/** Returns whether the rows include the wanted company, and every row's id or name matches the identifier. */
function hasFound({ ids, names }: SearchPage, identifier: string, isComplete: boolean): boolean {
  const isInName = (index: number) => loosely(names[index] ?? '').includes(loosely(identifier));
  return (
    ids.some(
      (id, index) =>
        (isComplete ? id === identifier : id.startsWith(identifier) && id !== identifier) && !isInName(index),
    ) && ids.every((id, index) => id.startsWith(identifier) || isInName(index))
  );
}

function firstIdOf({ page, identifier }: Attempt): string {
  return page.ids.find((id) => id.startsWith(identifier)) ?? '';
}

/**
 * Drafts a search for a known identifier, in the query parameter or in parameters that may take identifiers. For a
 * small registry with an API that refuses unknown parameters, the draft has a prefix of an identifier instead, because
 * only prefixes save more calls than the probe costs.
 */
export function probeIdentifiers(conclusions: Conclusions, search: SearchConclusions): SearchDraft | null {
  const { query, queryParam } = conclusions;
  const { searches } = query;
  const { identifiers, known } = search;
  const ids = known.map(({ id }) => id);
  const [id] = ids;
  if (id === undefined || identifiers.matches.certainty === 'sure') return null;
  const param = queryParam.value ?? '';
  const ownParams = [
    ...statedIdentifierParams(query.stated.allowed, param),
    ...(possibleIdentifierParams(query, param) ?? []),
  ];
  if (identifiers.param.certainty === 'sure') return null;
  const drafts = isSmallAndStrict(conclusions)
    ? [prefixDraft(ownParams[0] ?? param, ids, search)]
    : identifierDrafts(param, ids, search, query.searches, ownParams);
  const isNew = ({ params }: SearchDraft) =>
    !wasSent(searches, params) && !searches.some((other) => isAsInformative(other, params, ids));
  return drafts.filter((draft) => draft !== null).find(isNew) ?? null;
}

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

function identifierDrafts(
  queryParam: string,
  ids: readonly string[],
  search: SearchConclusions,
  searches: readonly Exchange[],
  ownParams: readonly string[],
): SearchDraft[] {
  const byQuery: SearchDraft = {
    params: [[queryParam, ids[0] ?? ''], ...nextSizeParams(search)],
    why: 'does an identifier find its company?',
  };
  if (!ignoresUnknownParams(searches)) {
    const size = nextSizeParams(search);
    const named = ownParams.slice(0, 2).map((name) => ({
      ...byQuery,
      params: [[name, ids[0] ?? ''] as const, ...size],
    }));
    return [...named, byQuery];
  }
  const keyOfId = segmentsOf(search.idPath).at(-1) ?? '';
  const usual = roleOfParam(keyOfId) === 'identifier' ? [keyOfId, ...IDENTIFIER_PARAMS] : IDENTIFIER_PARAMS;
  const names = [...new Set(usual)].filter((name) => name !== queryParam).slice(0, ids.length);
  const together: SearchDraft = {
    params: names.map((name, index): Param => [name, ids[index] ?? '']),
    why: 'which parameter takes an identifier? (each has a different one)',
  };
  return [byQuery, together];
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
