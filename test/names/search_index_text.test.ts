import { expect, test } from 'vitest';
import { indexedText } from '../../src/names/search_index_text.ts';

test.each([
  [null, null],
  ['Plain Ltd', 'Plain Ltd'],
  ['Société Générale', 'Société Générale\nsociete generale'],
  ['Ærø Byg', 'Ærø Byg'],
  ['東京商事', '東京商事'],
  ['ガス', 'ガス\nカス'],
  ['Old\nÉté\nCafé', 'Old\nÉté\nCafé\nete\ncafe'],
])('the indexed text for %j contains each name with and without diacritics', (text, indexed) => {
  expect(indexedText(text)).toBe(indexed);
});
