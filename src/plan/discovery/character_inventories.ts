import { CHARACTER_GROUPS } from './first_characters.ts';

/**
 * Character inventories: the alphabets of scripts with few letters, and the common characters of scripts with thousands
 * of characters. National encoding standards define which of these are in common use.
 */

/**
 * The standards, each with an inventory.
 *
 * An inventory begins with the groups in `first_characters.ts` whose names match `common`.
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

/** The letters of scripts with few letters, and the quotation marks that names in these scripts begin with. */
export const ALPHABETS: readonly (readonly string[])[] = [
  'αβγδεζηθικλμνξοπρστυφχψω',
  'абвгдежзийклмнопрстуфхцчшщъыьэюяєіїґўљњћђџј„',
  'אבגדהוזחטיכלמנסעפצקרשת',
  'ءآأإابتثجحخدذرزسشصضطظعغفقكلمنهويپچگکی',
].map((letters) => [...letters]);

/** The inventories by encoding. Each inventory is decoded once and never changes. */
const inventories = new Map<string, readonly string[]>();

function charactersOf({ encoding, common, rows, cells }: (typeof STANDARDS)[number]): readonly string[] {
  const existing = inventories.get(encoding);
  if (existing !== undefined) return existing;
  const bytes = rows.flatMap((row) => cells.flatMap((cell) => [row, cell]));
  const text = new TextDecoder(encoding).decode(Uint8Array.from(bytes));
  const letters = new Set(text.match(/\p{L}/gu));
  const first = CHARACTER_GROUPS.filter(({ name }) => common.test(name)).flatMap((group) => group.characters);
  const characters = [...new Set([...first, ...letters])];
  inventories.set(encoding, characters);
  return characters;
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}

const MIN_KNOWN = 30;
