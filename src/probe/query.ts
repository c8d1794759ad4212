import { textAt } from '../dialect/body_values.ts';
import type { Pointer, StatedDialect } from '../dialect/dialect.ts';
import { parameterChangesRows } from '../dialect/evidence/judgements.ts';
import { filled, valuesIn } from '../dialect/template.ts';
import { type JsonObject, stringifyJson } from '../json/json.ts';
import { loosely, mayFind } from '../names/loose_matching.ts';
import { textsIn } from './bodies.ts';
import {
  type Finding,
  likely,
  open,
  type Param,
  type ProbeExchange,
  paramOf,
  type QueryHypothesis,
  sameRows,
  sure,
} from './exchange.ts';
import { type Expression, isExpression } from './languages.ts';
import { isEmptyQuery } from './pages.ts';
import { isLimitFor, namesFor, ownNames, type ParamBeliefs } from './params.ts';
import { keysOf, type ResultList, rowsAt } from './rows.ts';
import { finds } from './rule.ts';
import { countsIn } from './total.ts';
import type { Trials } from './trials.ts';
import {
  inSpelling,
  LETTERS,
  LONG_SEEDS,
  PREFIXES,
  queriesInLanguage,
  roleOfParam,
  SEEDS,
  USUAL_WORDS,
  wordsOfKey,
} from './words.ts';

/** Hypotheses and evidence about the parameter that takes the query. */

export const PLAIN = '{query}';

/** Returns the query in a search, or null if the search has none. */
export function queryIn(search: ProbeExchange, { param, template }: QueryHypothesis): string | null {
  const value = paramOf(search, param);
  return value === null ? null : (valuesIn(template, value)?.query ?? null);
}

/** Returns the parameter with a query as its value. */
export function withQuery({ param, template }: QueryHypothesis, query: string): Param {
  return [param, filled(template, { query })];
}

/** Reads a hint such as `q` or `search=name:{query}`, the parameter or the parameter with the text around the query. */
export function hypothesisOf(hint: string): QueryHypothesis {
  const at = hint.indexOf('=');
  return at > 0 && hint.includes('{query')
    ? { param: hint.slice(0, at), template: hint.slice(at + 1) }
    : { param: hint, template: PLAIN };
}

/** Returns the query parameter that the user has set, null if the API has none, or undefined. */
export function givenQuery({ search }: StatedDialect): QueryHypothesis | null | undefined {
  const { query_param, query_template } = search ?? {};
  if (query_param == null) return query_param;
  return { ...hypothesisOf(query_param), ...(query_template !== undefined && { template: query_template }) };
}

export interface QueryEvidence {
  /** All searches without the constants, except those rejected because of a limit. */
  readonly searches: readonly ProbeExchange[];
  /** The code of the API's country, or an empty text. */
  readonly country: string;
  readonly listing: ResultList | null;
  readonly params: ParamBeliefs;
  /** The query parameter that the user named, or null. */
  readonly hint: QueryHypothesis | null;
  readonly trials: Trials;
  /** Expressions that may find names, likely ones first. */
  readonly expressions: readonly Expression[];
  /** Expressions that may find all companies. */
  readonly everything: readonly Param[];
}

/**
 * Judges the hypotheses about the query parameter.
 * For: the rows match this parameter's value and no other's; two requests that differ in nothing else have other rows.
 * Against: without the parameter, or with another value, the rows are the same; it was sent only in refused requests.
 */
