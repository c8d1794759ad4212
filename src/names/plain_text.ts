/**
 * Returns a name without the HTML in it: tags for highlights are removed (`<mark>Vil</mark>nius`), entities are decoded
 * (`&amp;`, `&#038;`), and spaces are collapsed. A text without HTML is returned unchanged.
 */
export function plainText(text: string): string {
  const plain = withoutEntities(text.replace(TAG, ''));
  return plain === text ? text : plain.replace(/\s+/gu, ' ').trim();
}

/** Returns a text with its HTML entities decoded. */
export function withoutEntities(text: string): string {
  return text.replace(ENTITY, decoded);
}

const TAG = /<\/?(?:mark|em|strong|b|i|u|span|font|hl|highlight|hit|br|sup|sub)(?:\s[^<>]*)?\/?>/gi;
const ENTITY = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi;

function decoded(entity: string, decimal?: string, hex?: string, name = ''): string {
  if (decimal !== undefined) return character(Number(decimal)) ?? entity;
  if (hex !== undefined) return character(Number.parseInt(hex, 16)) ?? entity;
  const letter = /^([a-z])([a-z]+)$/i.exec(name);
  const mark = DIACRITICS[letter?.[2] ?? ''];
  return mark === undefined
    ? (NAMED[name] ?? NAMED[name.toLowerCase()] ?? entity)
    : `${letter?.[1]}${mark}`.normalize('NFC');
}

function character(code: number): string | null {
  const isValid = code > 0 && code <= 0x10_ff_ff && (code < 0xd8_00 || code > 0xdf_ff);
  return isValid ? String.fromCodePoint(code) : null;
}

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  laquo: '«',
  raquo: '»',
  szlig: 'ß',
  aelig: 'æ',
  AElig: 'Æ',
  oslash: 'ø',
  Oslash: 'Ø',
  oelig: 'œ',
  OElig: 'Œ',
};

/** The combining marks in names of entities such as `eacute` and `Uuml`. */
const DIACRITICS: Readonly<Record<string, string>> = {
  grave: '\u0300',
  acute: '\u0301',
  circ: '\u0302',
  tilde: '\u0303',
  uml: '\u0308',
  ring: '\u030a',
  caron: '\u030c',
  cedil: '\u0327',
};
