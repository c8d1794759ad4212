import type { JsonObject } from '../json/json.ts';
import { mayFind } from '../names/loose_matching.ts';
import { type Exchange, type Finding, likely, open, type Param, sure, wordsIn } from './evidence.ts';
import { leavesOf } from './json_leaves.ts';
import { type ResultList, rowsAt, textAt } from './result_list.ts';
import {
  DISTINCTIVE_SIZES,
  LETTERS,
  LONG_SEED_TEXTS,
  PREFIXES,
  QUERY_PARAMS,
  SEED_TEXTS,
  SIZE_PARAMS,
} from './word_lists.ts';

/** What a search is to be asked with, and what for. */
export interface SearchDraft {
  readonly params: readonly Param[];
  readonly why: string;
}

export interface QueryEvidence {
  /** Every search so far, in order; those that were turned away are left out. */
  readonly searches: readonly Exchange[];
  readonly listing: ResultList | null;
  /** The parameter that the user named, or null. */
  readonly hint: string | null;
  /** Names of companies that the user knows to be registered. */
  readonly examples: readonly string[];
}

/** Which parameter takes the name. */
export function findQueryParam({ searches, listing, hint: hints }: QueryEvidence): Finding<string | null> {
  const candidates = candidatesOf(hints);
  const effects = searches.map((search) =>
    search.reading === 'answered' ? effectOf(search, listing, candidates) : EMPTY,
  );
  const denied = deniedIn(searches, effects);
  const shown = effects.filter((effect) => effect.is === 'one' && !denied.has(effect.param)) as Shown[];
  const [param] = mostFrequent(shown.map((effect) => effect.param));
  if (param !== undefined) {
    const texts = new Set(shown.filter((effect) => effect.param === param).map(({ text }) => text));
    const isStrong =
      texts.size > 1 || shown.some(({ rows, text }) => rows >= 5 || (rows > 0 && text.length >= 6));
    const because = `what it asks for is what comes: ${[...texts].slice(0, 3).map(quoted).join(', ')}`;
    return isStrong ? sure(param, because) : likely(param, because);
  }
  if (hints !== null) return likely(hints, 'as you said');
  const accepted = acceptedWhereOthersAreNot(searches);
  if (accepted !== null) return likely(accepted, 'it is accepted where other parameters are refused');
  const named = searches.flatMap(namedIn).find((name) => !denied.has(name));
  if (named !== undefined) return likely(named, 'a refusal names it');
  return open(null, 'no parameter had an effect yet');
}

type Shown = Extract<ParameterEffect, { is: 'one' }>;

/** Parameters that were asked for alone, and were not heeded, or were refused for the want of another one. */
function deniedIn(searches: readonly Exchange[], effects: readonly ParameterEffect[]): Set<string> {
  const denied = searches.flatMap((search, index) => {
    const sent = search.request.params.map(([name]) => name).filter((name) => NAMES.has(name));
    const [only] = sent;
    if (only === undefined || sent.length > 1) return [];
    const wantsAnother = search.reading === 'refused' && paramsNamedBy(search).length > 0;
    return wantsAnother || effects[index]?.is === 'none' ? [only] : [];
  });
  return new Set(denied);
}

const NAMES: ReadonlySet<string> = new Set(QUERY_PARAMS);

