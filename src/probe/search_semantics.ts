import type { NameMatch } from '../dialect/dialect.ts';
import { loosely, mayFind } from '../names/loose_matching.ts';
import type { AnsweredSearch, IsWhole } from './answered_searches.ts';
import { type Finding, open, sure } from './evidence.ts';

export type Semantics = Exclude<NameMatch, 'unknown'>;

const ALL: readonly Semantics[] = ['prefix', 'token', 'token_prefix', 'substring'];

export interface KnownName {
  readonly id: string;
  readonly name: string;
}

/**
 * How a name query finds names, by elimination: a row that a rule would not find refutes the rule, and so does
 * a known company that it would find and that a whole answer leaves out.
 */
export function findSemantics(
  answered: readonly AnsweredSearch[],
  known: readonly KnownName[],
  isWhole: IsWhole,
): Finding<Semantics | null> & { readonly left: readonly Semantics[] } {
  const evidence = answered.flatMap((one) =>
    one.text !== null && isWords(one.text) ? [{ ...one, text: one.text }] : [],
  );
  const strange = evidence.reduce((sum, one) => sum + strangers(one), 0);
  const rows = evidence.reduce((sum, one) => sum + one.rows.length, 0);
  const refutations = new Map<Semantics, string>();
  for (const one of evidence)
    for (const how of ALL) {
      const why = refutedByRow(how, one) ?? refutedByAbsence(how, one, known, isWhole);
      if (why !== null && !refutations.has(how)) refutations.set(how, why);
    }
  const left = ALL.filter((how) => !refutations.has(how));
  const [only] = left;
  const because = [...refutations].map(([how, why]) => `not ${how}: ${why}`).join('; ');
  if (left.length !== 1 || only === undefined || strange * 5 > rows)
    return { ...open(null, because === '' ? 'no answer tells yet' : because), left };
  return { ...sure(only, because), left };
}

/**
 * A text that occurs in known names in such ways that the rules that are left would find different ones, and that
 * is rare enough for its answer to be whole; null: there is none.
 */
export function distinctiveQuery(
  left: readonly Semantics[],
  known: readonly KnownName[],
  limits: {
    readonly least: number;
    readonly pageSize: number;
    /** Companies in the registry, as far as that is known. */
    readonly registrySize: number;
    readonly tried: ReadonlySet<string>;
    /** A part of a word did not tell. */
    readonly wasInVain: boolean;
  },
): string | null {
  const names = known.slice(-MOST_NAMES).map(({ name }) => name);
  const best = (texts: Iterable<string>) => bestOf(texts, left, names, limits);
  // Two words are rarer than any part of one; but not all APIs treat them alike.
  if (limits.wasInVain) return best(pairsIn(names)) ?? best(fragmentsOf(names, 5));
  for (let length = rareLength(limits); length >= Math.max(4, limits.least); length--) {
    const text = best(fragmentsOf(names, length));
    if (text !== null) return text;
  }
  return best(pairsIn(names));
}

function bestOf(
  texts: Iterable<string>,
  left: readonly Semantics[],
  names: readonly string[],
  { tried, least: minQueryLength }: { readonly tried: ReadonlySet<string>; readonly least: number },
): string | null {
  const loose = names.map(loosely);
  let best: { text: string; score: number } | null = null;
  for (const text of texts) {
    if (text.length < minQueryLength || tried.has(loosely(text))) continue;
    const found = loose.filter((name) => name.includes(loosely(text))).length;
    const score = pairsTold(left, text, names) - found / 10;
    if (score > 0.5 && (best === null || score > best.score)) best = { text, score };
  }
  return best?.text ?? null;
}

const MOST_NAMES = 120;

/** How long a fragment must be to be found in few names; each two letters more make it ten times as rare. */
function rareLength({ pageSize, registrySize }: { pageSize: number; registrySize: number }): number {
  for (let length = 4; length < 9; length++)
    if (registrySize * 10 ** (-length / 2 - 0.5) <= pageSize / 2) return length;
  return 9;
}

/** true, false, or null where it depends on how names are cut into words, which nobody says. */
export function finds(how: Semantics, text: string, name: string): boolean | null {
  switch (how) {
    case 'prefix':
      // A quotation mark in front may or may not count.
      return name.startsWith(text) || (/^[^\p{L}\p{N}]/u.test(name) && name.includes(text) ? null : false);
    case 'token':
      return everyOf(
        text
          .split(' ')
          .map((word) => anyOf(placesOf(word, name).map(({ before, after }) => both(before, after)))),
      );
    case 'token_prefix':
      return everyOf(
        text.split(' ').map((word) => anyOf(placesOf(word, name).map(({ before }) => certain(before)))),
      );
    case 'substring':
      return name.includes(text);
  }
}

