import { textAt } from '../dialect/body_values.ts';
import { UnwritableUrl } from '../dialect/url_template.ts';
import { segmentsOf } from '../json/pointer.ts';
import { loosely } from '../names/loose_matching.ts';
import { type Addresses, untriedSearch } from './addresses.ts';
import type { Beliefs, ProbeInput, SearchBeliefs } from './beliefs.ts';
import { broadest, broadQuery, newBroadQuery } from './broad.ts';
import {
  type Exchange,
  type Param,
  type ProbeRequest,
  paramsKey,
  type QueryHypothesis,
  wasSent,
} from './exchange.ts';
import { lengthOf } from './lengths.ts';
import {
  asksForCursors,
  FAR,
  FIRST_CURSOR,
  isTruncated,
  refusesEmptyQuery,
  type SearchPage,
  sizesSent,
} from './pages.ts';
import {
  candidatesOf,
  cursorsOf,
  cursorTrials,
  distinctShifts,
  groupSize,
  isPossibleCursor,
  pagesWithCursors,
  repeatedValues,
} from './paging.ts';
import { namesFor, ownNames, type ParamBeliefs, withConstants } from './params.ts';
import { urlOfProbe } from './probe_call.ts';
import {
  CAPITALS,
  distinctQueries,
  knownWords,
  likelyQueries,
  nativeQueries,
  PLAIN,
  type QueryEvidence,
  queryIn,
  queryNames,
  WILDCARDS,
  WORD_STARTS,
  withQuery,
} from './query.ts';
import { entityPath, isRecordLink, recordTemplates } from './record_path.ts';
import { isInList } from './rows.ts';
import { separatingQuery } from './rule.ts';
import { HUGE, USUAL } from './size.ts';
import { likelyHalf } from './trials.ts';
import { isPagingParam, LONG_SEEDS, roleOfParam, SEEDS, wordsOfKey } from './words.ts';

/**
 * Experiments: requests that separate the leading hypotheses of open fields. The value of a request is
 *
 *   Σ (weight of the field × how open it is × how well the response separates its hypotheses)
 *
 * The request with the highest value is sent, as long as its value is worth a call.
 */

/** The weight of each field: what a mirror loses if the field is unknown. */
const WEIGHTS = {
  address: 120,
  query: 100,
  rows: 100,
  record: 80,
  paging: 60,
  rule: 50,
  form: 45,
  listing: 40,
  breadth: 30,
  absence: 27,
  statistics: 25,
  size: 30,
  maxSize: 25,
  minLength: 20,
} as const;

type Field = keyof typeof WEIGHTS;

/** A possible request, and how well it separates the hypotheses of each field, between 0 and 1. */
interface Experiment {
  readonly request: ProbeRequest;
  /** Whether the request was sent before, and is sent again to compare the responses. */
  readonly isRepeat?: boolean;
  readonly separates: Partial<Record<Field, number>>;
}

/** The parameters of a search, without the constants. */
interface SearchExperiment {
  readonly params: readonly Param[];
  readonly isRepeat?: boolean;
  readonly why: string;
  readonly separates: Partial<Record<Field, number>>;
}

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
  params,
  evidence,
}: Beliefs): Record<Field, number> {
  const of = ({ certainty }: { readonly certainty: string }, ifLikely = 0) =>
    certainty === 'open' ? 1 : certainty === 'likely' ? ifLikely : 0;
  const isTruncatedSeen = search?.pages.some((page) => isTruncated(page, search.pages) === 'yes') ?? false;
  const isSmall = (registrySize ?? Number.POSITIVE_INFINITY) <= SMALL_REGISTRY;
  const largestPage = search?.size.maxSize.value.rows ?? 1;
  const isOnePage = registrySize !== null && largestPage >= registrySize && !isTruncatedSeen;
  const paging = search === null ? 1 : search.paging.moves.length > 1 ? 0.7 : of(search.paging);
  const isPagingDue = isTruncatedSeen || !isSmall || !params.mayBeStrict;
  return {
    address: addresses.value === null ? 1 : 0,
    query: of(query, search === null ? 0.8 : 0.2),
    rows:
      search === null
        ? 1
        : search.pages.some(({ rows, query: own }) => rows.length > 0 && own !== null)
          ? 0
          : 0.5,
    record: search === null ? 0 : of(search.record, isInList(search.record.value?.name ?? '') ? 0.5 : 0.15),
    paging: isOnePage ? 0.1 : isPagingDue ? paging : paging * 0.4,
    rule: search === null ? 0 : of(search.rule),
    // A listing of all companies can end at a limit that no response shows.
    form: search?.rule.value === 'token' ? (fullListing.value ? 0.7 : 1) : 0,
    listing: of(fullListing),
    breadth: isTruncatedSeen || search?.paging.certainty === 'sure' ? 0 : 1,
    absence: search === null || findsNothing(evidence.searches, search) ? 0 : 1,
    statistics: nextAddress === null ? 0 : 1,
    size: search === null ? 1 : of(search.size.param) * (isSmall ? 0.6 : 1),
    maxSize: search === null ? 1 : of(search.size.maxSize) * (isSmall ? 0.3 : 1),
    minLength: search === null ? 0 : of(search.minLength),
  };
}