/** The next search that may show it; null: nothing is left to try. */
export function askForQueryParam(evidence: QueryEvidence): SearchDraft | null {
  const { searches, listing, examples } = evidence;
  const found = findQueryParam(evidence).value;
  if (found !== null) return firstText(evidence, found);
  const drafts = [
    ...(examples.length > 0 ? QUERY_PARAMS.slice(0, 6).map((param) => single(param, examples[0] ?? '')) : []),
    together(evidence, SEED_TEXTS, 'which parameter takes the name? (each is sent another text)'),
    ...(listing === null ? [] : [withSeenNames(evidence, listing), ...oneByOne(evidence, listing)]),
    ...(shortestText(searches) === 3
      ? [together(evidence, PREFIXES, 'which parameter takes the name? (three letters)')]
      : []),
    together(evidence, LONG_SEED_TEXTS, 'which parameter takes the name? (longer texts)'),
    together(evidence, LETTERS, 'which parameter takes the name? (single letters)'),
    ...(saysSomething(searches) ? [BARE] : []),
    together(evidence, rotated(LONG_SEED_TEXTS, 7), 'which parameter takes the name? (other texts)'),
    ...QUERY_PARAMS.slice(0, isStrict(searches) ? 14 : 4).map((param) => single(param, 'limited')),
  ];
  return drafts.find((draft) => draft !== null && !wasAsked(searches, draft.params)) ?? null;
}

/** Was exactly this asked before? */
export function wasAsked(searches: readonly Exchange[], params: readonly Param[]): boolean {
  const key = keyOf(params);
  return searches.some(({ request }) => keyOf(request.params) === key);
}

/** Parameters that mean nothing here are refused, not overlooked. */
export function isStrict(searches: readonly Exchange[]): boolean {
  if (isLenient(searches)) return false;
  const refusals = searches.filter(
    ({ request, reading }) => request.params.length > 3 && (reading === 'refused' || reading === 'broken'),
  );
  // One refusal may be about the texts: two of different lengths are about the parameters.
  return refusals.length > 1 || refusals.some((refusal) => STRICT_WORDS.test(wordsIn(refusal)));
}

const STRICT_WORDS =
  /additional propert|unknown|unexpected|unrecogni[sz]ed|not allowed|unsupported|not a valid param/i;

/** A search that answered although most of its parameters cannot mean anything. */
export function isLenient(searches: readonly Exchange[]): boolean {
  return searches.some(({ request, reading }) => request.params.length > 3 && reading === 'answered');
}

/** The shortest text that is answered, as far as refusals tell. */
export function shortestText(searches: readonly Exchange[]): number {
  const refused = searches.filter(({ reading }) => reading === 'refused');
  return Math.max(
    1,
    ...refused.map((search) => lengthNamedBy(search) ?? (speaksOfLength(search) ? longestIn(search) + 1 : 1)),
  );
}

const EMPTY: ParameterEffect = { is: 'empty' };
const BARE: SearchDraft = { params: [], why: 'what does a search without parameters say?' };

/** The parameter is known: texts until one of them has rows. */
function firstText(evidence: QueryEvidence, param: string): SearchDraft | null {
  const { searches, examples } = evidence;
  const minQueryLength = shortestText(searches);
  const texts = [...examples, ...alternating(SEED_TEXTS, PREFIXES, LONG_SEED_TEXTS)];
  const tries = searches.filter(
    ({ request }) => request.params.length === 1 && request.params[0]?.[0] === param,
  );
  if (tries.length >= MOST_TEXTS + examples.length) return null;
  return (
    texts
      .filter((text) => text.length >= minQueryLength)
      .map((text) => single(param, text))
      .find((draft) => !wasAsked(searches, draft.params)) ?? null
  );
}

const MOST_TEXTS = 8;

function alternating(...lists: readonly (readonly string[])[]): string[] {
  const longest = Math.max(...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, index) => lists.flatMap((list) => list[index] ?? [])).flat();
}

function single(param: string, text: string): SearchDraft {
  return { params: [[param, text]], why: `is ${param} the parameter that takes the name?` };
}

/** All candidates at once, each with a text of its own: whichever takes effect shows in the rows. */
function together({ searches }: QueryEvidence, texts: readonly string[], why: string): SearchDraft | null {
  if (isStrict(searches) || shortestText(searches) > (texts[0]?.length ?? 0)) return null;
  const names = QUERY_PARAMS.map((param, index): Param => [param, texts[index % texts.length] ?? '']);
  // Costs no call of its own: if the rows follow one of the sizes, that is known as well.
  const sizes = SIZE_PARAMS.map((param, index): Param => [param, String(DISTINCTIVE_SIZES[index] ?? 11)]);
  return { params: [...names, ...sizes], why };
}

