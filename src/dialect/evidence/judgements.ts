import { withoutDiacritics } from '../../names/folding.ts';
import { mayFind } from '../../names/loose_matching.ts';
import { nameFinder } from '../../names/query_matching.ts';
import type { NameMatch, Pointer } from '../dialect.ts';

/**
 * What responses say about one hypothesis. Each function takes plain values, so that a probe, a check of stored
 * responses and a running mirror judge in the same way.
 */
export interface Judgement {
  /** True: the responses support the hypothesis. False: they contradict it. Null: they are too few or say nothing. */
  readonly holds: boolean | null;
  /** The reason, as a clause that a person can read. */
  readonly because: string;
}

/** Judges whether these values are names: present, and different from row to row. */
export function namesVary(names: readonly (string | null)[]): Judgement {
  const present = names.filter((name) => name !== null && name.trim() !== '');
  const distinct = new Set(present).size;
  const missing = names.length - present.length;
  if (names.length >= ENOUGH_ROWS && missing > names.length / 2)
    return against(`${missing} of ${names.length} names are missing`);
  if (present.length >= ENOUGH_ROWS && distinct <= present.length / ENOUGH_ROWS)
    return against(`${present.length} rows have only ${values(distinct)}, such as ${quoted(present[0])}`);
  const because = `${values(distinct)} in ${names.length} rows`;
  const isVaried = names.length >= FEW_ROWS && missing === 0 && distinct >= present.length / 2;
  return isVaried ? supports(because) : undecided(because);
}

/** Judges whether names are texts of their own: they have letters, and are not made from the id. */
export function namesAreText(
  rows: readonly { readonly id: string; readonly name: string | null }[],
): Judgement {
  const named = rows.flatMap(({ id, name }) => (name === null ? [] : [{ id, name }]));
  // An id with spaces is made from the name.
  const isCode = (id: string) => id.length >= MIN_ID && !/\s/u.test(id);
  const withId = named.filter(({ id, name }) => isCode(id) && name.includes(id)).length;
  const withoutLetters = named.filter(({ name }) => !/\p{L}\P{L}*\p{L}/u.test(name)).length;
  const isEnough = named.length >= ENOUGH_ROWS;
  if (isEnough && withId > 0.95 * named.length)
    return against(`${withId} of ${named.length} names contain the id`);
  if (isEnough && withoutLetters > 0.95 * named.length)
    return against(`${withoutLetters} of ${named.length} names have no two letters`);
  const because = `${named.length - withoutLetters} of ${named.length} names have letters`;
  return named.length >= FEW_ROWS && withId + withoutLetters === 0 ? supports(because) : undecided(because);
}

/** A shorter id can be part of a name by chance. */
const MIN_ID = 4;

/** Judges whether these values, one from each row of a page, are ids. */
export function idsDistinct(ids: readonly string[]): Judgement {
  const distinct = new Set(ids).size;
  const because = `${values(distinct)} in ${ids.length} rows`;
  if (ids.length >= ENOUGH_ROWS && distinct < ids.length / 5) return against(because);
  return ids.length >= FEW_ROWS && distinct === ids.length ? supports(because) : undecided(because);
}

/** Judges whether an id always stands for the same company, as far as rows with the same id have the same name. */
export function idsIdentify(
  rows: readonly { readonly id: string; readonly name: string | null }[],
): Judgement {
  const names = new Map<string, string>();
  let [repeated, renamed] = [0, 0];
  for (const { id, name } of rows) {
    const before = names.get(id);
    if (name === null) continue;
    names.set(id, name);
    if (before === undefined) continue;
    repeated += 1;
    if (before !== name) renamed += 1;
  }
  const because = `${renamed} of ${repeated} repeated ids have another name than before`;
  // An API with a row for each name of a company also repeats ids, but not in most rows.
  const isUsual = renamed > 0.8 * repeated && renamed > 0.5 * rows.length;
  if (renamed >= FEW_ROWS && isUsual) return against(because);
  return repeated >= FEW_ROWS && renamed < 0.2 * repeated ? supports(because) : undecided(because);
}

/**
 * Judges whether the names are the text that the query was compared with. A name without a letter of the query's script
 * says nothing, because the upstream then found the company by a name in another language. A query without letters also
 * says nothing, because it finds numbers of any kind.
 */
export function namesMatchQuery(
  rows: readonly { readonly query: string; readonly name: string | null }[],
  rule: NameMatch,
): Judgement {
  const compared = rows.filter(({ query, name }) => name === null || isSameScript(query, name));
  const queries = new Set(compared.map(({ query }) => query));
  const matching = compared.filter(({ query, name }) => matches(rule, query, name)).length;
  const because = `${matching} of ${compared.length} names match their query`;
  if (compared.length >= ENOUGH_ROWS && queries.size >= ENOUGH_QUERIES && matching <= 0.3 * compared.length)
    return against(because);
  const isEnough = compared.length >= FEW_ROWS && queries.size >= 2;
  return isEnough && matching >= 0.9 * compared.length ? supports(because) : undecided(because);
}

/** The texts in a row by their JSON paths. */
type RowTexts = ReadonlyMap<Pointer, string>;

/**
 * Returns the paths of the texts that only rows without a name have, and that match the queries of nearly all these rows.
 * Rows without a name may be persons, whose names are at another path.
 */
