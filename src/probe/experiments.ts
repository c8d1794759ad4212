import { textAt } from '../dialect/body_values.ts';
import { UnwritableUrl } from '../dialect/url_template.ts';
import { loosely } from '../names/loose_matching.ts';
import { type Addresses, untriedSearch } from './addresses.ts';
import type { Beliefs, ProbeInput, SearchBeliefs } from './beliefs.ts';
import { newBroadQuery } from './broad.ts';
import { type Finding, type ProbeExchange, type ProbeRequest, paramsKey, wasSent } from './exchange.ts';
import {
  type Experiment,
  type Field,
  queryParams,
  type SearchExperiment,
  SMALL_REGISTRY,
  WEIGHTS,
} from './experiment.ts';
import { lengthOf } from './lengths.ts';
import { isTruncated, refusesEmptyQuery } from './pages.ts';
import { pagingExperiments } from './paging_experiments.ts';
import { withConstants } from './params.ts';
import { urlOfProbe } from './probe_call.ts';
import { PLAIN, queryIn, WORD_STARTS, withQuery } from './query.ts';
import { rowExperiments } from './query_experiments.ts';
import { entityPath, isRecordLink, recordTemplates } from './record_path.ts';
import { isInList } from './rows.ts';
import { separatingQuery } from './rule.ts';
import { maxPageSize, sizeExperiments } from './size_experiments.ts';

/** Returns the request with the highest value, or null if no request is worth its call. */
export function bestRequest(input: ProbeInput, beliefs: Beliefs): ProbeRequest | null {
  const openness = opennessOf(beliefs);
  const sent = new Set(
    input.exchanges.filter(({ reading }) => reading !== 'rejected').map(({ request }) => keyOf(request)),
  );
  const { origin } = new URL(input.upstream.base_url);
  let best: { value: number; request: ProbeRequest } | null = null;
  for (const { request, separates, isRepeat } of experimentsFor(input, beliefs)) {
    if ((sent.has(keyOf(request)) && !isRepeat) || urlOfProbe(origin, request) instanceof UnwritableUrl)
      continue;
    let value = 0;
    for (const [field, separation] of Object.entries(separates) as [Field, number][])
      value += WEIGHTS[field] * openness[field] * separation;
    if (value > (best?.value ?? 0)) best = { value, request };
  }
  const { hint } = beliefs.evidence;
  const answeredAt = hint === null ? 0 : input.exchanges.findIndex((one) => queryIn(one, hint) !== null);
  const calls = input.exchanges.length - Math.max(0, answeredAt);
  const mayRefuse = beliefs.params.mayBeStrict || refusesEmptyQuery(beliefs.evidence.searches);
  return best !== null && best.value >= minValue(calls, mayRefuse) ? best.request : null;
}

/**
 * The value that a request needs. Each call so far, or since the user named the parameter, makes the next one less
 * urgent. An API that refuses searches answers fewer questions with each response, so its probe may take longer.
 */
const minValue = (calls: number, mayRefuse: boolean): number => Math.max(5, (mayRefuse ? 1.2 : 1.7) * calls);

function keyOf({ kind, path, params }: ProbeRequest): string {
  return `${kind} ${path} ${paramsKey(params)}`;
}

