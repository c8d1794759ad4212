import type { Dialect } from '../dialect/dialect.ts';
import type { KnownCompany, QueryState } from '../knowledge.ts';
import { folded, wordsOf } from '../names/folding.ts';
import {
  ASCII_PUNCTUATION,
  CHARACTER_GROUPS,
  DIGITS,
  LATIN_LETTERS,
} from '../plan/discovery/first_characters.ts';
import { distinctiveWords, type OpenQuery, openQueries } from './open_queries.ts';
import type { Scenario } from './scenario.ts';

type NameMaker = () => string;

/**
 * Opens a generator of names like the known ones. Most have words like those of known names. Some are in other languages
 * or scripts, by the scenario. Simulated names share words with each other, as names of one language do.
 */
export function nameMaker(ask: {
  readonly known: readonly KnownCompany[];
  readonly queries: readonly QueryState[];
  readonly dialect: Dialect;
  readonly scenario: Scenario;
  /** The number of missing companies. */
  readonly missing: number;
  readonly random: () => number;
}): NameMaker {
  const { known, queries, dialect, scenario, missing, random } = ask;
  const distinctive = distinctiveWords(known, queries, dialect);
  const words = [...distinctive.first, ...distinctive.inner, ...distinctive.last];
  const letters = words.length < MIN_WORDS ? known.flatMap(({ name }) => wordsOf(folded(name ?? ''))) : words;
  const coin = wordCoiner([...new Set(letters)], random);
  const source = (seen: readonly string[]) => wordsFrom({ seen, novelty: NOVELTY, coin, random });
  const [first, inner, last] = [
    source(distinctive.first),
    source(distinctive.inner),
    source(distinctive.last),
  ];
  const open = openQueries({ known, queries, dialect, missing, defaultShare: scenario.openShare });
  const familiarName = () => {
    const length = pick(distinctive.lengths, random) ?? USUAL_LENGTH;
    const words = Array.from({ length }, (_, at) => {
      return at === 0 ? first() : at === length - 1 ? last() : inner();
    });
    for (const { words: found, position, share } of open)
      if (random() < share) words[indexOf(position, length)] = pick(found, random) ?? '';
    return words;
  };
  const languages = LANGUAGES.map(() => foreignNameMaker(letterCoiner(letters, random), random));
  const scripts = SCRIPTS.map((script) => foreignNameMaker(scriptCoiner(script, random), random));
  const name = () => {
    const drawn = random();
    if (drawn < scenario.otherScripts) return pick(scripts, random)?.() ?? '';
    if (drawn < scenario.otherScripts + scenario.otherLanguages) return pick(languages, random)?.() ?? '';
    return familiarName().join(' ');
  };
  return () => (random() < STARTS_WITH_SIGN ? (pick(SIGNS, random) ?? '') + name() : name());
}

function indexOf(position: OpenQuery['position'], length: number): number {
  if (position === 'first') return 0;
  return position === 'last' ? length - 1 : Math.floor(length / 2);
}

/** Names of one foreign language: one to three words and one of few legal forms. */
function foreignNameMaker(coin: NameMaker, random: () => number): NameMaker {
  const word = wordsFrom({ seen: [], novelty: NOVELTY_OF_FOREIGN_WORDS, coin, random });
  const form = wordsFrom({ seen: [], novelty: NOVELTY_OF_FORMS, coin, random });
  return () => [...Array.from({ length: 1 + Math.floor(random() * 3) }, word), form()].join(' ');
}

/** New words: the first half of one word and the second half of another, sometimes with another first character. */
function wordCoiner(words: readonly string[], random: () => number): NameMaker {
  const character = characterDrawer(random);
  return () => {
    const [one = '', other = ''] = [pick(words, random), pick(words, random)];
    const start = [...one].slice(0, Math.ceil(one.length / 2));
    if (random() < NEW_FIRST_CHARACTER) start[0] = character();
    return start.join('') + [...other].slice(Math.floor(other.length / 2)).join('');
  };
}

