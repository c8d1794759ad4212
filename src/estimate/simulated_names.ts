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
 * Opens a generator for names that resemble the known names. Most names consist of words like those in known names.
 * Depending on the scenario, some names are in other languages or scripts. Simulated names have words in common, like
 * real names in one language.
 */
export function nameMaker(ask: {
  readonly known: readonly KnownCompany[];
  readonly queries: readonly QueryState[];
  readonly dialect: Dialect;
  readonly scenario: Scenario;
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

/** Generates names in one foreign language. A name has one to three words and one of a few legal forms. */
function foreignNameMaker(coin: NameMaker, random: () => number): NameMaker {
  const word = wordsFrom({ seen: [], novelty: NOVELTY_OF_FOREIGN_WORDS, coin, random });
  const form = wordsFrom({ seen: [], novelty: NOVELTY_OF_FORMS, coin, random });
  return () => [...Array.from({ length: 1 + Math.floor(random() * 3) }, word), form()].join(' ');
}

/** Combines the first half of one word with the second half of another, sometimes with a different first character. */
function wordCoiner(words: readonly string[], random: () => number): NameMaker {
  const character = characterDrawer(random);
  return () => {
    const [one = '', other = ''] = [pick(words, random), pick(words, random)];
    const start = [...one].slice(0, Math.ceil(one.length / 2));
    if (random() < NEW_FIRST_CHARACTER) start[0] = character();
    return start.join('') + [...other].slice(Math.floor(other.length / 2)).join('');
  };
}

/** Generates words from the letters in known words, in random order. */
function letterCoiner(words: readonly string[], random: () => number): NameMaker {
  const character = characterDrawer(random);
  const letters = [...words.join('')];
  return () =>
    [character(), ...Array.from({ length: 2 + Math.floor(random() * 6) }, () => pick(letters, random))].join(
      '',
    );
}

/**
 * Generates words in a script. Most letters are frequent first characters, and the others can be any letter in the
 * script. In both lists, earlier letters are more likely.
 */
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

/** Draws the first characters of words according to their usual frequency. */
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
// The letters of Cyrillic, Greek, Arabic, Katakana and Han.
const SCRIPTS = [
  ['а', 'я'],
  ['α', 'ω'],
  ['ا', 'ي'],
  ['ア', 'ン'],
  ['一', '龠'],
] as const;
// A few names begin with one of these characters.
const SIGNS = ['„', '«', ...ASCII_PUNCTUATION.characters.slice(0, 5)];
const STARTS_WITH_SIGN = 0.003;
const FREQUENT = 0.6;
const NOVELTY = 20;
const NOVELTY_OF_FOREIGN_WORDS = 8;
const NOVELTY_OF_FORMS = 2;
const NEW_FIRST_CHARACTER = 0.15;
const MIN_WORDS = 10;
const USUAL_LENGTH = 3;

interface WordSource {
  /** The words seen so far. A word can occur in the list several times. */
  readonly seen: readonly string[];
  /** θ: the weight of a new word relative to the number of words seen. */
  readonly novelty: number;
  readonly coin: () => string;
  readonly random: () => number;
}

/**
 * Draws words by a two-parameter Pitman-Yor process (Pitman and Yor, Annals of Probability 25(2), 1997). After n words,
 * of which d are distinct, the probability that the next word is new is (θ + σ·d) / (n + θ). Otherwise it is a random
 * earlier word. θ is `novelty` and σ is DISCOUNT. Unlike in the standard process, the weights of earlier words are not
 * discounted.
 */
function wordsFrom({ seen, novelty, coin, random }: WordSource): () => string {
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
