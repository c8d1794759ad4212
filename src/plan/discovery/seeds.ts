import type { Semantics } from '../../names/query_matching.ts';
import type { Extension } from './known_texts.ts';
import seeds from './seeds.json' with { type: 'json' };

/**
 * What a search knows about names before it knows any name: the characters and words in `seeds.json`. Queries need them
 * to begin, because a search finds only names that match a query sent so far.
 */

/** The known scripts. Scripts that occur together in names, such as kanji and kana, form one entry. */
const LETTERS = {
  latin: /\p{Script=Latin}/u,
  greek: /\p{Script=Greek}/u,
  cyrillic: /\p{Script=Cyrillic}/u,
  hebrew: /\p{Script=Hebrew}/u,
  arabic: /\p{Script=Arabic}/u,
  cjk: /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u,
  hangul: /\p{Script=Hangul}/u,
} as const;

export type Script = keyof typeof LETTERS;
const SCRIPTS = Object.keys(LETTERS) as Script[];

/**
 * Returns the script of the text's first character, or null if the character is not a letter or its script is not in
 * `LETTERS`.
 */
export function scriptOf(text: string): Script | null {
  const [first = ''] = text;
  return SCRIPTS.find((script) => LETTERS[script].test(first)) ?? null;
}

/**
 * Returns whether the text is a single character other than a letter, diacritic, digit or space. Such a character can
 * begin a name, but not a word.
 */
export function isPunctuation(text: string): boolean {
  return PUNCTUATION.test(text);
}

const PUNCTUATION = /^[^\p{L}\p{M}\p{N}\s]$/u;

interface Seed {
  readonly text: string;
  readonly weight: number;
}

/**
 * The single characters that names begin with. In each group, the most frequent comes first, and the weight of the
 * character at position `n` is `weight / (1 + decline · n)`. Groups of weight 0 are used only if known names use their
 * script.
 */
export const CHARACTER_SEEDS: readonly Seed[] = seeds.characters.flatMap(({ characters, weight, decline }) =>
  weight === 0 ? [] : [...characters].map((text, at) => ({ text, weight: weight / (1 + decline * at) })),
);

/** The single characters that identifiers begin with: digits and capital letters. */
export const IDENTIFIER_SEEDS: readonly Seed[] = [
  ...[...'0123456789'].map((text) => ({ text, weight: 1 })),
  ...[...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'].map((text) => ({ text, weight: 0.05 })),
];

/** Frequent words in company names. They are the first queries if the upstream finds only whole words. */
export const FIRST_WORDS: readonly Extension[] = seeds.firstWords.split(' ').map((text, rank) => ({
  text,
  likelihood: 0.02 / (1 + rank) ** 0.6,
  hasNewCharacter: false,
}));

/** Words in Latin letters that company names begin with in many languages. They train the name model. */
export const COMMON_WORDS: readonly string[] = seeds.commonWords.flatMap((words) => words.split(' '));

/** The letters of scripts with few letters, and the quotation marks that names in these scripts begin with. */
export const ALPHABETS: readonly (readonly string[])[] = seeds.alphabets.map((letters) => [...letters]);

/** Words that names in other scripts often begin with. Their beginnings show whether the registry uses the script. */
export const SCRIPT_WORDS: readonly string[] = seeds.scriptWords.split(' ');

/** Legal forms in other scripts, which names contain but do not begin with. */
export const SCRIPT_LEGAL_FORMS: readonly string[] = seeds.scriptLegalForms.split(' ');

/**
 * Returns the beginnings of common words in other scripts, if the upstream requires more than one character. They are
 * as long as the min query length. If queries can match inside a name, legal forms are included.
 */
export function scriptSeeds(semantics: Semantics, minLength: number): Extension[] {
  if (minLength <= 1 && semantics !== 'token') return [];
  const length = semantics === 'token' ? Number.POSITIVE_INFINITY : minLength;
  const isLongEnough = (word: string) => [...word].length >= minLength;
  const beginnings = SCRIPT_WORDS.filter(isLongEnough).map((word) => [...word].slice(0, length).join(''));
  const forms = semantics === 'prefix' ? [] : SCRIPT_LEGAL_FORMS.filter(isLongEnough);
  return [...new Set([...beginnings, ...forms])].map((text) => ({
    text,
    likelihood: SCRIPT_LIKELIHOOD,
    hasNewCharacter: true,
  }));
}

const SCRIPT_LIKELIHOOD = 1e-3;

/**
 * The inventories of scripts with thousands of characters. National encoding standards define which of them are in
 * common use. An inventory begins with the characters of its script in `seeds.json`.
 */
const STANDARDS = [
  // The kana and level 1 kanji of JIS X 0208.
  { encoding: 'euc-jp', common: /kanji/, rows: [0xa4, 0xa5, ...range(0xb0, 0xcf)], cells: range(0xa1, 0xfe) },
  // The level 1 hanzi of GB 2312.
  { encoding: 'gb2312', common: /hanzi/, rows: range(0xb0, 0xd7), cells: range(0xa1, 0xfe) },
  // The frequently used characters of Big5.
  {
    encoding: 'big5',
    common: /hanzi/,
    rows: range(0xa4, 0xc6),
    cells: [...range(0x40, 0x7e), ...range(0xa1, 0xfe)],
  },
  // The hangul of KS X 1001.
  { encoding: 'euc-kr', common: /hangul/, rows: range(0xb0, 0xc8), cells: range(0xa1, 0xfe) },
] as const;

/** Returns the inventory with the most known characters, or an empty list if none has at least 30. */
export function inventoryOf(isKnown: (character: string) => boolean): readonly string[] {
  let best: readonly string[] = [];
  let bestCount = MIN_KNOWN - 1;
  for (const standard of STANDARDS) {
    const characters = charactersOf(standard);
    const count = characters.filter(isKnown).length;
    if (count <= bestCount) continue;
    [best, bestCount] = [characters, count];
  }
  return best;
}

/** The inventories by encoding. Each inventory is decoded once and never changes. */
const inventories = new Map<string, readonly string[]>();

function charactersOf({ encoding, common, rows, cells }: (typeof STANDARDS)[number]): readonly string[] {
  const existing = inventories.get(encoding);
  if (existing !== undefined) return existing;
  const bytes = rows.flatMap((row) => cells.flatMap((cell) => [row, cell]));
  const text = new TextDecoder(encoding).decode(Uint8Array.from(bytes));
  const letters = text.match(/\p{L}/gu) ?? [];
  const first = seeds.characters
    .filter(({ name }) => common.test(name))
    .flatMap((group) => [...group.characters]);
  const characters = [...new Set([...first, ...letters])];
  inventories.set(encoding, characters);
  return characters;
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}

const MIN_KNOWN = 30;