export function findQuery(evidence: QueryEvidence): Finding<QueryHypothesis | null> {
  const { searches, params, hint, listing, trials, expressions } = evidence;
  const isHint = (one: QueryHypothesis) => one.param === hint?.param && one.template === hint.template;
  if (hint !== null && !searches.some((search) => queryIn(search, hint) !== null))
    return open(null, 'the parameter that you named was not tried yet');
  const good = searches.filter(({ reading }) => reading === 'ok');
  const matches = good.map((search) => matchIn(search, evidence));
  const ignored = trials.ineffective;
  // A parameter that ignores plain words can take an expression.
  const isPlain = ({ template }: QueryHypothesis) => template === PLAIN || WILDCARDS.includes(template);
  const isIgnored = (match: QueryHypothesis) =>
    ignored.has(match.param) && isPlain(match) && !(isHint(match) && match.template !== PLAIN);
  const shown = matches.filter(
    (match) => match !== null && !isIgnored(match) && !isWithoutEffect(match, good, listing),
  );
  const byParam = Map.groupBy(shown as QueryMatch[], ({ param, template }) => `${param}\n${template}`);
  const rank = (some: readonly QueryMatch[]) =>
    (some[0] !== undefined && isHint(some[0]) ? HINTED : 0) + weightOf(some);
  const hasRows = (search: ProbeExchange) => listing !== null && rowsAt(search, listing.results).length > 0;
  const [best] = [...byParam.values()].sort((a, b) => rank(b) - rank(a));
  if (best?.[0] !== undefined) {
    const { param, template } = best[0];
    const queries = [...new Set(best.map(({ query }) => query))];
    const rows = best.reduce((sum, match) => sum + match.rows, 0);
    const pair = queries.length > 1 || changesRows(param, good, listing);
    const because = `${rows} rows match ${param}=${queries
      .slice(0, 3)
      .map((query) => `"${query}"`)
      .join(', ')}`;
    // If a plain query finds whole words, one with a wildcard need not be a whole name.
    const findsWords = byParam.has(`${param}\n${PLAIN}`);
    const words = findsWords ? wordStartIn(good, param, listing) : null;
    if (words !== null)
      return sure(
        { param, template: WORD_STARTS },
        `${because}; "${words}*" also finds words that begin with "${words}"`,
      );
    const isShown = pair && (rows >= 5 || queries.some((query) => query.length >= 6));
    // A search that compares letter by letter finds names in capitals only for queries in capitals.
    const isInCapitals = queries.every((query) => query === query.toUpperCase() && /\p{Lu}/u.test(query));
    const failed = good.filter(
      (one) => /\p{Ll}/u.test(queryIn(one, { param, template }) ?? '') && !hasRows(one),
    );
    const inForm = isInCapitals && failed.length >= 2 ? inCapitals(template) : template;
    return isShown
      ? sure({ param, template: inForm }, `${because}; other values or none return other rows`)
      : likely({ param, template: inForm }, because);
  }
  const isAccepted = (name: string) =>
    good.some((search) => paramOf(search, name) !== null && !isExpression(paramOf(search, name) ?? ''));
  // If plain queries had no rows, and a query with a wildcard had some, the API otherwise finds only whole names.
  const plain = (param: string) => ({
    param,
    template:
      WILDCARDS.find((template) =>
        good.some((one) => hasRows(one) && queryIn(one, { param, template }) !== null),
      ) ?? PLAIN,
  });
  const isRead = ({ reading }: ProbeExchange) => reading === 'ok' || reading === 'absent';
  // An expression that the API accepts shows nothing about plain words.
  const isOther = (search: ProbeExchange) =>
    hint?.template === PLAIN &&
    expressions.some(
      (one) => one.param === hint.param && one.template !== PLAIN && queryIn(search, one) !== null,
    );
  if (
    hint !== null &&
    searches.some((one) => isRead(one) && queryIn(one, hint) !== null && !isOther(one)) &&
    !ignored.has(hint.param)
  )
    return likely(hint, 'you named it, and the API accepts it');
  const [only, ...suspects] = trials.group?.suspects ?? [];
  // A parameter that finds nothing for words of known names, not even with wildcards, is another filter.
  const findsNothing = (param: string) => {
    const sent = searches.filter((one) => paramOf(one, param) !== null);
    const areTried = [PLAIN, ...WILDCARDS].every((template) =>
      sent.some((one) => queryIn(one, { param, template }) !== null),
    );
    return listing !== null && areTried && !sent.some(hasRows);
  };
  if (
    only !== undefined &&
    suspects.length === 0 &&
    !ignored.has(only.param[0]) &&
    !findsNothing(only.param[0])
  )
    return likely(plain(only.param[0]), 'a search with it differs from one without it');
  const [required] = params.required;
  if (required !== undefined && isAccepted(required) && !ignored.has(required))
    return likely(plain(required), 'the API refuses searches without it, and accepts it');
  return open(null, good.length === 0 ? 'no search was successful yet' : 'no parameter had an effect yet');
}

/** The form of a query that finds the beginnings of words, if a plain query finds only whole words. */
export const WORD_STARTS = '{query:words}*';

/**
 * Returns a text that found names with `*` in which it only begins a word, if no plain query did so. Otherwise returns
 * null.
 */