/** Returns how open each field is, between 0 (sure) and 1. */
function opennessOf({
  addresses,
  query,
  search,
  fullListing,
  nextAddress,
  registrySize,
  onlyLists,
  params,
  evidence,
}: Beliefs): Record<Field, number> {
  const of = ({ certainty }: { readonly certainty: string }, ifLikely = 0) =>
    certainty === 'open' ? 1 : certainty === 'likely' ? ifLikely : 0;
  // If no usual name has an effect, the API can have a rare one.
  const ofName = (finding: Finding) => of(finding, finding.value === null ? 0.7 : 0);
  const truncated = search?.pages.map((page) => isTruncated(page, search.pages)) ?? [];
  const isTruncatedSeen = truncated.includes('yes');
  const isSmall = (registrySize ?? Number.POSITIVE_INFINITY) <= SMALL_REGISTRY;
  const largestPage = search?.size.maxSize.value.rows ?? 1;
  const isShort = isSmall && (registrySize ?? 0) <= FEW_PAGES * (search?.size.byDefault ?? 1);
  const isOnePage = registrySize !== null && largestPage >= registrySize && !isTruncatedSeen;
  const paging = search === null ? 1 : search.paging.moves.length > 1 ? 0.7 : ofName(search.paging);
  const isPagingDue = isTruncatedSeen || !isSmall || !params.mayBeStrict;
  return {
    address: addresses.value === null ? 1 : 0,
    query: of(query, search === null ? 0.8 : 0.2),
    rows:
      search === null
        ? 1
        : search.pages.some(({ rows, query: own }) => rows.length > 0 && (own !== null || onlyLists))
          ? 0
          : 0.5,
    record: search === null ? 0 : of(search.record, isInList(search.record.value?.name ?? '') ? 0.5 : 0.15),
    paging: isOnePage ? 0.1 : isPagingDue ? paging : paging * 0.4,
    rule: search === null ? 0 : of(search.rule),
    // A listing of all companies can end at a limit that no response shows.
    form: search?.rule.value === 'token' ? (fullListing.value ? 0.7 : 1) : 0,
    listing: of(fullListing),
    breadth:
      isTruncatedSeen || search?.paging.certainty === 'sure' ? 0 : truncated.includes('maybe') ? 0.3 : 1,
    absence: search === null || findsNothing(evidence.searches, search) ? 0 : 1,
    statistics: nextAddress === null ? 0 : 1,
    size: search === null ? 1 : ofName(search.size.param) * (isShort ? 0.6 : 1),
    maxSize: search === null ? 1 : of(search.size.maxSize) * (isShort ? 0.3 : 1),
    minLength: search === null ? 0 : of(search.minLength),
  };
}

/** Larger pages save few calls if all companies are on so few pages of the default size. */
const FEW_PAGES = 10;

/** Returns whether a search found nothing, so that the response to such a search is known. */
function findsNothing(searches: readonly ProbeExchange[], { pages }: SearchBeliefs): boolean {
  return searches.some(({ reading }) => reading === 'absent') || pages.some(({ rows }) => rows.length === 0);
}

function experimentsFor(input: ProbeInput, beliefs: Beliefs): Experiment[] {
  const { addresses, joins, nextAddress, constants, search } = beliefs;
  // If every search fails without a reason, only the user knows more.
  const { searches: sent, hint } = beliefs.evidence;
  const isHopeless =
    hint === null && sent.length >= MAX_BROKEN && sent.every(({ reading }) => reading === 'broken');
  const address = isHopeless ? null : (addresses.value ?? untriedSearch(joins, input.exchanges));
  const asSearch = ({ params, ...rest }: SearchExperiment): Experiment[] =>
    address === null
      ? []
      : [
          {
            ...rest,
            request: {
              kind: 'search',
              path: address.search,
              params: withConstants(params, constants),
              why: rest.why,
            },
          },
        ];
  const searches = [
    ...rowExperiments(input, beliefs),
    ...(search === null ? [] : searchExperiments(beliefs, search)),
  ];
  return [
    ...statisticsExperiments(nextAddress, addresses.value === null),
    ...searches.flatMap(asSearch),
    ...(search === null || address === null ? [] : recordExperiments(input, search, address)),
  ];
}

const MAX_BROKEN = 6;

function statisticsExperiments(next: Addresses | null, isAddressOpen: boolean): Experiment[] {
  if (next === null || next.stats === null) return [];
  const why = 'which paths does the API use, and how many companies are there?';
  return [
    {
      request: { kind: 'stats', path: next.stats, params: [], why },
      separates: { statistics: 1, ...(isAddressOpen ? { address: 0.7 } : {}) },
    },
  ];
}

/** Experiments for the fields that need rows. */
function searchExperiments(beliefs: Beliefs, search: SearchBeliefs): SearchExperiment[] {
  const { query, evidence } = beliefs;
  const experiments = [
    ...sizeExperiments(beliefs, search),
    ...pagingExperiments(beliefs, search),
    ...(query.value === null
      ? []
      : [
          {
            params: queryParams(beliefs, UNKNOWN_NAME),
            why: 'what does a search that finds nothing return?',
            separates: { absence: 1 },
          },
          ...breadthExperiments(beliefs, search),
          ...ruleExperiments(beliefs, search),
          ...formExperiments(beliefs, search),
        ]),
  ];
  return experiments.filter(({ params }) => !wasSent(evidence.searches, params));
}

/** No company has such a name. */
const UNKNOWN_NAME = 'zqxjwv';