/** Returns whether a search found nothing, so that the response to such a search is known. */
function findsNothing(searches: readonly Exchange[], { pages }: SearchBeliefs): boolean {
  return searches.some(({ reading }) => reading === 'absent') || pages.some(({ rows }) => rows.length === 0);
}

/** Mirroring a registry with at most this many companies costs only a few more calls than further experiments. */
const SMALL_REGISTRY = 500;

function experimentsFor(input: ProbeInput, beliefs: Beliefs): Experiment[] {
  const { addresses, joins, nextAddress, constants, search } = beliefs;
  const address = addresses.value ?? untriedSearch(joins, input.exchanges);
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

/** Searches that find rows and the query parameter. */
function rowExperiments(
  { hints, exchanges, maxCalls = 16 }: ProbeInput,
  beliefs: Beliefs,
): SearchExperiment[] {
  const { evidence, params, query, minQueryChars, search } = beliefs;
  const { searches, listing } = evidence;
  // A registry that can be listed needs the rest of the calls for its pages.
  const guessingCalls = listing === null ? maxCalls : Math.max(2, Math.floor(maxCalls * GUESSED_SHARE));
  const mayGuess = exchanges.length < guessingCalls;
  const queries = likelyQueries(evidence, hints.examples, minQueryChars);
  const isAddressOpen = beliefs.addresses.value === null ? { address: 0.8 } : {};
  const bare: SearchExperiment = {
    params: [],
    why: 'what does a search without parameters return?',
    separates: { rows: 0.7, query: 0.5, listing: 1, ...isAddressOpen },
  };
  if (query.value !== null) {
    const { param, template } = query.value;
    const hasRows = search?.pages.some(({ rows, query: own }) => rows.length > 0 && own !== null) ?? false;
    const tries = searches.filter((one) => one.request.params.some(([name]) => name === param)).length;
    if (hasRows || tries > MAX_QUERIES + hints.examples.length) return [bare];
    const wildcards = template === PLAIN && tries >= 2 ? [CAPITALS, ...WILDCARDS] : [];
    const known = knownWords(listing);
    const start = NAME_START.slice(0, Math.max(2, minQueryChars));
    return [
      bare,
      // If words of known names find nothing, other words hardly do.
      ...queries
        .slice(0, MAX_QUERIES + 4)
        .map((text, index) =>
          single(param, template, text, (index < 2 || known.length === 0 ? 0.9 : 0.4) * 0.97 ** index),
        ),
      ...wildcards.map((one, index) => single(param, one, known[0] ?? start, 0.8 * 0.98 ** index)),
    ];
  }
  const names = queryNames(evidence);
  // Names that the user, an error or the API itself gave come first, alone.
  const own = names.filter(
    (name) => name === evidence.hint?.param || params.required.includes(name) || params.known.has(name),
  );
  const given = own.flatMap((name, index) =>
    queries.slice(0, 3).map((text, tries) => {
      const isHinted = name === evidence.hint?.param;
      const template = isHinted ? (evidence.hint?.template ?? PLAIN) : PLAIN;
      const one = single(
        name,
        template,
        text,
        (isHinted ? 0.95 : params.required.includes(name) ? 0.9 : 0.6 * Math.min(1, FEW_OWN / own.length)) *
          0.9 ** index *
          0.6 ** tries,
      );
      const wasRefused = searches.some(
        ({ reading, request }) =>
          reading === 'refused' &&
          request.params.length > 3 &&
          request.params.some(([sent]) => sent === name),
      );
      const isFirst = tries === 0 && !params.mayBeStrict && !isHinted && !wasRefused;
      return isFirst
        ? {
            ...one,
            params: [...one.params, ...smallSizes(params)],
            separates: { ...one.separates, size: 0.5 },
            why: one.why,
          }
        : one;
    }),
  );
  const inLanguages = languageExperiments(beliefs, queries);
  if (!mayGuess) return [bare, ...given, ...inLanguages];
  // A guess must not fail because its query is too short.
  const guess = queries.find((text) => text.length >= 4) ?? 'limited';
  const guesses = names.map((name, index) =>
    single(name, PLAIN, guess, (listing === null ? 0.25 : 0.3) * 0.95 ** index),
  );
  return [bare, ...given, ...groups(beliefs, names, queries), ...inLanguages, ...guesses].map((one) => ({
    ...one,
    separates: { ...one.separates, ...isAddressOpen },
  }));
}

/**
 * Searches with expressions. A suggested one is sent alone, because the API may refuse others. If the API ignores unknown
 * parameters, one request has an expression for each, and each expression has its own query.
 */
function languageExperiments(
  { evidence: { expressions, everything, listing, searches }, params }: Beliefs,
  queries: readonly string[],
): SearchExperiment[] {
  const all = (listing === null ? everything : []).map(
    ([name, value]): SearchExperiment => ({
      params: [[name, value]],
      why: `does ${name}=${value} find all companies?`,
      separates: { rows: 0.95, query: 0.9 },
    }),
  );
  const sentWith = (one: QueryHypothesis) => searches.filter((search) => queryIn(search, one) !== null);
  // A refusal of many expressions is about one of them, and shows nothing about the others.
  const isFair = ({ reading, request }: Exchange) => reading !== 'refused' || request.params.length === 1;
  const triesOf = (one: QueryHypothesis) => sentWith(one).filter(isFair).length;
  const isSent = ({ param }: QueryHypothesis) => params.known.has(param) || params.required.includes(param);
  const alone = expressions.map((one, index): SearchExperiment => {
    const isSuspect = sentWith(one).length > 0;
    const likelihood = one.isSuggested ? 0.9 : isSent(one) ? 0.5 : isSuspect ? 0.3 : 0.05;
    // Without a known name, a right expression may find nothing for several queries.
    const tries = triesOf(one);
    const isWorthIt = tries < (listing === null ? 4 : 1);
    return single(
      one.param,
      one.template,
      queries[tries] ?? '',
      isWorthIt ? likelihood * 0.9 ** index * 0.8 ** tries : 0,
    );
  });
  const untried = expressions.filter((one) => sentWith(one).length === 0);
  const firstOfEach = [...new Map(untried.toReversed().map((one) => [one.param, one])).values()].reverse();
  const rounds = searches.filter(({ request }) => request.why === IN_LANGUAGES).length;
  const together: SearchExperiment = {
    params: firstOfEach.map((one, index) => withQuery(one, queries[index % queries.length] ?? '')),
    why: IN_LANGUAGES,
    separates: { query: 0.4 * 0.6 ** rounds },
  };
  return [...all, ...alone, ...(params.isLenient && firstOfEach.length > 1 ? [together] : [])];
}

const IN_LANGUAGES = 'which parameter takes an expression with the query?';

/** If rows are known, at most this share of the calls is spent on guessed names. */
const GUESSED_SHARE = 2 / 3;
const MAX_QUERIES = 12;

/** If an API seems to have more names for a query, most of them are guesses that it ignores. */
const FEW_OWN = 6;

/** The longer it must be, the fewer names begin with it. */
const NAME_START = 'marine';

function single(param: string, template: string, text: string, separation: number): SearchExperiment {
  return {
    params: [withQuery({ param, template }, text)],
    why: template === PLAIN ? `does ${param} take the query?` : `does ${param}=${template} find names?`,
    separates: { query: separation, rows: separation },
  };
}

/** Requests with all candidates for the query parameter, each with its own query. */
function groups(
  { params, evidence, minQueryChars }: Beliefs,
  names: readonly string[],
  queries: readonly string[],
): SearchExperiment[] {
  if (params.isStrict && !params.namesAll) return [];
  const known = knownWords(evidence.listing);
  if (params.isStrict) {
    const untested = names.filter((name) => !params.known.has(name));
    return params.isListed || untested.length < 4
      ? []
      : [
          {
            params: distinctQueries(untested, unique([...known, ...SEEDS])),
            why: 'which of these parameters take a query?',
            separates: { query: 0.6, rows: 0.4 },
          },
        ];
  }
  const native = nativeQueries(evidence).filter((text) => text.length >= minQueryChars);
  const sharedSeparation = !params.isLenient ? 0.2 : native.length > 0 ? 0.6 : 0.42;
  const isBareRefused = refusesEmptyQuery(evidence.searches);
  const sigils = names.filter((name) => name.startsWith('$'));
  const grouped = params.hasSigil && sigils.length > 3 ? sigils : names;
  if (grouped.length === 0) return [];
  const together = (values: readonly string[], how: string, separation: number): SearchExperiment => {
    const why = `which parameter takes the query? (${how})`;
    // The names that were not sent yet come first. If there are none, a repetition would have the same result.
    const isTried = evidence.searches.some(
      ({ request }) => request.why === why && request.params.some(([name]) => name === grouped[0]),
    );
    return {
      params: [...distinctQueries(grouped, values), ...smallSizes(params)],
      why,
      separates: params.isLenient && isTried ? {} : { query: separation, rows: separation, size: 0.5 },
    };
  };
  const scale = params.mayBeStrict || params.required.length > 0 ? 0.5 : 1;
  const splitting = groupExperiments(evidence, known);
  if (splitting.length > 0) return splitting;
  return [
    ...(minQueryChars <= 2
      ? [
          together(
            unique([...known, ...SEEDS]),
            'each has its own query',
            (known.length > 1 ? 0.85 : isBareRefused ? 0.5 : 0.7) * scale,
          ),
        ]
      : []),
    // If the API ignores unknown names, another word for all of them shows more than one name alone.
    ...unique([
      ...native,
      LONG_SEEDS[0] ?? '',
      ...(params.isLenient && evidence.listing === null ? queries : []),
    ]).map((text, index) => together([text], `each has "${text}"`, sharedSeparation * 0.95 ** index)),
  ];
}

/** Requests that find the effective parameter in a group: each has its own query, or half of them is sent. */
function groupExperiments(
  { searches, trials: { group } }: QueryEvidence,
  known: readonly string[],
): SearchExperiment[] {
  if (group === null || group.suspects.length < 2) return [];
  const again: SearchExperiment = {
    ...{ params: [], isRepeat: true, why: 'does the same search return the same rows again?' },
    separates: { query: 1 },
  };
  const bare = searches.filter(({ request, reading }) => request.params.length === 0 && reading === 'ok');
  if (bare.length === 1) return [again];
  const names = group.suspects.map(({ param }) => param[0]);
  const half = likelyHalf(group.suspects);
  const whyOf = (some: readonly string[]) => `does ${some.slice(0, 3).join(', or ')} take the query?`;
  return [
    ...(known.length >= names.length
      ? [
          {
            params: [...distinctQueries(names, known), ...group.others],
            why: whyOf(names),
            separates: { query: 0.95, rows: 0.3 },
          },
        ]
      : []),
    {
      params: [...half, ...group.others],
      why: whyOf(half.map(([name]) => name)),
      separates: { query: 0.8, rows: 0.5 },
    },
  ];
}

function unique(queries: readonly string[]): string[] {
  return [...new Map(queries.map((query) => [loosely(query), query])).values()];
}

/** Returns the size parameters, each with its own value, downwards from a value that is rarely the default. */
function smallSizes(params: ParamBeliefs): Param[] {
  const sizes = [19, 18, 17, 16, 14, 13, 11, 9, 8, 7, 6, 12, 15, 4, 21, 22, 23];
  return namesFor('size', params)
    .slice(0, sizes.length)
    .map((name, index): Param => [name, String(sizes[index])]);
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

/** Returns the query parameter with this query, or nothing for a search without a query. */
function queryParams({ query }: Beliefs, text: string | null): Param[] {
  if (text === null || query.value === null) return [];
  return [withQuery(query.value, text)];
}

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
  const text = separatingQuery(rule.possible, known, {
    minLength: beliefs.minQueryChars,
    pageSize: size.maxSize.value.rows,
    registrySize: beliefs.registrySize ?? 100_000,
    sent: new Set(pages.flatMap(({ query }) => (query === null ? [] : [loosely(query)]))),
  });
  if (text === null) return [];
  return [
    {
      params: [...queryParams(beliefs, text), ...largestSize(search, beliefs)],
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

/** Returns the size parameter with the largest proven size, or with the next size to try if none was refused yet. */
function largestSize({ size: { param, maxSize } }: SearchBeliefs, { evidence }: Beliefs): Param[] {
  const { rows, next } = maxSize.value;
  const name = param.value;
  if (name === null) return [];
  // A second refusal would show little about the size.
  const wasRefused = evidence.searches.some(
    ({ reading, request }) => reading === 'refused' && request.params.some(([sent]) => sent === name),
  );
  return [[name, String(next !== null && rows < USUAL && !wasRefused ? next : rows)]];
}

function sizeExperiments(beliefs: Beliefs, search: SearchBeliefs): SearchExperiment[] {
  const { params, evidence, fullListing } = beliefs;
  const { param, maxSize } = search.size;
  const base = broadest(search);
  if (base === null) return [];
  const broad = () => queryParams(beliefs, broadQuery(beliefs, search, base));
  const isBroad = isTruncated(base, search.pages) !== 'no' || (base.total ?? 0) > base.rows.length;
  if (param.value !== null) {
    const { next, rows } = maxSize.value;
    if (next === null || (rows >= USUAL && evidence.searches.length >= 7)) return [];
    const isHugeSent = search.pages.some(
      (page) => page.rows.length > 1 && sizesSent(page).some(({ value }) => value >= HUGE),
    );
    if (isHugeSent && evidence.searches.length >= 7) return [];
    // A search without a query has the most matches.
    const query =
      isHugeSent && (base.total ?? 0) > rows
        ? queryParams(beliefs, base.query)
        : fullListing.value
          ? []
          : broad();
    return [
      {
        params: [...query, [param.value, String(next)]],
        why: sizeWhy(next),
        separates: {
          maxSize: 0.9,
          listing: query.length === 0 ? 0.9 : 0,
          minLength: 0.2,
          breadth: 0.3,
          paging: base.ids.length < MANY_ROWS && !isHugeSent ? 0.25 : 0,
        },
      },
    ];
  }
  const names = namesFor('size', params);
  if (params.mayBeStrict) {
    const value = params.isStrict ? HUGE : search.size.byDefault === 3 ? 4 : 3;
    return names
      .filter((name) => !params.refusedAlone.has(name))
      .slice(0, 5)
      .map((name, index) => ({
        params: [...queryParams(beliefs, base.query), [name, String(value)]],
        why: `does ${name} set the page size?`,
        separates: {
          size:
            (params.known.has(name) || params.ofEnvelope.includes(name) ? 0.9 : 0.22 * 0.9 ** index) *
            (isBroad ? 1 : 0.5),
          maxSize: 0.2,
        },
      }));
  }
  const hadHuge = evidence.searches.some(({ request }) =>
    request.params.some(([name, value]) => roleOfParam(name) === 'size' && Number(value) >= HUGE),
  );
  if (!hadHuge) {
    const sizes = names.slice(0, 24).map((name, index): Param => [name, String(HUGE + index)]);
    return [
      {
        params: [...broad(), ...sizes],
        why: 'how many rows fit on a page?',
        separates: { size: 0.6, maxSize: 0.6, breadth: 0.6, minLength: 0.3 },
      },
    ];
  }
  const why = 'which parameter sets the page size?';
  const wasSmall = evidence.searches.some(({ request }) => request.why === why);
  const query = wasSmall ? queryParams(beliefs, base.query) : broad();
  return [
    {
      params: [...query, ...unseenSizes(names.slice(0, 24), search, 12)],
      why,
      separates: { size: (wasSmall ? 0.15 : 0.4) * (isBroad ? 1 : 0.5), breadth: 0.4 },
    },
  ];
}

/**
 * Reads, from the stored reason for a probe's call, the page size that the call requested. Returns null if the call was
 * not a size experiment.
 */
export function requestedSizeOf(why: string): string | null {
  const [size] = /\d+/.exec(why) ?? [];
  return size !== undefined && why === sizeWhy(Number(size)) ? size : null;
}

function sizeWhy(size: number): string {
  return `may a page hold ${size} rows?`;
}

/** Returns every size parameter with its own value, from `from` on, that is not the number of rows on a known page. */
function unseenSizes(names: readonly string[], { pages }: SearchBeliefs, from: number): Param[] {
  const seen = new Set(pages.map(({ rows }) => rows.length));
  const sizes = Array.from({ length: names.length + seen.size }, (_, index) => index + from).filter(
    (size) => !seen.has(size),
  );
  return names.map((name, index): Param => [name, String(sizes[index])]);
}

function pagingExperiments(beliefs: Beliefs, search: SearchBeliefs): SearchExperiment[] {
  const { params } = beliefs;
  const { paging, pages } = search;
  const base = broadest(search);
  if (base === null || paging.certainty === 'sure') return [];
  const query = queryParams(beliefs, base.query);
  // A parameter that moves the rows shows that there are more.
  const truncated = paging.moves.length > 0 ? 'yes' : isTruncated(base, pages);
  const scale = truncated === 'yes' ? 1 : truncated === 'maybe' ? 0.7 : 0.3;
  const experiments =
    paging.link?.is === 'cursor'
      ? cursorExperiments(beliefs, search, base)
      : paging.isOrderUnstable
        ? farMoves(beliefs, query, search)
        : paging.moves.length > 1
          ? separatingMoves(query, base, search, params.isLenient)
          : [
              ...firstMoves(beliefs, query, base, search),
              ...(params.isLenient && beliefs.query.value === null
                ? cursorExperiments(beliefs, search, base, true)
                : []),
            ];
  return experiments.map((one) => ({
    ...one,
    separates: { ...one.separates, paging: (one.separates.paging ?? 0) * scale },
  }));
}

function cursorExperiments(
  beliefs: Beliefs,
  { pages: all, paging }: SearchBeliefs,
  base: SearchPage,
  areIds = false,
): SearchExperiment[] {
  const { params } = beliefs;
  const pages = pagesWithCursors(all);
  const queries = [base.query, ...pages.map(({ query }) => query)];
  const [text = base.query] = queries.filter((one) => cursorsOf(one, pages, areIds).length > 0);
  // An API can write another cursor to the same rows into each response.
  const known = [...new Map(cursorsOf(text, pages, areIds).map((one) => [one.rows, one])).values()];
  const key = segmentsOf(paging.link?.at ?? '').at(-1) ?? '';
  const trials = cursorTrials(pages, areIds);
  const possible = [
    ...new Set([...cursorNames(key), ...ownNames('page', params), ...namesFor('cursor', params)]),
  ].filter(
    (name) =>
      isPossibleCursor(name, trials) &&
      !params.refusedAlone.has(name) &&
      !(params.namesAll && params.refused.has(name)) &&
      (!areIds || roleOfParam(name) === 'cursor'),
  );
  const [first] = known;
  const isOwn = possible.some((name) => params.known.has(name));
  const withCursors = (names: readonly string[], cursors: readonly string[]) =>
    names.map((name, index): Param => [name, cursors[index % cursors.length] ?? '']);
  const suspects = possible.map((name, rank) => ({ param: [name, ''] as const, weight: 1 / (rank + 2) }));
  const half = likelyHalf(suspects).map(([name]) => name);
  const isGroupEffective = trials.some(({ effective }) => effective.length > 0);
  const sent =
    first === undefined
      ? withCursors(possible.slice(0, 1), [FIRST_CURSOR])
      : !params.isLenient
        ? // An error that names all unknown parameters leaves those that the API has.
          withCursors(possible.slice(0, params.namesAll && !isOwn ? MAX_CURSOR_NAMES : 1), [first.value])
        : trials.length === 0 && !areIds
          ? withCursors(
              possible.slice(0, known.length),
              known.map(({ value }) => value),
            )
          : withCursors(isGroupEffective ? half : possible.slice(0, MAX_CURSOR_NAMES), [first.value]);
  if (sent.length === 0) return [];
  const named = sent.slice(0, 3).map(([name]) => name);
  const why = `does ${named.join(', or ')} take the ${areIds ? 'last id' : 'cursor'}?`;
  const tries = [...params.refusedAlone].filter((name) => roleOfParam(name) === 'cursor').length;
  // Page numbers and offsets are more usual than ids.
  const wereOthersTried = beliefs.evidence.searches.some(
    ({ request }) => request.params.filter(([name]) => isPagingParam(name)).length > 8,
  );
  const separation = (!areIds ? 0.6 : wereOthersTried ? 0.8 : 0.4) * 0.9 ** tries;
  return [{ params: [...queryParams(beliefs, text), ...sent], why, separates: { paging: separation } }];
}

const MAX_CURSOR_NAMES = 24;

/** Returns names for the parameter that takes the cursor at a key. For `next_page_token`, one of them is `pagetoken`. */
function cursorNames(key: string): string[] {
  const words = wordsOfKey(key);
  const parts = [words.slice(1), words.slice(0, -1)].filter((part) => isPagingParam(part.join('_')));
  const camelOf = (part: readonly string[]) =>
    part.map((word, at) => (at === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1))).join('');
  const spelled = parts.flatMap((part) => {
    const joins = [part.join('_'), camelOf(part), part.join('')];
    return key.includes('_') ? joins : [...joins.slice(1), ...joins.slice(0, 1)];
  });
  const names = [...spelled.filter((name) => !/next/i.test(name)), key, camelOf(words)];
  return [...new Set(names)].filter(isPagingParam);
}

/** Requests while no parameter is known to have an effect: all candidates together, then each alone. */
function firstMoves(
  beliefs: Beliefs,
  query: Param[],
  base: SearchPage,
  search: SearchBeliefs,
): SearchExperiment[] {
  const { params } = beliefs;
  const hadNoEffect = search.paging.positions.some(
    ({ shift, page }) => shift === 0 && page.exchange.request.params.length > 8,
  );
  if (hadNoEffect) return [];
  const pages = namesFor('page', params);
  const offsets = namesFor('offset', params);
  // If the API refused a name, names with the other role come first.
  const refusedAs = (style: 'page' | 'offset') =>
    [...params.refused].filter((name) => roleOfParam(name) === style).length;
  const ranked = (names: readonly string[], style: 'page' | 'offset') =>
    names.map((param, index) => ({ param, style, firsts: [0, 1], rank: index + refusedAs(style) }));
  const candidates = [...ranked(pages, 'page'), ...ranked(offsets, 'offset')].sort((a, b) => a.rank - b.rank);
  const small = smallSize(search);
  const isEchoed = (name: string) => params.ofEnvelope.includes(name) || params.known.has(name);
  const ordered = [
    ...candidates.filter(({ param }) => isEchoed(param)),
    ...candidates.filter(({ param }) => !isEchoed(param)),
  ];
  const alone = ordered
    .filter(({ param }) => !params.refusedAlone.has(param))
    .slice(0, params.mayBeStrict ? 6 : 3)
    .map(
      ({ param }, index): SearchExperiment => ({
        params: [...query, ...small, [param, '2']],
        why: `does ${param} request the next page?`,
        separates: {
          paging:
            (params.known.has(param) ? 0.8 : isEchoed(param) || /^page$/i.test(param) ? 0.5 : 0.25) *
            0.9 ** index,
        },
      }),
    );
  if (params.mayBeStrict) {
    const untested = [...pages, ...offsets, ...namesFor('cursor', params)].filter(
      (name) => !params.known.has(name),
    );
    const sweep: SearchExperiment[] =
      params.namesAll && !params.isListed && untested.length >= 8
        ? [
            {
              params: [...query, ...untested.map((name): Param => [name, '1'])],
              why: 'which of these parameters does the API have?',
              separates: { paging: 0.7, size: 0.1 },
            },
          ]
        : [];
    if (params.isStrict) return [...sweep, ...alone];
  }
  const sizes = small.length > 0 ? small : unseenSizes(namesFor('size', params).slice(0, 24), search, 2);
  // If no size parameter has an effect, every move leads beyond the known rows.
  const isFixed =
    small.length === 0 &&
    search.size.param.certainty === 'likely' &&
    base.ids.length === search.size.byDefault;
  const steps = isFixed ? [search.size.byDefault ?? 1] : sizes.map(([, value]) => Number(value));
  const values = distinctShifts(ordered, steps, rowsKnown(base));
  const together: SearchExperiment = {
    params: [...query, ...sizes, ...values],
    why: 'which parameter requests the next page? (each moves the rows by a different number)',
    separates: {
      paging: small.length > 0 ? (base.ids.length >= MANY_ROWS ? 0.8 : 0.6) : 0.48,
      size: small.length > 0 ? 0 : 0.4,
    },
  };
  const all = [together, ...alone];
  if (beliefs.evidence.searches.some((one) => one.reading === 'refused' && asksForCursors(one))) return all;
  // An API with cursors returns one, so that its listing does not end where its page numbers do.
  const cursors = namesFor('cursor', params)
    .filter((name) => /^(?!next).*cur(sor|seur)/i.test(name))
    .map((name): Param => [name, FIRST_CURSOR]);
  return all.map((one) => ({ ...one, params: [...one.params, ...cursors] }));
}

/**
 * Requests for pages beyond the end. If the rows have another order in each response, only a page without rows shows that
 * a parameter moves them.
 */
function farMoves({ params }: Beliefs, query: Param[], { paging }: SearchBeliefs): SearchExperiment[] {
  const moving = candidatesOf(paging.moves);
  const [only, ...others] = moving;
  const names = moving.map(({ param }) => param);
  const untried = [...namesFor('page', params), ...namesFor('offset', params)].filter(
    (name) => !paging.unmoving.has(name) && !params.refused.has(name),
  );
  const suspects = (names.length > 0 ? names : untried).map((name, rank) => ({
    param: [name, FAR] as const,
    weight: 1 / (rank + 2),
  }));
  const half = likelyHalf(suspects);
  const sent: Param[] =
    only !== undefined && others.length === 0
      ? [[only.param, '0']]
      : names.length > 0 || !params.isLenient
        ? half.slice(0, params.isLenient ? undefined : 1)
        : suspects.map(({ param }) => param);
  return sent.length === 0
    ? []
    : [
        {
          params: [...query, ...sent],
          why: `do ${sent
            .slice(0, 3)
            .map(([name]) => name)
            .join(', or ')} request a page?`,
          separates: { paging: 0.8 },
        },
      ];
}

/** Requests that separate several possible moves. */
function separatingMoves(
  query: Param[],
  base: SearchPage,
  search: SearchBeliefs,
  isLenient: boolean,
): SearchExperiment[] {
  const { moves, positions } = search.paging;
  const candidates = candidatesOf(moves);
  const size = smallSize(search);
  const step = size.length > 0 ? Number(size[0]?.[1]) : (search.size.byDefault ?? base.ids.length);
  const rows = rowsKnown(base);
  const experiment = (params: readonly Param[], index: number): SearchExperiment => ({
    params: [...query, ...params],
    why: `does ${candidates
      .slice(0, 3)
      .map(({ param }) => param)
      .join(', or ')} request the next page?`,
    separates: { paging: 0.7 * 0.95 ** index },
  });
  const alone = [
    ...candidates.map((one) => [...size, ...distinctShifts([one], [step], rows)]),
    // The value 1 requests the first page, or the second page if page numbers start at 0.
    ...candidates.map(({ param }) => [...size, [param, '1'] as const]),
  ];
  if (!isLenient) return alone.map(experiment);
  // A candidate that is left out moves nothing, so a page that starts elsewhere shows that it is one of the others.
  const values = distinctShifts(candidates, [step], rows, null);
  const together = values.length > 0 ? [[...size, ...values]] : [];
  const beyond = positions.filter(({ shift }) => shift === 'beyond');
  const far = beyond.find(({ page }) => page.ids.length > 0) ?? beyond[0];
  const repeated = far === undefined ? [] : [repeatedValues(candidates, far)];
  const some = [...size, ...distinctShifts(candidates.slice(0, groupSize(candidates)), [step], rows)];
  const grouped =
    step * 2 < base.ids.length ? [...together, ...repeated, some] : [...repeated, ...together, some];
  return [...grouped, ...alone].map(experiment);
}

/** With so many known rows, each of many candidates can move the first row by a different number. */
const MANY_ROWS = 60;

/** Returns the size parameter for a page of one row, or of two if the default is one. */
function smallSize({ size: { param, byDefault } }: SearchBeliefs): Param[] {
  return param.value === null ? [] : [[param.value, byDefault === 1 ? '2' : '1']];
}

function rowsKnown({ ids, total }: SearchPage) {
  return { count: ids.length, total: total ?? Number.POSITIVE_INFINITY };
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
  const { rows, ids } = search.listing;
  const experiments: Experiment[] = [];
  for (const [round, position] of [2, 0, 5].entries())
    for (const [rank, { pointer }] of ids.slice(0, 4).entries()) {
      const values = rows.map((row) => textAt(row, pointer)).filter((text) => text !== null);
      const value = values[Math.min(position, values.length - 1)] ?? '';
      // If no value is the id, a link to the record ends with it.
      const isLink = isRecordLink(template, value);
      const forms = recordTemplates(template).slice(...(isLink ? [1, 2] : []));
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
