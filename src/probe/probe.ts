import { isSmallAndStrict, probeBreadth } from './broad_queries.ts';
import { withCompanions } from './companions.ts';
import { conclude } from './conclude.ts';
import type { Addresses, Conclusions, ProbeInput, SearchConclusions } from './conclusions.ts';
import type { ProbeRequest, SearchDraft } from './evidence.ts';
import { probeAddress, untriedSearch } from './findings/addresses.ts';
import { probeEmptyQuery } from './findings/empty_query.ts';
import { probeEmptyResult } from './findings/empty_result.ts';
import {
  probeIdentifierParams,
  probeIdentifierPrefix,
  probeIdentifiers,
} from './findings/identifier_drafts.ts';
import { probeIdentifierParam } from './findings/identifier_parameter.ts';
import { probeHugePage, probeMaxPageSize } from './findings/max_page_size.ts';
import { probeMinQueryLength, probeRefusedLength } from './findings/min_query_length.ts';
import { probeNamedSize, probeNecessarySize, probeSizeParam } from './findings/page_size.ts';
import { probePaging, probeParamNames, probeRarePaging } from './findings/paging.ts';
import { probeRows } from './findings/query_parameter_drafts.ts';
import { probeQueryRule } from './findings/query_rule.ts';
import { probeRecord } from './findings/record_paths.ts';
import { probeUnknownId } from './findings/unknown_id.ts';
import { completedBy } from './openapi/completed.ts';
import { refusesUnknownParams } from './refusals.ts';

export type { Conclusions, Hints, ProbeInput, SearchConclusions } from './conclusions.ts';

/** The conclusions so far and the next request. `request` is null if no further request is justified. */
export interface ProbeStep {
  readonly conclusions: Conclusions;
  readonly request: ProbeRequest | null;
}

/**
 * Learns an unknown API by drawing conclusions from the responses so far and choosing the most informative next
 * request. The function is pure. Its only state is the list of exchanges, so an interrupted probe can resume.
 *
 * Each file in `findings/` implements one finding: `find…` draws the conclusion, and `probe…` drafts the next request
 * for it.
 */
export function probe(input: ProbeInput): ProbeStep {
  const { specification } = input.hints;
  const found = conclude(input);
  const conclusions = specification == null ? found : completedBy(found, specification);
  return { conclusions, request: nextRequest(input, conclusions) };
}

function nextRequest(input: ProbeInput, conclusions: Conclusions): ProbeRequest | null {
  const { exchanges } = input;
  const { addresses, search, companions } = conclusions;
  const statistics = probeAddress(conclusions);
  const address = addresses.value ?? untriedSearch(input);
  if (statistics !== null && isStatisticsDue(conclusions, address)) return statistics;
  if (address === null) return null;
  const asSearch = (draft: SearchDraft | null): ProbeRequest | null =>
    draft === null
      ? null
      : { kind: 'search', path: address.search, ...draft, params: withCompanions(draft.params, companions) };
  const rows = asSearch(probeRows(conclusions));
  if (rows !== null || search === null) return rows;
  return (
    asSearch(probeGuessedPaging(conclusions, search)) ??
    statistics ??
    probeRecord(input, conclusions, search) ??
    asSearch(nextSearch(input, conclusions, search)) ??
    (exchanges.length < FEW_CALLS
      ? (asSearch(probeEmptyQuery(conclusions, search)) ?? probeUnknownId(input, conclusions, search))
      : null)
  );
}

/**
 * Returns whether the statistics come before the next search. A search shows more, so the statistics come first only if
 * no search has responded at any address. If parameter names must be guessed one by one, they come later, because names
 * may only be guessed with the first calls.
 */
function isStatisticsDue({ addresses, query }: Conclusions, address: Addresses | null): boolean {
  return address === null || (addresses.value !== null && !query.mayBeStrict);
}

/** Drafts searches that guess the paging parameter of an API that refuses unknown parameters. */
function probeGuessedPaging(conclusions: Conclusions, search: SearchConclusions): SearchDraft | null {
  const { query } = conclusions;
  if (!query.mayGuess || query.stated.isListed || !refusesUnknownParams(query.searches)) return null;
  for (const draftOf of [probeQueryRule, probeBreadth, probeRarePaging]) {
    const draft = draftOf(conclusions, search);
    if (draft !== null) return draft;
  }
  return null;
}

