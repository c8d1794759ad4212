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

type Maker = () => string;

/**
 * Names that could stand beside the known ones: most are made of words as those have, some of words, or in a script,
 * of which none is known. They share words with each other, as names of one language do.
 */
export function nameMaker(ask: {
  readonly known: readonly KnownCompany[];
  readonly queries: readonly QueryState[];
  readonly dialect: Dialect;
  readonly scenario: Scenario;
  /** How many companies are missing. */
  readonly missing: number;
  readonly random: () => number;
}): Maker {
  const { known, queries, dialect, scenario, missing, random } = ask;
  const distinctive = distinctiveWords(known, queries, dialect);
  const words = [...distinctive.first, ...distinctive.inner, ...distinctive.last];
  const letters =
    words.length < FEWEST_WORDS ? known.flatMap(({ name }) => wordsOf(folded(name ?? ''))) : words;
  const coin = wordCoiner([...new Set(letters)], random);
  const source = (seen: readonly string[]) => wordsFrom({ seen, novelty: NOVELTY, coin, random });
  const [first, inner, last] = [
    source(distinctive.first),
    source(distinctive.inner),
    source(distinctive.last),
  ];
  const open = openQueries({ known, queries, dialect, missing, untold: scenario.goOn });
  const familiar = () => {
    const length = pick(distinctive.lengths, random) ?? USUAL_LENGTH;
    const words = Array.from({ length }, (_, at) => {
      return at === 0 ? first() : at === length - 1 ? last() : inner();
    });
    for (const { words: found, place, share } of open)
      if (random() < share) words[indexOf(place, length)] = pick(found, random) ?? '';
    return words;
  };
  const languages = LANGUAGES.map(() => strangerMaker(letterCoiner(letters, random), random));
  const scripts = SCRIPTS.map((script) => strangerMaker(scriptCoiner(script, random), random));
  const name = () => {
    const drawn = random();
    if (drawn < scenario.otherScripts) return pick(scripts, random)?.() ?? '';
    if (drawn < scenario.otherScripts + scenario.otherLanguages) return pick(languages, random)?.() ?? '';
    return familiar().join(' ');
  };
  return () => (random() < SIGN_FIRST ? (pick(SIGNS, random) ?? '') + name() : name());
}

function indexOf(place: OpenQuery['place'], length: number): number {
  if (place === 'first') return 0;
  return place === 'last' ? length - 1 : Math.floor(length / 2);
}

/** Names of a language of its own: a few words, and a legal form, of which there are few. */
function strangerMaker(coin: Maker, random: () => number): Maker {
  const word = wordsFrom({ seen: [], novelty: NOVELTY_OF_STRANGERS, coin, random });
  const form = wordsFrom({ seen: [], novelty: NOVELTY_OF_FORMS, coin, random });
  return () => [...Array.from({ length: 1 + Math.floor(random() * 3) }, word), form()].join(' ');
}

/** The beginning of one word and the end of another; seldom a beginning that no word has. */
function wordCoiner(words: readonly string[], random: () => number): Maker {
  const character = characterDrawer(random);
  return () => {
    const [one = '', other = ''] = [pick(words, random), pick(words, random)];
    const start = [...one].slice(0, Math.ceil(one.length / 2));
    if (random() < NEW_BEGINNING) start[0] = character();
    return start.join('') + [...other].slice(Math.floor(other.length / 2)).join('');
  };
}

/** Letters as known words have them, in any order. */
function letterCoiner(words: readonly string[], random: () => number): Maker {
  const character = characterDrawer(random);
  const letters = [...words.join('')];
  return () =>
    [character(), ...Array.from({ length: 2 + Math.floor(random() * 6) }, () => pick(letters, random))].join(
      '',
    );
}

/** Most letters are those that are frequent at the beginnings of names, and the frequent ones of a script stand first. */
function scriptCoiner([first, last]: readonly [string, string], random: () => number): Maker {
  const [from, to] = [first.codePointAt(0) ?? 0, last.codePointAt(0) ?? 0];
  const isOfScript = (letter: string) => letter >= first && letter <= last;
  const frequent = CHARACTER_GROUPS.flatMap(({ characters }) => characters).filter(isOfScript);
  const placeIn = (count: number) => Math.floor(random() ** 1.5 * count);
  const letter = () =>
    random() < FREQUENT
      ? (frequent[placeIn(frequent.length)] ?? '')
      : String.fromCodePoint(from + placeIn(to - from + 1));
  return () => Array.from({ length: 3 + Math.floor(random() * 5) }, letter).join('');
}

/** Characters as words begin with them in general. */
function characterDrawer(random: () => number): Maker {
  const seeds = [LATIN_LETTERS, DIGITS].flatMap(({ characters, weight }) =>
    characters.map((text, place) => ({ text, weight: weight(place) })),
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
// A few names begin with one, where hardly anybody looks.
const SIGNS = ['„', '«', ...ASCII_PUNCTUATION.characters.slice(0, 5)];
const SIGN_FIRST = 0.003;
const FREQUENT = 0.6;
const NOVELTY = 20;
const NOVELTY_OF_STRANGERS = 8;
const NOVELTY_OF_FORMS = 2;
const NEW_BEGINNING = 0.15;
const FEWEST_WORDS = 10;
const USUAL_LENGTH = 3;

export interface WordSource {
  /** Words that were seen, each as often as it was. */
  readonly seen: readonly string[];
  /** How many words seen weigh as much as the chance of a new one. */
  readonly novelty: number;
  readonly coin: () => string;
  readonly random: () => number;
}

/**
 * Words as names come to have them: one that others have, the more of them the likelier; or a new one, which others
 * will have. The more words there are, the likelier one more (Pitman and Yor, Annals of Probability 25(2), 1997).
 */
export function wordsFrom({ seen, novelty, coin, random }: WordSource): () => string {
  const drawn = [...seen];
  let different = new Set(seen).size;
  return () => {
    const isNew = random() < (novelty + DISCOUNT * different) / (drawn.length + novelty);
    const word = isNew ? coin() : (drawn[Math.floor(random() * drawn.length)] ?? coin());
    if (isNew) different++;
    drawn.push(word);
    return word;
  };
}

const DISCOUNT = 0.5;