/** New words from the letters of known words, in any order. */
function letterCoiner(words: readonly string[], random: () => number): NameMaker {
  const character = characterDrawer(random);
  const letters = [...words.join('')];
  return () =>
    [character(), ...Array.from({ length: 2 + Math.floor(random() * 6) }, () => pick(letters, random))].join(
      '',
    );
}

/** New words in a script. Most letters are frequent first characters; earlier letters of the script are more likely. */
function scriptCoiner([first, last]: readonly [string, string], random: () => number): NameMaker {
  const [from, to] = [first.codePointAt(0) ?? 0, last.codePointAt(0) ?? 0];
  const isOfScript = (letter: string) => letter >= first && letter <= last;
  const frequent = CHARACTER_GROUPS.flatMap(({ characters }) => characters).filter(isOfScript);
  const indexIn = (count: number) => Math.floor(random() ** 1.5 * count);
  const letter = () =>
    random() < FREQUENT
      ? (frequent[indexIn(frequent.length)] ?? '')
      : String.fromCodePoint(from + indexIn(to - from + 1));
  return () => Array.from({ length: 3 + Math.floor(random() * 5) }, letter).join('');
}

/** First characters of words, by their general frequency. */
function characterDrawer(random: () => number): NameMaker {
  const seeds = [LATIN_LETTERS, DIGITS].flatMap(({ characters, weight }) =>
    characters.map((text, rank) => ({ text, weight: weight(rank) })),
  );
  const sums: number[] = [];
  for (const { weight } of seeds) sums.push((sums.at(-1) ?? 0) + weight);
  return () => {
    const drawn = random() * (sums.at(-1) ?? 0);
    return seeds[sums.findIndex((sum) => drawn < sum)]?.text ?? '';
  };
}

function pick<T>(items: readonly T[], random: () => number): T | undefined {
  return items[Math.floor(random() * items.length)];
}

const LANGUAGES = [1, 2, 3];
// Cyrillic, Greek, Arabic, Katakana, and Han.
const SCRIPTS = [
  ['а', 'я'],
  ['α', 'ω'],
  ['ا', 'ي'],
  ['ア', 'ン'],
  ['一', '龠'],
] as const;
// A few names start with such a character.
const SIGNS = ['„', '«', ...ASCII_PUNCTUATION.characters.slice(0, 5)];
const STARTS_WITH_SIGN = 0.003;
const FREQUENT = 0.6;
const NOVELTY = 20;
const NOVELTY_OF_FOREIGN_WORDS = 8;
const NOVELTY_OF_FORMS = 2;
const NEW_FIRST_CHARACTER = 0.15;
const MIN_WORDS = 10;
const USUAL_LENGTH = 3;

export interface WordSource {
  /** The words seen, with repetitions. */
  readonly seen: readonly string[];
  /** The number of words seen that weighs as much as the chance of a new word (θ). */
  readonly novelty: number;
  readonly coin: () => string;
  readonly random: () => number;
}

/**
 * Draws words by a two-parameter Pitman-Yor process (Pitman and Yor, Annals of Probability 25(2), 1997). After n words, d
 * of them distinct, the next word is new with probability (θ + σ·d) / (n + θ). Otherwise it repeats a random earlier
 * word. θ is `novelty`, σ is DISCOUNT. Unlike in the standard process, repeated words are not discounted.
 */
export function wordsFrom({ seen, novelty, coin, random }: WordSource): () => string {
  const drawn = [...seen];
  let distinct = new Set(seen).size;
  return () => {
    const isNew = random() < (novelty + DISCOUNT * distinct) / (drawn.length + novelty);
    const word = isNew ? coin() : (drawn[Math.floor(random() * drawn.length)] ?? coin());
    if (isNew) distinct++;
    drawn.push(word);
    return word;
  };
}

const DISCOUNT = 0.5;
