export type DeclaredType = 'TEXT' | 'INTEGER' | 'REAL' | '';

/** The value types, with one bit each. */
export const TYPE_BITS = {
  text: 1,
  date: 2,
  datetime: 4,
  boolean: 8,
  integer: 16,
  big_integer: 32,
  decimal: 64,
  exact: 128,
  object: 256,
  list: 512,
} as const;

const TEXTS = TYPE_BITS.text | TYPE_BITS.date | TYPE_BITS.datetime | TYPE_BITS.exact;
const WHOLES = TYPE_BITS.boolean | TYPE_BITS.integer | TYPE_BITS.big_integer;

/**
 * Returns a declared type that changes no value. SQLite converts values to their column's declared type. In an INTEGER
 * column, for example, the text "007" would become 7. A column with both text and numbers has no declared type, so that
 * each value keeps its own.
 */
export function declaredType(types: number): DeclaredType {
  const isText = (types & TEXTS) !== 0;
  const isWhole = (types & WHOLES) !== 0;
  const isDecimal = (types & TYPE_BITS.decimal) !== 0;
  if (isText) return isWhole || isDecimal ? '' : 'TEXT';
  if (!isDecimal) return isWhole ? 'INTEGER' : '';
  return (types & TYPE_BITS.big_integer) !== 0 ? '' : 'REAL';
}

export function typeNames(types: number): string {
  return Object.entries(TYPE_BITS)
    .flatMap(([name, bit]) => ((types & bit) === 0 ? [] : [name]))
    .join(' ');
}

export function typeBits(names: string): number {
  return names.split(' ').reduce((bits, name) => bits | (TYPE_BITS[name as keyof typeof TYPE_BITS] ?? 0), 0);
}