function breadthExperiments(beliefs: Beliefs, search: SearchBeliefs): SearchExperiment[] {
  const why = 'which query has more than one page of matches?';
  const tries = beliefs.evidence.searches.filter(({ request }) => request.why === why).length;
  const text = newBroadQuery(beliefs, search);
  const isSmall = (beliefs.registrySize ?? Number.POSITIVE_INFINITY) <= SMALL_REGISTRY;
  if (text === null || tries >= (isSmall ? 2 : 4)) return [];
  const isRare = isSmall && text.length > 2 && search.rule.value !== 'token';
  return [
    {
      params: queryParams(beliefs, text),
      why,
      separates: { breadth: (isRare ? 0.2 : 0.8) * 0.7 ** tries, minLength: lengthOf(text) === 1 ? 0.6 : 0 },
    },
  ];
}

function ruleExperiments(beliefs: Beliefs, search: SearchBeliefs): SearchExperiment[] {
  const { rule, pages, size, known } = search;
  if (rule.value !== null || rule.possible.length < 2) return [];
  const why = 'how does a query find names?';
  const tries = pages.filter(({ exchange }) => exchange.request.why === why).length;
  if (tries >= 4) return [];
  const limits = {
    minLength: beliefs.minQueryChars,
    pageSize: size.maxSize.value.rows,
    registrySize: beliefs.registrySize ?? 100_000,
    sent: new Set(pages.flatMap(({ query }) => (query === null ? [] : [loosely(query)]))),
  };
  // An API may need only one of several words, but parts of single words can have too many matches.
  const part = tries === 0 ? separatingQuery(rule.possible, known, { ...limits, maySpanWords: false }) : null;
  const text = part ?? separatingQuery(rule.possible, known, { ...limits, maySpanWords: true });
  if (text === null) return [];
  return [
    {
      params: [...queryParams(beliefs, text), ...maxPageSize(search, beliefs)],
      why,
      separates: { rule: 0.85 * 0.85 ** tries },
    },
  ];
}

/** If a query finds only whole words, tries whether it finds the beginnings of words with `*`, as in Lucene. */
function formExperiments({ query }: Beliefs, { known, rule }: SearchBeliefs): SearchExperiment[] {
  if (query.value?.template !== PLAIN || rule.value !== 'token') return [];
  const words = known.flatMap(({ name }) => name.match(/(?<!\S)\p{L}{6,}(?!\S)/gu) ?? []);
  const [word] = words;
  if (word === undefined) return [];
  return [
    {
      params: [withQuery({ ...query.value, template: WORD_STARTS }, word.slice(0, -2))],
      why: 'does * find the beginnings of words?',
      separates: { form: 0.9 },
    },
  ];
}

function recordExperiments(
  { upstream, exchanges }: ProbeInput,
  search: SearchBeliefs,
  address: Addresses,
): Experiment[] {
  const template = `${new URL(upstream.base_url).origin}${address.entity}`;
  const tried = new Set(
    exchanges
      .filter(({ request, reading }) => request.kind === 'entity' && reading !== 'rejected')
      .map(({ request }) => request.path),
  );
  // A record of a row with a name shows where the name is.
  const named = search.listing.rows.filter((row) => (textAt(row, search.namePath) ?? '') !== '');
  // Another record of the same kind shows which text differs like a name.
  const isOpened = search.record.value !== null;
  const ids = isOpened ? [{ pointer: search.idPath }] : search.listing.ids.slice(0, 4);
  const rows = named.length > 0 ? named : search.listing.rows;
  const experiments: Experiment[] = [];
  for (const [round, position] of [2, 0, 5].entries())
    for (const [rank, { pointer }] of ids.entries()) {
      const values = rows.map((row) => textAt(row, pointer)).filter((text) => text !== null);
      const value = values[Math.min(position, values.length - 1)] ?? '';
      // If no value is the id, a link to the record ends with it.
      const isLink = isRecordLink(template, value);
      const forms = isOpened ? [template] : recordTemplates(template).slice(...(isLink ? [1, 2] : []));
      const paths = new Set(forms.map((one) => entityPath(one, value)));
      for (const [variant, path] of [...paths].entries())
        if (path !== null && tried.size < 5)
          experiments.push({
            request: { kind: 'entity', path, params: [], why: `can the value at ${pointer} open a record?` },
            separates: { record: (isLink ? 0.75 : 0.85 * 0.7 ** rank * 0.8 ** variant) * 0.6 ** round },
          });
    }
  return experiments;
}
