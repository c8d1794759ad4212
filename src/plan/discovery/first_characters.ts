/**
 * Characters that names begin with, in the order in which they are tried. Those of scripts that known names use are
 * expected most; a script that no known name uses comes after all that any name may begin with.
 */
export interface CharacterGroup {
  readonly name: string;
  /** Groups of a lower rank are tried first. */
  readonly rank: number;
  /** When all of it is tried before a script that no known name uses. */
  readonly precedes: 'always' | 'if all known names are Latin' | 'never';
  /** Is all of it tried before companies that the registry counts are given up? */
  readonly isDue: boolean;
  /** Its letters belong to this script; null: names in any script have such characters. */
  readonly script: Script | null;
  /** The most frequent ones first. */
  readonly characters: readonly string[];
  /** Prior weight of the character at this place; 0: none is expected before one was seen. */
  weight(place: number): number;
}

export type Script = keyof typeof LETTERS;

/**
 * Scripts that names mix are one: a Japanese name has kanji and kana. `starts`: in the order of code points, letters of the
 * script follow each of these.
 */
const LETTERS = {
  latin: { letter: /\p{Script=Latin}/u, starts: ['a', 'ａ'] },
  greek: { letter: /\p{Script=Greek}/u, starts: ['Ͱ'] },
  cyrillic: { letter: /\p{Script=Cyrillic}/u, starts: ['Ѐ'] },
  hebrew: { letter: /\p{Script=Hebrew}/u, starts: ['א'] },
  arabic: { letter: /\p{Script=Arabic}/u, starts: ['ء'] },
  cjk: { letter: /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u, starts: ['ぁ', '一'] },
  hangul: { letter: /\p{Script=Hangul}/u, starts: ['가'] },
} as const;

const OTHER_SCRIPT = { rank: 5, precedes: 'never', isDue: false, weight: () => 0.002 } as const;
const ANY_NAME = { precedes: 'always', isDue: true } as const;
const LATIN_NAMES = { precedes: 'if all known names are Latin', isDue: false } as const;

export const LATIN_LETTERS: CharacterGroup = {
  ...{ name: 'Latin letters', rank: 0, ...ANY_NAME, script: 'latin' },
  characters: [...'acsmbpetdgrhilnfwkjovuzyxq'],
  weight: (place) => 1 / (1 + place / 8),
};
export const DIGITS: CharacterGroup = {
  ...{ name: 'digits', rank: 1, ...ANY_NAME, script: null },
  characters: [...'1234567890'],
  weight: (place) => 0.15 / (1 + place / 4),
};
/** `&` comes first: most registries have a name with it, so its response shows whether punctuation is searched. */
export const ASCII_PUNCTUATION: CharacterGroup = {
  ...{ name: 'ASCII punctuation', rank: 2, ...ANY_NAME, script: null },
  characters: [...'&\'"(#@+.-!*$/[:?%=,~_<;>)\\]^{|}`'],
  weight: () => 0,
};

export const CHARACTER_GROUPS: readonly CharacterGroup[] = [
  LATIN_LETTERS,
  DIGITS,
  ASCII_PUNCTUATION,
  {
    ...{ name: 'kanji and kana', ...OTHER_SCRIPT, script: 'cjk' },
    characters: [...'株有合東大日三中新一アスエサコ山北西フトマ'],
  },
  { ...{ name: 'hanzi', ...OTHER_SCRIPT, script: 'cjk' }, characters: [...'上深广北江浙杭南天成华'] },
  { ...{ name: 'hangul', ...OTHER_SCRIPT, script: 'hangul' }, characters: [...'주한에삼대'] },
  {
    ...{ name: 'Cyrillic letters', ...OTHER_SCRIPT, script: 'cyrillic' },
    characters: [...'соапткмвнргиэюбдлфцзеу'],
  },
  { ...{ name: 'Greek letters', ...OTHER_SCRIPT, script: 'greek' }, characters: [...'ακπμσετδγν'] },
  { ...{ name: 'Hebrew letters', ...OTHER_SCRIPT, script: 'hebrew' }, characters: [...'שאמ'] },
  { ...{ name: 'Arabic letters', ...OTHER_SCRIPT, script: 'arabic' }, characters: [...'شمأا'] },
  {
    ...{ name: 'Latin letters with diacritics', rank: 3, ...LATIN_NAMES, script: 'latin' },
    characters: [...'øåäöéüčšžłıç'],
    weight: () => 0.002,
  },
  {
    ...{ name: 'rarer Latin letters with diacritics', rank: 4, ...LATIN_NAMES, script: 'latin' },
    characters: [...'áàèóñæêíúâōāēīūśżőğş'],
    weight: () => 0,
  },
  {
    ...{ name: 'typographic punctuation', rank: 4, ...LATIN_NAMES, script: null },
    characters: [...'“„‘’«–'],
    weight: () => 0,
  },
];

/** The script of the first character of a text; null: it is no letter, or of a script not listed. */
export function scriptOf(text: string): Script | null {
  const [first = ''] = text;
  return SCRIPTS.find((script) => LETTERS[script].letter.test(first)) ?? null;
}

/** The scripts that a text uses. */
export function scriptsIn(text: string): Script[] {
  return SCRIPTS.filter((script) => LETTERS[script].letter.test(text));
}

/** The scripts that texts in the order of code points begin with. */
export function scriptsAmong(texts: { at(from: string, places: number): string | null }): Script[] {
  const isIn = (script: Script) =>
    LETTERS[script].starts.some((start) => scriptOf(texts.at(start, 0) ?? '') === script);
  return SCRIPTS.filter(isIn);
}

const SCRIPTS = Object.keys(LETTERS) as Script[];

/** A character that names begin with although no word does. */
export function isPunctuation(text: string): boolean {
  return PUNCTUATION.test(text);
}

const PUNCTUATION = /^[^\p{L}\p{M}\p{N}\s]$/u;
