import type { NameMatch } from '../dialect/dialect.ts';
import { loosely, mayFind } from '../names/loose_matching.ts';
import { textsIn } from './bodies.ts';
import { type Finding, likely, open, sure } from './exchange.ts';
import type { SearchPage } from './pages.ts';

/** Hypotheses and evidence about the query rule: how a query matches names. */

type QueryRule = Exclude<NameMatch, 'unknown'>;

export interface KnownName {
  readonly id: string;
  readonly name: string;
}

export interface RuleFinding extends Finding<QueryRule | null> {
  /** The query rules that no response contradicts. */
  readonly possible: readonly QueryRule[];
}

const RULES: readonly QueryRule[] = ['prefix', 'token', 'token_prefix', 'substring'];

/**
 * Finds the query rule for names by elimination. A returned row refutes a rule that does not match it. A page with all
 * matches refutes a rule that matches a known company missing from the page.
 */
export function findQueryRule(
  pages: readonly SearchPage[],
  known: readonly KnownName[],
  isWhole: (page: SearchPage) => boolean,
): RuleFinding {
  const evidence = pages.flatMap((page) =>
    page.query !== null && isWords(page.query) ? [{ ...page, query: page.query }] : [],
  );
  const unexplained = evidence.reduce((sum, page) => sum + unexplainedRows(page), 0);
  const rows = evidence.reduce((sum, page) => sum + page.rows.length, 0);
  const refutations = new Map<QueryRule, string>();
  for (const page of evidence)
    for (const rule of RULES) {
      const why = refutedByRow(rule, page) ?? refutedByAbsence(rule, page, known, isWhole);
      if (why !== null && !refutations.has(rule)) refutations.set(rule, why);
    }
  const possible = RULES.filter((rule) => !refutations.has(rule));
  const [only] = possible;
  const because = [...refutations].map(([rule, why]) => `not ${rule}: ${why}`).join('; ');
  const isExplained = unexplained * 5 <= rows;
  // In names without spaces, words cannot be seen, so every part of a name may be a query.
  const isUnspaced = possible.length > 1 && refutations.has('prefix') && areUnspaced(evidence);
  if (isExplained && isUnspaced && possible.includes('substring'))
    return { ...likely('substring', `${because}; names have no spaces between words`), possible };
  if (possible.length !== 1 || only === undefined || !isExplained)
    return { ...open(null, because === '' ? 'no response distinguishes the rules yet' : because), possible };
  return { ...sure(only, because), possible };
}

/** Returns whether at most one name in ten has a space. */
function areUnspaced(pages: readonly SearchPage[]): boolean {
  const names = pages.flatMap((page) => page.names).filter((name) => name !== null);
  return names.length > 0 && names.filter((name) => /\s/u.test(name)).length * 10 <= names.length;
}

function isWords(query: string): boolean {
  return /^\p{L}+( \p{L}+)*$/u.test(query);
}

interface QueryPage extends SearchPage {
  readonly query: string;
}

/** Counts the rows that have no word of the query, so that a field outside the rows matched. */
function unexplainedRows({ query, rows }: QueryPage): number {
  const words = query.split(' ');
  return rows.filter((row) => !words.some((word) => mayFind(word, textsIn(row).join(' ')))).length;
}

function refutedByRow(rule: QueryRule, { query, names, ids, rows }: QueryPage): string | null {
  const wanted = loosely(query);
  // Another text in the row, such as a former name, may have matched.
  const isFoundByOther = (index: number) =>
    textsIn(rows[index] ?? null).some((text) => finds(rule, wanted, loosely(text)) !== false);
  const against = names.filter((name, index): name is string => {
    const loose = loosely(name ?? '');
    const isFoundById = loosely(ids[index] ?? '').startsWith(wanted);
    return (
      !isFoundById && mayFind(wanted, loose) && finds(rule, wanted, loose) === false && !isFoundByOther(index)
    );
  });
  // One row may have matched by a field that the rows do not show.
  return against.length >= Math.min(2, names.length) && against[0] !== undefined
    ? `"${query}" finds ${JSON.stringify(against[0])}`
    : null;
}

function refutedByAbsence(
  rule: QueryRule,
  page: QueryPage,
  known: readonly KnownName[],
  isWhole: (page: SearchPage) => boolean,
): string | null {
  const { query, ids, rows } = page;
  if (!isWhole(page) || (rows.length === 0 && query.length < 4)) return null;
  const found = new Set(ids);
  const missing = known.find(({ id, name }) => !found.has(id) && finds(rule, query, name) === true);
  return missing === undefined ? null : `"${query}" does not find ${JSON.stringify(missing.name)}`;
}

