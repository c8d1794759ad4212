import { loosely } from '../names/loose_matching.ts';
import type { Beliefs, ProbeInput } from './beliefs.ts';
import { type ProbeExchange, paramOf, type QueryHypothesis } from './exchange.ts';
import type { SearchExperiment } from './experiment.ts';
import { isExpression } from './languages.ts';
import { refusesEmptyQuery } from './pages.ts';
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
  withQuery,
} from './query.ts';
import { smallSizes } from './size_experiments.ts';
import { likelyHalf } from './trials.ts';
import { LONG_SEEDS, SEEDS } from './words.ts';

/** Searches that find rows and the query parameter. */

/** Searches that find rows and the query parameter. */
export function rowExperiments(
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
  if (beliefs.onlyLists) return [bare];
  if (query.value !== null) {
    const { param, template } = query.value;
    const hasRows = search?.pages.some(({ rows, query: own }) => rows.length > 0 && own !== null) ?? false;
    const tries = searches.filter((one) => one.request.params.some(([name]) => name === param)).length;
    if (hasRows || tries > MAX_QUERIES + hints.examples.length) return [bare];
    const wildcards = template === PLAIN && tries >= 2 ? [...WILDCARDS, CAPITALS] : [];
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
      ...wildcards.map((one, index) => single(param, one, known[0] ?? start, 0.83 - 0.03 * index)),
    ];
  }
  // A parameter that refused a plain word and accepted an expression takes no plain words.
  const isOfExpressions = (name: string) =>
    searches.some((one) => one.reading === 'ok' && isExpression(paramOf(one, name) ?? '')) &&
    searches.some(
      (one) =>
        one.reading === 'refused' &&
        one.request.params.length === 1 &&
        !isExpression(paramOf(one, name) ?? '{}'),
    );
  const names = queryNames(evidence).filter((name) => !isOfExpressions(name));
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
  // A parameter in a group with an effect is no guess.
  const inGroup = exchanges.length < maxCalls ? groupExperiments(evidence, knownWords(listing)) : [];
  if (!mayGuess) return [bare, ...given, ...inGroup, ...inLanguages];
  // A guess must not fail because its query is too short.
  const guess = queries.find((text) => text.length >= 4) ?? 'limited';
  const likelihood = params.required.length > 0 ? 0.08 : listing === null ? 0.25 : 0.3;
  const guesses = names.map((name, index) => single(name, PLAIN, guess, likelihood * 0.95 ** index));
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
  { evidence: { expressions: possible, everything, listing, searches, trials }, params }: Beliefs,
  queries: readonly string[],
): SearchExperiment[] {
  const expressions = possible.filter(
    ({ param, template }) => template !== PLAIN || !trials.ineffective.has(param),
  );
  const all = (listing === null ? everything : []).map(
    ([name, value]): SearchExperiment => ({
      params: [[name, value]],
      why: `does ${name}=${value} find all companies?`,
      separates: { rows: 0.95, query: 0.9 },
    }),
  );
  const sentWith = (one: QueryHypothesis) => searches.filter((search) => queryIn(search, one) !== null);
  // A refusal of many expressions is about one of them, and shows nothing about the others.
  const isFair = ({ reading, request }: ProbeExchange) =>
    reading !== 'refused' || request.params.length === 1;
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
  // If errors name all unknown parameters of a request, the API has the others.
  if (params.isStrict && !params.namesAll) return [];
  const known = knownWords(evidence.listing);
  const native = nativeQueries(evidence).filter((text) => text.length >= minQueryChars);
  const sharedSeparation = !params.isLenient ? 0.2 : native.length > 0 ? 0.6 : 0.42;
  const isBareRefused = refusesEmptyQuery(evidence.searches);
  const sigils = names.filter((name) => name.startsWith('$'));
  const all = params.hasSigil && sigils.length > 3 ? sigils : names;
  // If the API ignores unknown names, one that it refused alone takes no plain words, and spoils the group.
  const grouped = params.isLenient ? all.filter((name) => !params.refusedAlone.has(name)) : all;
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
    params: [],
    isRepeat: true,
    why: 'does the same search return the same rows again?',
    separates: { query: 1 },
  };
  const [bare, ...repeats] = searches.filter(({ request }) => request.params.length === 0);
  if (bare?.reading === 'ok' && repeats.length === 0 && !group.isShown) return [again];
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

/** If rows are known, at most this share of the calls is spent on guessed names. */
const GUESSED_SHARE = 2 / 3;
const MAX_QUERIES = 14;

/** If an API seems to have more names for a query, most of them are guesses that it ignores. */
const FEW_OWN = 6;

/** The longer it must be, the fewer names begin with it. */
const NAME_START = 'marine';