/** Rows came, and do not tell whose they are: a name that was seen, another for each candidate, does. */
function withSeenNames({ searches }: QueryEvidence, listing: ResultList): SearchDraft | null {
  const { rows, names } = listing;
  const [place] = names;
  if (place === undefined || isStrict(searches)) return null;
  const seen = [...new Set(rows.flatMap((row) => textAt(row, place.pointer) ?? []))].filter(
    (name) => name.length >= 4,
  );
  const left = candidatesLeft(searches, listing);
  if (seen.length < 2 || left.length === 0) return null;
  const params = left.map((param, index): Param => [param, seen[index % seen.length] ?? '']);
  return { params, why: 'which parameter finds a name that was seen? (each is sent another one)' };
}

/** Too few names were seen to give each candidate one of its own. */
function oneByOne({ searches }: QueryEvidence, listing: ResultList): SearchDraft[] {
  const [place] = listing.names;
  const name =
    place === undefined
      ? null
      : listing.rows.map((row) => textAt(row, place.pointer)).find((one) => one !== null);
  const left = candidatesLeft(searches, listing);
  return name == null || left.length > 6 ? [] : left.map((param) => single(param, name));
}

/** Those that fit the rows of every search that several of them fit. */
function candidatesLeft(searches: readonly Exchange[], listing: ResultList): string[] {
  const fitting = searches
    .filter(({ reading }) => reading === 'answered')
    .map((search) => effectOf(search, listing, NAMES))
    .filter((effect) => effect.is === 'several');
  return QUERY_PARAMS.filter((name) =>
    fitting.every((effect) => effect.is === 'several' && effect.params.includes(name)),
  );
}

/** A refusal in words may name what it wants; an answer without rows may become one. */
function saysSomething(searches: readonly Exchange[]): boolean {
  const last = searches.at(-1);
  return last !== undefined && (last.reading === 'answered' || wordsIn(last).trim().length > 20);
}

function acceptedWhereOthersAreNot(searches: readonly Exchange[]): string | null {
  if (!isStrict(searches)) return null;
  const accepted = searches.find(
    ({ request, reading }) => request.params.length === 1 && reading === 'answered',
  );
  return accepted?.request.params[0]?.[0] ?? null;
}

function namedIn(search: Exchange): string[] {
  return search.reading === 'refused' ? paramsNamedBy(search).slice(0, 1) : [];
}

function candidatesOf(hints: string | null): ReadonlySet<string> {
  return new Set(hints === null ? QUERY_PARAMS : [hints]);
}

function longestIn({ request }: Exchange): number {
  const texts = request.params.filter(([name]) => !SIZE_PARAMS.includes(name));
  return Math.max(0, ...texts.map(([, value]) => value.length));
}

function rotated<T>(items: readonly T[], by: number): T[] {
  return [...items.slice(by), ...items.slice(0, by)];
}

function mostFrequent(items: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).map(([item]) => item);
}

