import { type Exchange, type Param, wordsIn } from './exchange.ts';
import { type Finding, likely, open, sure } from './finding.ts';
import { type Listing, textAt } from './listing.ts';
import { type Effect, effectOf, lengthNamedBy, paramsNamedBy, speaksOfLength } from './query.ts';
import {
  BEGINNINGS,
  LETTERS,
  LONG_SEED_TEXTS,
  QUERY_PARAMS,
  SEED_TEXTS,
  SIZE_PARAMS,
  TELLING_SIZES,
} from './vocabulary.ts';

/** What a search is to be asked with, and what for. */
export interface Draft {
  readonly params: readonly Param[];
  readonly why: string;
}

export interface QueryEvidence {
  /** Every search so far, in order; those that were turned away are left out. */
  readonly searches: readonly Exchange[];
  readonly listing: Listing | null;
  /** The parameter that the user named, or null. */
  readonly told: string | null;
  /** Names of companies that the user knows to be registered. */
  readonly examples: readonly string[];
}

/** Which parameter takes the name. */
export function findQueryParam({ searches, listing, told }: QueryEvidence): Finding<string | null> {
  const candidates = candidatesOf(told);
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
  if (told !== null) return likely(told, 'as you said');
  const accepted = acceptedWhereOthersAreNot(searches);
  if (accepted !== null) return likely(accepted, 'it is accepted where other parameters are refused');
  const named = searches.flatMap(namedIn).find((name) => !denied.has(name));
  if (named !== undefined) return likely(named, 'a refusal names it');
  return open(null, 'no parameter had an effect yet');
}

type Shown = Extract<Effect, { is: 'one' }>;

/** Parameters that were asked for alone, and were not heeded, or were refused for the want of another one. */
function deniedIn(searches: readonly Exchange[], effects: readonly Effect[]): Set<string> {
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
export function askForQueryParam(evidence: QueryEvidence): Draft | null {
  const { searches, listing, examples } = evidence;
  const found = findQueryParam(evidence).value;
  if (found !== null) return firstText(evidence, found);
  const drafts = [
    ...(examples.length > 0 ? QUERY_PARAMS.slice(0, 6).map((param) => single(param, examples[0] ?? '')) : []),
    together(evidence, SEED_TEXTS, 'which parameter takes the name? (each is sent another text)'),
    ...(listing === null ? [] : [withSeenNames(evidence, listing), ...oneByOne(evidence, listing)]),
    ...(shortestText(searches) === 3
      ? [together(evidence, BEGINNINGS, 'which parameter takes the name? (three letters)')]
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

const EMPTY: Effect = { is: 'empty' };
const BARE: Draft = { params: [], why: 'what does a search without parameters say?' };

/** The parameter is known: texts until one of them has rows. */
function firstText(evidence: QueryEvidence, param: string): Draft | null {
  const { searches, examples } = evidence;
  const least = shortestText(searches);
  const texts = [...examples, ...alternating(SEED_TEXTS, BEGINNINGS, LONG_SEED_TEXTS)];
  const tries = searches.filter(
    ({ request }) => request.params.length === 1 && request.params[0]?.[0] === param,
  );
  if (tries.length >= MOST_TEXTS + examples.length) return null;
  return (
    texts
      .filter((text) => text.length >= least)
      .map((text) => single(param, text))
      .find((draft) => !wasAsked(searches, draft.params)) ?? null
  );
}

const MOST_TEXTS = 8;

function alternating(...lists: readonly (readonly string[])[]): string[] {
  const longest = Math.max(...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, index) => lists.flatMap((list) => list[index] ?? [])).flat();
}

function single(param: string, text: string): Draft {
  return { params: [[param, text]], why: `is ${param} the parameter that takes the name?` };
}

/** All candidates at once, each with a text of its own: whichever takes effect shows in the rows. */
function together({ searches }: QueryEvidence, texts: readonly string[], why: string): Draft | null {
  if (isStrict(searches) || shortestText(searches) > (texts[0]?.length ?? 0)) return null;
  const names = QUERY_PARAMS.map((param, index): Param => [param, texts[index % texts.length] ?? '']);
  // Costs no call of its own: if the rows follow one of the sizes, that is known as well.
  const sizes = SIZE_PARAMS.map((param, index): Param => [param, String(TELLING_SIZES[index] ?? 11)]);
  return { params: [...names, ...sizes], why };
}

/** Rows came, and do not tell whose they are: a name that was seen, another for each candidate, does. */
function withSeenNames({ searches }: QueryEvidence, listing: Listing): Draft | null {
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
function oneByOne({ searches }: QueryEvidence, listing: Listing): Draft[] {
  const [place] = listing.names;
  const name =
    place === undefined
      ? null
      : listing.rows.map((row) => textAt(row, place.pointer)).find((one) => one !== null);
  const left = candidatesLeft(searches, listing);
  return name == null || left.length > 6 ? [] : left.map((param) => single(param, name));
}

/** Those that fit the rows of every search that several of them fit. */
function candidatesLeft(searches: readonly Exchange[], listing: Listing): string[] {
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

function candidatesOf(told: string | null): ReadonlySet<string> {
  return new Set(told === null ? QUERY_PARAMS : [told]);
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