type Border = 'border' | 'none' | 'doubt';

function placesOf(text: string, name: string): { readonly before: Border; readonly after: Border }[] {
  const places: { before: Border; after: Border }[] = [];
  for (let at = name.indexOf(text); at !== -1; at = name.indexOf(text, at + 1))
    places.push({ before: borderAt(name, at - 1), after: borderAt(name, at + text.length) });
  return places;
}

// Scripts without spaces are cut in many ways; so are digits and punctuation.
function borderAt(name: string, at: number): Border {
  const character = name[at];
  if (character === undefined || /\s/u.test(character)) return 'border';
  return /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]/u.test(character) ? 'none' : 'doubt';
}

function certain(border: Border): boolean | null {
  return border === 'doubt' ? null : border === 'border';
}

function both(before: Border, after: Border): boolean | null {
  if (before === 'none' || after === 'none') return false;
  return before === 'doubt' || after === 'doubt' ? null : true;
}

function anyOf(answers: readonly (boolean | null)[]): boolean | null {
  if (answers.includes(true)) return true;
  return answers.includes(null) ? null : false;
}

function everyOf(answers: readonly (boolean | null)[]): boolean | null {
  if (answers.includes(false)) return false;
  return answers.includes(null) ? null : true;
}

interface Hints extends AnsweredSearch {
  readonly text: string;
}

function refutedByRow(how: Semantics, { text, names, ids }: Hints): string | null {
  const wanted = loosely(text);
  const against = names.filter((name, index): name is string => {
    const loose = loosely(name ?? '');
    const isFoundById = loosely(ids[index] ?? '').startsWith(wanted);
    return !isFoundById && mayFind(wanted, loose) && finds(how, wanted, loose) === false;
  });
  // One row may have been found by something that is not shown.
  return against.length >= Math.min(2, names.length) && against[0] !== undefined
    ? `"${text}" finds ${JSON.stringify(against[0])}`
    : null;
}

function refutedByAbsence(
  how: Semantics,
  one: Hints,
  known: readonly KnownName[],
  isWhole: IsWhole,
): string | null {
  const { text, ids, rows } = one;
  if (!isWhole(one) || (rows.length === 0 && text.length < 4)) return null;
  const found = new Set(ids);
  const missing = known.find(({ id, name }) => !found.has(id) && finds(how, text, name) === true);
  return missing === undefined ? null : `"${text}" does not find ${JSON.stringify(missing.name)}`;
}

/** Rows whose name does not hold the text at all: found by something else. */
function strangers({ text, names, ids }: Hints): number {
  return names.filter((name, index) => !mayFind(text, `${name} ${ids[index]}`)).length;
}

function isWords(text: string): boolean {
  return /^\p{L}+( \p{L}+)*$/u.test(text);
}

/** Runs of so many letters within words. */
function fragmentsOf(names: readonly string[], length: number): Set<string> {
  const fragments = new Set<string>();
  for (const name of names)
    for (const [word] of name.matchAll(/[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]+/gu))
      for (let from = 0; from + length <= word.length; from++) fragments.add(word.slice(from, from + length));
  return fragments;
}

/** Two neighbouring words: whole, the second cut off, and the first without its beginning as well. */
function pairsIn(names: readonly string[]): Set<string> {
  const pairs = new Set<string>();
  for (const name of names)
    for (const [, first = '', second = ''] of name.matchAll(
      /(?<=^|\s)(\p{L}{3,})(?=\s(\p{L}{4,})(?:\s|$))/gu,
    )) {
      const cut = second.slice(0, -1);
      pairs
        .add(`${first} ${second}`)
        .add(`${first} ${cut}`)
        .add(`${first.slice(1)} ${cut}`);
    }
  return pairs;
}

/** How many pairs of rules differ on a name that is known. */
function pairsTold(left: readonly Semantics[], text: string, names: readonly string[]): number {
  const holding = names.filter((name) => name.includes(text));
  const hints = (a: Semantics, b: Semantics) =>
    holding.some((name) => {
      const [one, other] = [finds(a, text, name), finds(b, text, name)];
      return one !== null && other !== null && one !== other;
    });
  return left.reduce((sum, a, index) => sum + left.slice(index + 1).filter((b) => hints(a, b)).length, 0);
}