function wordStartIn(
  good: readonly ProbeExchange[],
  param: string,
  listing: ResultList | null,
): string | null {
  const name = listing?.names[0]?.pointer ?? null;
  if (listing === null || name === null) return null;
  const isOnlyBegun = (text: string, row: JsonObject) => {
    const [query, loose] = [loosely(text), loosely(nameAt(row, name))];
    return finds('token_prefix', query, loose) === true && finds('token', query, loose) === false;
  };
  const startsFoundBy = (template: string) =>
    good.flatMap((search) => {
      const text = queryIn(search, { param, template }) ?? '';
      const rows = text === '' ? [] : rowsAt(search, listing.results);
      return rows.some((row) => isOnlyBegun(text, row)) ? [text] : [];
    });
  const isPlainEnough = startsFoundBy(PLAIN).some((text) => /^\p{L}+$/u.test(text));
  return isPlainEnough ? null : (startsFoundBy(WORD_STARTS)[0] ?? null);
}

interface QueryMatch extends QueryHypothesis {
  readonly query: string;
  readonly rows: number;
}

/** More than any evidence for another parameter. */
const HINTED = 1e6;

const weightOf = (matches: readonly QueryMatch[]): number =>
  new Set(matches.map(({ query }) => query)).size * 100 + matches.reduce((sum, { rows }) => sum + rows, 0);

/** Returns the only sent value that all rows match, or null if there is none, or several. */
function matchIn(search: ProbeExchange, evidence: QueryEvidence): QueryMatch | null {
  const [only, ...others] = fittingIn(search, evidence);
  return only === undefined || others.length > 0 ? null : only;
}

/** Returns the sent values that all rows match. */
function fittingIn(search: ProbeExchange, evidence: QueryEvidence): QueryMatch[] {
  const { listing } = evidence;
  const rows = listing === null ? [] : rowsAt(search, listing.results);
  if (listing === null || rows.length === 0) return [];
  const name = listing.names[0]?.pointer ?? null;
  const fitting = hypothesesIn(search, evidence).filter(({ query }) => {
    // Rows that differ each time match a short query by chance.
    if (query.trim() === '' || (!evidence.trials.isStable && [...query].length < 4)) return false;
    const inNames = rows.filter((row) => mayFind(query, nameAt(row, name))).length / rows.length;
    if (inNames >= MATCHING) return rows.length >= 3 || query.length >= 4 || isAlone(search);
    // A long word may be in another column, but an id that contains a short text by chance shows nothing.
    if ([...query].length < 4) return false;
    return rows.filter((row) => mayFind(query, textsIn(row).join(' '))).length / rows.length >= MATCHING;
  });
  return fitting.map((one) => ({ ...one, rows: rows.length }));
}

const MATCHING = 0.8;

function nameAt(row: Parameters<typeof textAt>[0], name: Pointer | null): string {
  return name === null ? '' : (textAt(row, name) ?? '');
}

/** Returns whether a request has one text only. */
function isAlone({ request }: ProbeExchange): boolean {
  return (
    request.params.filter(([name]) => roleOfParam(name) === 'query' || roleOfParam(name) === null).length ===
    1
  );
}

/** Returns the sent values that may be queries. */
function hypothesesIn(
  search: ProbeExchange,
  { params, hint, expressions }: QueryEvidence,
): (QueryHypothesis & { readonly query: string })[] {
  const hinted = hint === null ? [] : [hint];
  // Without a template, the user has named only the parameter: it can take an expression.
  const templates = hint?.template === PLAIN ? [...expressions, ...hinted] : [...hinted, ...expressions];
  return search.request.params.flatMap(([param, value]) => {
    const role = roleOfParam(param);
    const isCandidate = role === 'query' || role === null || params.required.includes(param);
    const template = templates.find((one) => one.param === param && queryIn(search, one) !== null);
    if (template !== undefined) return [{ ...template, query: queryIn(search, template) ?? '' }];
    const wildcard = WILDCARDS.find((one) => queryIn(search, { param, template: one }) !== null);
    if (isCandidate && wildcard !== undefined)
      return [{ param, template: wildcard, query: queryIn(search, { param, template: wildcard }) ?? '' }];
    return isCandidate && !/^\d+$/.test(value) && !isExpression(value)
      ? [{ param, template: PLAIN, query: value }]
      : [];
  });
}

/** Texts around the query, for APIs that otherwise find only whole names. */
export const WILDCARDS: readonly string[] = ['{query}*', '%{query}%'];

