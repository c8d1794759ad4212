/**
 * How texts are compared while it is not known how the API compares them: overlooking case, diacritics, width
 * and the kind of space.
 */
export function loosely(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[ßøæœłđıþð]/g, (letter) => SPELLED[letter] ?? letter)
    .replace(/\s+/gu, ' ')
    .trim();
}

const SPELLED: Record<string, string> = {
  ß: 'ss',
  ø: 'o',
  æ: 'ae',
  œ: 'oe',
  ł: 'l',
  đ: 'd',
  ı: 'i',
  þ: 'th',
  ð: 'd',
};

/** Could any search for the text find this? Each of its words occurs somewhere. */
export function mayFind(text: string, found: string): boolean {
  const loose = loosely(found);
  const words = loosely(text).match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.length > 0 && words.every((word) => loose.includes(word));
}