export function namesOfUnnamed(
  unnamed: readonly { readonly query: string; readonly texts: RowTexts }[],
  named: readonly RowTexts[],
): Pointer[] {
  const isFound = (pointer: Pointer) =>
    unnamed.filter(({ query, texts }) => mayFind(query, texts.get(pointer) ?? '')).length >=
    0.9 * unnamed.length;
  const isOfNamed = (pointer: Pointer) => named.some((texts) => (texts.get(pointer) ?? '') !== '');
  const pointers = new Set(unnamed.flatMap(({ texts }) => [...texts.keys()]));
  return [...pointers].filter((pointer) => isFound(pointer) && !isOfNamed(pointer));
}

function isSameScript(query: string, name: string): boolean {
  if (!/\p{L}/u.test(query)) return false;
  const script = SCRIPTS.find((one) => one.test(query));
  return script === undefined || script.test(name);
}

const SCRIPTS = [
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u,
  ...[
    'Hangul',
    'Cyrillic',
    'Greek',
    'Arabic',
    'Hebrew',
    'Thai',
    'Devanagari',
    'Georgian',
    'Armenian',
    'Latin',
  ].map((script) => new RegExp(`\\p{Script=${script}}`, 'u')),
];

/**
 * Returns whether a text matches a query. Letter case, diacritics and repeated spaces are ignored. If the query rule is
 * unknown, the text matches if any rule finds it.
 */
export function matches(rule: NameMatch, query: string, text: string | null): boolean {
  if (text === null) return false;
  if (rule === 'unknown') return mayFind(query, text);
  return nameFinder(rule, withoutDiacritics(query))(withoutDiacritics(text));
}

/** Judges whether a parameter has an effect, from the pages of requests that differ in nothing else. */
export function parameterChangesRows(pages: readonly (readonly string[])[]): Judgement {
  const [first = [], ...others] = pages;
  if (others.length === 0) return undecided('only one request was compared');
  const different = others.filter((page) => !pageRepeats(first, page)).length;
  if (different > 0) return supports(`${different + 1} of ${pages.length} requests returned different rows`);
  return first.length === 0
    ? undecided('no request returned rows')
    : against(`${pages.length} requests returned the same ${first.length} rows`);
}

/** Returns whether two pages have the same ids in the same order. */
function pageRepeats(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((id, at) => id === other[at]);
}

export interface CountedPage {
  readonly rows: number;
  readonly total: number | null;
  /** True if the page after this one has rows that this page lacks; null if it was not requested. */
  readonly hasNext: boolean | null;
}

/** Judges whether a total counts all matches, and not only the rows of its page. */
export function totalCountsMatches(pages: readonly CountedPage[]): Judgement {
  const counted = pages.filter(({ total, rows }) => total !== null && rows > 0);
  if (counted.some(({ total, rows }) => (total ?? 0) > rows))
    return supports('a total is larger than its page');
  const ofPage = counted.filter(({ total, rows, hasNext }) => total === rows && hasNext === true);
  if (ofPage.length >= 2 || (ofPage.length > 0 && ofPage.length === counted.length))
    return against(`${ofPage.length} pages had as many rows as the total, and the next page had others`);
  const below = counted.filter(({ total, rows }) => (total ?? 0) < rows);
  if (below.length >= FEW_QUERIES && below.length > 0.8 * counted.length)
    return against(`${below.length} totals are smaller than the number of rows on their page`);
  return undecided('every total equals the number of rows on its page');
}

/** Judges whether totals differ from query to query. `isShort`: the page has all rows that the upstream shows. */
export function totalsFollowQuery(
  pages: readonly { readonly query: string; readonly rows: number; readonly total: number | null }[],
): Judgement {
  const counted = pages.filter(({ total }) => total !== null);
  const totals = new Set(counted.map(({ total }) => total));
  const queries = new Set(counted.map(({ query }) => query)).size;
  if (totals.size > 1) return supports(`${totals.size} different totals`);
  const isLarger = counted.every(({ total, rows }) => (total ?? 0) > rows);
  const because = `${queries} queries have the total ${counted[0]?.total}, and fewer rows`;
  return queries >= FEW_QUERIES && isLarger ? against(because) : undecided(because);
}

/** The first two pages of a query, each as ids. */
interface PagePair {
  readonly first: readonly string[];
  readonly second: readonly string[];
  /** Whether the total promises more rows than the first page has. A listing may otherwise end with its last page. */
  readonly hasMore: boolean;
}

/** Judges whether page 2 continues page 1. */
export function pagesContinue(pairs: readonly PagePair[]): Judgement {
  const repeating = pairs.filter(({ first, second }) => second.length > 0 && pageRepeats(first, second));
  const continued = pairs.filter(({ first, second }) => second.some((id) => !first.includes(id))).length;
  const repeated = repeating.length;
  if (continued > 0)
    return supports(`page 2 had other companies in ${continued} of ${pairs.length} listings`);
  const because = `page 2 repeated page 1 in ${repeated} of ${pairs.length} listings`;
  const isCertain = repeated >= ENOUGH_QUERIES || repeating.filter(({ hasMore }) => hasMore).length >= 2;
  return isCertain ? against(because) : undecided(because);
}

function supports(because: string): Judgement {
  return { holds: true, because };
}

function against(because: string): Judgement {
  return { holds: false, because };
}

function undecided(because: string): Judgement {
  return { holds: null, because };
}

function values(distinct: number): string {
  return distinct === 1 ? '1 different value' : `${distinct} different values`;
}

function quoted(text: string | null | undefined): string {
  return JSON.stringify((text ?? '').slice(0, 60).toWellFormed());
}

/** Rows that must contradict a hypothesis before it is rejected. */
const ENOUGH_ROWS = 20;
const FEW_ROWS = 10;
/** Queries from which such rows must come, so that one unusual query rejects nothing. */
const ENOUGH_QUERIES = 3;
const FEW_QUERIES = 5;
