import { expect, test } from 'vitest';
import { folded } from '../../src/names/folding.ts';

test('names that differ only in how their characters are composed fold to the same text', () => {
  expect(folded('Socie\u0301te\u0301')).toBe(folded('Société'));
  expect(folded('A\u030asbygg')).toBe('åsbygg');
});
