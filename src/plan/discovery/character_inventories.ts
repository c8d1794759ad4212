import { CHARACTER_GROUPS } from './first_characters.ts';

/**
 * Scripts of thousands of characters: those in common use, as the national standards for encoding list them. `common`: the
 * groups of first characters that come first.
 */
const STANDARDS = [
  // JIS X 0208: kana and the first level of kanji.
  { encoding: 'euc-jp', common: /kanji/, rows: [0xa4, 0xa5, ...range(0xb0, 0xcf)], cells: range(0xa1, 0xfe) },
  // GB 2312, first level.
  { encoding: 'gb2312', common: /hanzi/, rows: range(0xb0, 0xd7), cells: range(0xa1, 0xfe) },
  // Big5, frequently used characters.
  {
    encoding: 'big5',
    common: /hanzi/,
    rows: range(0xa4, 0xc6),
    cells: [...range(0x40, 0x7e), ...range(0xa1, 0xfe)],
  },
  // KS X 1001, hangul.
  { encoding: 'euc-kr', common: /hangul/, rows: range(0xb0, 0xc8), cells: range(0xa1, 0xfe) },
] as const;

/** The inventory that holds most of the characters seen; empty where hardly any was of such a script. */
export function inventoryOf(isSeen: (character: string) => boolean): readonly string[] {
  let best: readonly string[] = [];
  let most = FEWEST_SEEN - 1;
  for (const standard of STANDARDS) {
    const characters = charactersOf(standard);
    const seen = characters.filter(isSeen).length;
    if (seen <= most) continue;
    [best, most] = [characters, seen];
  }
  return best;
}

const inventories = new Map<string, readonly string[]>();

function charactersOf({ encoding, common, rows, cells }: (typeof STANDARDS)[number]): readonly string[] {
  const before = inventories.get(encoding);
  if (before !== undefined) return before;
  const bytes = rows.flatMap((row) => cells.flatMap((cell) => [row, cell]));
  const text = new TextDecoder(encoding).decode(Uint8Array.from(bytes));
  const standard = new Set(text.match(/\p{L}/gu));
  const first = CHARACTER_GROUPS.filter(({ name }) => common.test(name)).flatMap((group) => group.characters);
  const characters = [...new Set([...first, ...standard])];
  inventories.set(encoding, characters);
  return characters;
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}

const FEWEST_SEEN = 30;