/** Returns whether a query finds a name under a rule, or null if that depends on how the upstream splits words. */
export function finds(rule: QueryRule, query: string, name: string): boolean | null {
  const every = (test: (border: Borders) => boolean | null) =>
    (query.match(/[^ ]+/g) ?? []).reduce<boolean | null>((all, word) => {
      const any = bordersOf(word, name).map(test);
      return and(all, any.includes(true) ? true : any.includes(null) ? null : false);
    }, true);
  switch (rule) {
    case 'prefix':
      // The upstream may ignore a leading quotation mark in the name.
      return name.startsWith(query) || (/^[^\p{L}\p{N}]/u.test(name) && name.includes(query) ? null : false);
    case 'token':
      return every(({ before, after }) => and(before, after));
    case 'token_prefix':
      return every(({ before }) => before);
    case 'substring':
      return name.includes(query);
  }
}

const and = (a: boolean | null, b: boolean | null): boolean | null =>
  a === false || b === false ? false : a === null || b === null ? null : true;

/** Whether an occurrence of a word begins and ends at a word border, or null if that is uncertain. */
interface Borders {
  readonly before: boolean | null;
  readonly after: boolean | null;
}

function bordersOf(word: string, name: string): Borders[] {
  const borders: Borders[] = [];
  for (let at = name.indexOf(word); at !== -1; at = name.indexOf(word, at + 1))
    borders.push({ before: isBorder(name, at - 1), after: isBorder(name, at + word.length) });
  return borders;
}

// Upstreams split digits, punctuation and scripts without spaces into words in different ways.
function isBorder(name: string, at: number): boolean | null {
  const character = name[at];
  if (character === undefined || /\s/u.test(character)) return true;
  return /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]/u.test(character) ? false : null;
}

interface RuleQueryLimits {
  readonly minLength: number;
  readonly pageSize: number;
  /** The registry count, or an assumed count if it is unknown. */
  readonly registrySize: number;
  /** All queries sent so far, folded by `loosely`. */
  readonly sent: ReadonlySet<string>;
  /** Whether the query may be a part of several words, which has fewer matches. */
  readonly maySpanWords: boolean;
}

/**
 * Returns the part of a known name that separates the possible rules best, or null if there is none. All matches
 * of the part should fit on one page.
 */
export function separatingQuery(
  possible: readonly QueryRule[],
  known: readonly KnownName[],
  limits: RuleQueryLimits,
): string | null {
  const names = known.slice(-MAX_NAMES).map(({ name }) => name);
  for (let length = rareLength(limits); length >= Math.max(4, limits.minLength); length--) {
    const query = bestOf(fragmentsOf(names, length, limits), possible, names, limits);
    if (query !== null) return query;
  }
  return null;
}

/**
 * Returns the smallest number of letters n (4 to 9) with which a part of a word should match at most half a page of
 * companies:
 *
 *   registrySize * 10^(-n/2 - 0.5) <= pageSize / 2
 *
 * With two more letters, a part of a word has a tenth of the matches.
 */
function rareLength({ pageSize, registrySize }: RuleQueryLimits): number {
  for (let length = 4; length < 9; length++)
    if (registrySize * 10 ** (-length / 2 - 0.5) <= pageSize / 2) return length;
  return 9;
}
const MAX_NAMES = 120;

function bestOf(
  queries: Iterable<string>,
  possible: readonly QueryRule[],
  names: readonly string[],
  { sent, minLength }: RuleQueryLimits,
): string | null {
  const looseNames = names.map(loosely);
  let best: { query: string; score: number } | null = null;
  for (const query of queries) {
    if (query.length < minLength || sent.has(loosely(query))) continue;
    const found = looseNames.filter((name) => name.includes(loosely(query))).length;
    const score = separatedPairs(possible, query, names) - found / 10;
    if (score > 0.5 && (best === null || score > best.score)) best = { query, score };
  }
  return best?.query ?? null;
}

/** Returns all parts of words, or of several words, with `length` characters. */
function fragmentsOf(
  names: readonly string[],
  length: number,
  { maySpanWords }: RuleQueryLimits,
): Set<string> {
  const fragments = new Set<string>();
  for (const name of names)
    for (const [text] of name.matchAll(maySpanWords ? WORDS : WORD))
      for (let from = 0; from + length <= text.length; from++) {
        const fragment = text.slice(from, from + length);
        if (fragment.trim() === fragment) fragments.add(fragment);
      }
  return fragments;
}

const WORD = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]+/gu;
const WORDS = new RegExp(`${WORD.source}(?: ${WORD.source})*`, 'gu');

/** Returns how many pairs of rules give different results for this query on a known name. */
function separatedPairs(possible: readonly QueryRule[], query: string, names: readonly string[]): number {
  const containing = names.filter((name) => name.includes(query));
  const differ = (a: QueryRule, b: QueryRule) =>
    containing.some((name) => {
      const [one, other] = [finds(a, query, name), finds(b, query, name)];
      return one !== null && other !== null && one !== other;
    });
  return possible.reduce(
    (sum, a, index) => sum + possible.slice(index + 1).filter((b) => differ(a, b)).length,
    0,
  );
}