/** Returns the form of a query for names in capitals, if the search compares letter by letter. */
function inCapitals(template: string): string {
  return template.replace(/\{query(?!:upper)/, '{query:upper');
}

export const CAPITALS = inCapitals(PLAIN);

/**
 * Returns whether all queries returned the same rows as a search without the parameter. All names can contain the same
 * few letters, so rows that match the queries do not show that the parameter has an effect.
 */
function isWithoutEffect(
  one: QueryHypothesis,
  good: readonly ProbeExchange[],
  listing: ResultList | null,
): boolean {
  const rowsOf = (search: ProbeExchange) => (listing === null ? [] : rowsAt(search, listing.results));
  const [first, ...rest] = good.filter((search) => queryIn(search, one) !== null);
  if (first === undefined || rowsOf(first).length < FEW_ROWS) return false;
  const without = good.filter((search) => paramOf(search, one.param) === null);
  const isSame = (search: ProbeExchange) =>
    rowsOf(search).length === rowsOf(first).length &&
    sameRows(rowsOf(first), rowsOf(search)) &&
    countsIn(search) === countsIn(first);
  return rest.every(isSame) && without.some(isSame);
}

/** Different queries can find the same few companies by chance. */
const FEW_ROWS = 5;

function differingParams(a: ProbeExchange, b: ProbeExchange): string[] {
  const names = new Set([...a.request.params, ...b.request.params].map(([name]) => name));
  return [...names].filter((name) => paramOf(a, name) !== paramOf(b, name));
}

/** Returns whether requests that differ in nothing but this parameter returned different rows. */
function changesRows(param: string, good: readonly ProbeExchange[], listing: ResultList | null): boolean {
  const rowsOf = (search: ProbeExchange) =>
    rowsAt(search, listing?.results ?? '').map((row) => stringifyJson(row));
  return good.some((search) => {
    const alike = good.filter((other) => {
      const [differing, ...others] = differingParams(search, other);
      return differing === param && others.length === 0;
    });
    return parameterChangesRows([search, ...alike].map(rowsOf)).holds === true;
  });
}

/** Returns the min query length that errors about a search with this parameter state, or 1. */
export function minLengthByErrors(
  { params, expressions }: Pick<QueryEvidence, 'params' | 'expressions'>,
  query: QueryHypothesis | null,
): number {
  let length = 1;
  for (const [search, { numbers, named, text }] of params.errors) {
    const possible = query === null ? expressions : [query];
    const queries = possible.map((one) => [one.param, queryIn(search, one)] as const);
    // An error about a missing query can state the length that it must have.
    const missing = isEmptyQuery(search) && CHARACTERS.test(text) ? [['', '']] : [];
    const sent = [...(query === null ? search.request.params : []), ...queries, ...missing];
    for (const [name = '', value = null] of sent) {
      if (value === null || roleOfParam(name) === 'size' || isNumeric(value)) continue;
      if (named.size > 0 && !named.has(name) && name !== '') continue;
      const limits = numbers.filter((number) => isLimitFor(number, value));
      if (limits.length > 0 && limits.length === new Set(limits).size) length = Math.max(length, ...limits);
    }
  }
  return length;
}

/** Words for characters in messages. */
const CHARACTERS =
  /charact|caract|caratter|zeichen|letter|lettre|letra|tegn|tecken|merkk|znak|karakter|символ|знак|字符|文字|글자/iu;

const isNumeric = (text: string): boolean => /^\d+$/.test(text);

/** Returns queries that probably have matches, most likely first: words of known names, then frequent ones. */
export function likelyQueries(
  evidence: QueryEvidence,
  examples: readonly string[],
  minLength: number,
): string[] {
  const { listing, searches } = evidence;
  const isLongEnough = (query: string) => [...query].length >= minLength;
  const isOfStarts = searches.some(({ request: { path, params } }) =>
    [path, ...params.map(([name]) => name)].some((text) => OF_STARTS.test(text)),
  );
  const native = knownWords(listing).length < 3 ? nativeQueries(evidence) : [];
  const latin = SEEDS.flatMap((seed, index) => [
    seed,
    ...(index < 3 ? [LONG_SEEDS[index] ?? ''] : []),
    LETTERS[index] ?? '',
    PREFIXES[index] ?? '',
  ]);
  return [
    ...examples,
    ...knownWords(listing),
    ...(isOfStarts ? [...LETTERS.slice(0, 3), ...PREFIXES] : []),
    ...latin.filter(isLongEnough).slice(0, 1),
    ...native,
    ...latin.filter(isLongEnough).slice(1, 3),
    ...(native.length > 0 ? [] : USUAL_WORDS),
    ...latin,
    ...LONG_SEEDS,
  ].filter((query, index, all) => query !== '' && isLongEnough(query) && all.indexOf(query) === index);
}

/** Names of parameters that take the beginning of a name. */
const OF_STARTS = /(start|begin)s?_?with|prefix/i;

/** Returns queries in the language of the API, or [] if it seems to be English. */
export function nativeQueries({
  searches,
  country,
}: Pick<QueryEvidence, 'searches' | 'country'>): readonly string[] {
  const [first] = searches;
  const texts = searches.map(({ request, text }) => {
    // An error can repeat names of parameters, which are in all languages.
    const sent = new Set(request.params.flat().flatMap(wordsOfKey));
    return wordsOfKey(text.slice(0, 2000))
      .filter((word) => !sent.has(word))
      .join(' ');
  });
  return queriesInLanguage([first?.request.path ?? '', ...texts], country);
}

/** Scripts without spaces between words have words of two letters. */
const FIRST_WORD =
  /^(?:\p{L}{3,}|[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}]{2,})(?=\P{L}|$)/u;