function keyOf(params: readonly Param[]): string {
  return JSON.stringify([...params].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function quoted(text: string): string {
  return `"${text}"`;
}

/** Which parameter of one search took effect, judged by the rows that came. */
export type ParameterEffect =
  /** The rows fit the text of this parameter and of no other. */
  | { readonly is: 'one'; readonly param: string; readonly text: string; readonly rows: number }
  /** Several fit. */
  | { readonly is: 'several'; readonly params: readonly string[] }
  /** Rows came, and no text fits them: the parameters did nothing. */
  | { readonly is: 'none' }
  /** No rows: nothing can be said. */
  | { readonly is: 'empty' };

/** Judges an answered search. `candidates` are the parameters that may take the query. */
export function effectOf(
  search: Exchange,
  listing: ResultList | null,
  candidates: ReadonlySet<string>,
): ParameterEffect {
  const rows = listing === null ? [] : rowsAt(search, listing.results);
  const sent = search.request.params.filter(([name]) => candidates.has(name));
  if (listing === null || rows.length === 0) return echoed(search, sent) ?? { is: 'empty' };
  const shares = sent.map((param) => ({ param, share: shareFound(param[1], rows, listing) }));
  const best = Math.max(...shares.map(({ share }) => share));
  // Some rows may have been found by a field that is not shown.
  if (best < (rows.length < 10 ? 1 : 0.8)) return { is: 'none' };
  const fitting = shares.filter(({ share }) => share === best).map(({ param }) => param);
  const [only] = fitting;
  if (only !== undefined && fitting.length === 1)
    return { is: 'one', param: only[0], text: only[1], rows: rows.length };
  return { is: 'several', params: fitting.map(([name]) => name) };
}

/** The share of the rows that a search for the text might have found. */
function shareFound(text: string, rows: readonly JsonObject[], { names, ids }: ResultList): number {
  const places = [...names.slice(0, 3), ...ids.slice(0, 2)];
  const found = rows.filter((row) => places.some(({ pointer }) => mayFind(text, textAt(row, pointer) ?? '')));
  return found.length / rows.length;
}

/** Some APIs repeat what was asked for. */
function echoed({ json }: Exchange, sent: readonly Param[]): ParameterEffect | null {
  const leaves = json === undefined ? [] : leavesOf(json);
  const repeated = sent.filter(([, text]) => leaves.some(({ value }) => value === text));
  const [only] = repeated;
  return only !== undefined && repeated.length === 1
    ? { is: 'one', param: only[0], text: only[1], rows: 0 }
    : null;
}

/** Parameters that the words of a refusal name although they were not sent: what it misses, or allows. */
export function paramsNamedBy(refusal: Exchange): string[] {
  const words = wordsIn(refusal);
  const sent = new Set(refusal.request.params.map(([name]) => name));
  return QUERY_PARAMS.filter((name) => !sent.has(name) && isNamedIn(words, name));
}

/** A parameter is named where it stands alone: quoted, or as a word that no sentence would hold by itself. */
export function isNamedIn(words: string, name: string): boolean {
  const exact = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const quoted = new RegExp(`["'\`‘“«(]${exact}["'\`’”»)]`);
  const spoken = new RegExp(
    `(param(eter)?s?|field|argument|querystring|query string)\\W+(is |are |the )?\\W*${exact}(?![\\w[])`,
    'i',
  );
  const subject = new RegExp(
    `(^|[\\s·:])${exact}\\s+(is|are|must|was|should|cannot|parameter|is a required|required)\\b`,
    'i',
  );
  const listed = new RegExp(`(^|·\\s*)${exact}(\\s*·|$)`);
  const isNoWord = /^.$|_|\[|[a-z][A-Z]/.test(name);
  return quoted.test(words) || spoken.test(words) || listed.test(words) || (isNoWord && subject.test(words));
}

/** How many letters a refusal asks for: "at least 3 characters". */
export function lengthNamedBy(refusal: Exchange): number | null {
  const words = wordsIn(refusal);
  const found =
    /(?:at least|min(?:imum)?(?: of| length(?: of| is)?)?|fewer than|less than|>=?)\D{0,12}(\d)\D{0,3}(?:char|letter|symbol|sign|long|tegn|zeichen|caract)/i.exec(
      words,
    ) ?? /(\d)\s*(?:or more\s*)?(?:char|letter|symbol|tegn|zeichen|caract)/i.exec(words);
  return found === null ? null : Number(found[1]);
}

export function speaksOfBreadth(refusal: Exchange): boolean {
  return /too (many|broad|large|general)|narrow|refine|more specific|be specific/i.test(wordsIn(refusal));
}

export function speaksOfLength(refusal: Exchange): boolean {
  return lengthNamedBy(refusal) !== null || /too short|short|min(imum)? length/i.test(wordsIn(refusal));
}