/** After this many calls, no more requests are sent for optional findings. */
const FEW_CALLS = 10;

/** Drafts the next search. The probes are tried in order of expected yield. */
function nextSearch(
  { hints, exchanges }: ProbeInput,
  conclusions: Conclusions,
  search: SearchConclusions,
): SearchDraft | null {
  const isStrict = refusesUnknownParams(conclusions.query.searches);
  const strictOrder =
    exchanges.length >= FEW_CALLS ? NECESSARY : exchanges.length >= ENOUGH_CALLS ? VALUABLE : SMALL_ORDER;
  const order = isSmallAndStrict(conclusions) ? strictOrder : isStrict ? STRICT_ORDER : LENIENT_ORDER;
  // A sync with the wrong query rule misses more than one with the wrong paging.
  const probes = exchanges.length < MANY_CALLS ? order : [probeQueryRule, ...order];
  const stated = hints.specification;
  const isStated = (draftOf: Draft) =>
    draftOf === probePaging || draftOf === probeRarePaging
      ? stated?.paging.value != null
      : IDENTIFIER_PROBES.has(draftOf) && stated?.identifierParam.value != null;
  const isFew = exchanges.length < FEW_CALLS;
  for (const draftOf of probes) {
    if (isStated(draftOf)) continue;
    const draft = draftOf(conclusions, search);
    if (draft !== null && (isFew || !isLearnedBySync(draftOf, draft, conclusions))) return draft;
  }
  return null;
}

/**
 * Returns whether a sync learns the same from its first search for an identifier prefix, which also finds companies. A
 * sync needs to know the parameter.
 */
function isLearnedBySync(draftOf: Draft, { params }: SearchDraft, { queryParam }: Conclusions): boolean {
  return (
    draftOf === probeIdentifierPrefix || (draftOf === probeIdentifiers && params[0]?.[0] === queryParam.value)
  );
}

type Draft = (conclusions: Conclusions, search: SearchConclusions) => SearchDraft | null;

const IDENTIFIER_PROBES: ReadonlySet<Draft> = new Set([
  probeIdentifiers,
  probeIdentifierParams,
  probeIdentifierPrefix,
]);

const ENOUGH_CALLS = 9;
const MANY_CALLS = 12;

/**
 * Without these findings, a sync would miss pages or matches, send many queries that are too short, or mistake an empty
 * result for an error.
 */
const NECESSARY = [
  probeQueryRule,
  probeBreadth,
  probeIdentifierParam,
  probeIdentifiers,
  probeRefusedLength,
  probePaging,
  probeNecessarySize,
  probeEmptyResult,
];

/** If the API names its page size parameter, larger pages make a sync shorter. */
const VALUABLE = [...NECESSARY, probeNamedSize];

const LAST = [probeMaxPageSize, probeEmptyResult];

/** The order for a small registry with an API that refuses unknown parameters. */
const SMALL_ORDER = [
  probeQueryRule,
  probeBreadth,
  probeParamNames,
  probeIdentifierParam,
  probePaging,
  probeIdentifiers,
  probeMinQueryLength,
  probeSizeParam,
  ...LAST,
];

/** The order if the upstream refuses unknown parameters. Each size parameter then needs its own call. */
const STRICT_ORDER = [
  probeBreadth,
  probeQueryRule,
  probePaging,
  probeMinQueryLength,
  probeIdentifierParam,
  probeSizeParam,
  probeEmptyQuery,
  probeIdentifiers,
  probeIdentifierPrefix,
  probeRarePaging,
  ...LAST,
];

const LENIENT_ORDER = [
  probeSizeParam,
  probeHugePage,
  probeBreadth,
  probePaging,
  probeQueryRule,
  probeMinQueryLength,
  probeIdentifierParams,
  probeEmptyQuery,
  probeIdentifiers,
  probeIdentifierPrefix,
  ...LAST,
];