/**
 * Returns first words of known names: rare ones first, and those with diacritics last. Under every query rule, such a
 * word finds its name.
 */
export function knownWords(listing: ResultList | null): string[] {
  const pointer = listing?.names[0]?.pointer;
  if (listing === null || pointer === undefined) return [];
  const words = listing.rows.flatMap((row) => FIRST_WORD.exec(textAt(row, pointer) ?? '')?.[0] ?? []);
  const counts = new Map<string, number>();
  for (const word of words) counts.set(loosely(word), (counts.get(loosely(word)) ?? 0) + 1);
  const count = (word: string) => counts.get(loosely(word)) ?? 0;
  const hasMarks = (word: string) => Number(/\p{M}/u.test(word.normalize('NFD')));
  return [...new Set(words)].sort((a, b) => hasMarks(a) - hasMarks(b) || count(a) - count(b));
}

/** Returns the parameters that may take the query, most likely first. Keys for the name in rows are candidates too. */
export function queryNames({ params, hint, listing, searches, trials }: QueryEvidence): string[] {
  const keys = (listing?.names ?? []).slice(0, 6).map((one) => keysOf(one.pointer));
  const [key, ...otherKeys] = keys.flatMap((own) => own.slice(-1));
  // If the API names its parameters, one with an unusual name may take the query.
  const unusual = params.isListed ? [...params.known].filter((name) => roleOfParam(name) === null) : [];
  const own = [hint?.param, ...params.required, ...ownNames('query', params), ...unusual];
  const usual = namesFor('query', params);
  // A parameter is often another form of a key in the rows, such as `nazwa` for `/nazwy/pelna`.
  const stems = new Set(keys.flat().map(stemOf));
  const ofRows =
    key === undefined || params.isListed ? [] : [key, ...usual.filter((name) => stems.has(stemOf(name)))];
  const names = [
    ...own,
    ...usual.slice(0, 3),
    ...ofRows,
    ...(params.isListed ? [] : namesOfKind(searches[0]?.request.path ?? '', params)),
    ...usual.slice(3, 12),
    ...(ofRows.length > 0 ? otherKeys : []),
    ...usual.slice(12),
  ].filter((name) => name != null);
  return [...new Set(names)].filter(
    (name) =>
      name === hint?.param ||
      !(params.refused.has(name) || params.numeric.has(name) || trials.ineffective.has(name)),
  );
}

function stemOf(name: string): string {
  return name.toLowerCase().slice(0, 4);
}

/**
 * Returns names for what a search lists, by the words of its path and its constant parameters: `registrant_name` and
 * `registrant` for `/v1/registrants/`, `artist` for `?method=artist.search`.
 */
function namesOfKind(path: string, { spelling, taken }: ParamBeliefs): string[] {
  const texts = [...path.split('/').slice(-3), ...taken.values()];
  const kinds = texts
    .flatMap(wordsOfKey)
    .filter((word) => /^\p{L}{4,}$/u.test(word) && !OF_ANY_KIND.has(word) && roleOfParam(word) !== 'filter')
    .map((word) => word.replace(/ies$/, 'y').replace(/s$/, ''));
  return inSpelling(
    [...new Set(kinds)].flatMap((kind) => [`${kind}_name`, kind]),
    spelling,
  );
}

/** Words in paths that say nothing about what a search lists. */
const OF_ANY_KIND: ReadonlySet<string> = new Set(['find', 'json', 'list', 'lookup', 'query', 'search']);

const MAX_NAMES = 80;

/** Gives each name its own query, as far as there are queries. */
export function distinctQueries(names: readonly string[], queries: readonly string[]): Param[] {
  return names.slice(0, MAX_NAMES).map((name, index): Param => [name, queries[index % queries.length] ?? '']);
}
