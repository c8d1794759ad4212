import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isOneEditAway, spellingsOf } from '../../src/names/spelling.ts';

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 4, maxLength: 7 });

test('all spellings of a word, and no other words, are at one edit from it', () => {
  fc.assert(
    fc.property(word, word, (one, other) => {
      const spellings = spellingsOf(one, () => true);
      for (const spelling of spellings) expect(isOneEditAway(one, spelling)).toBe(true);
      if (one !== other) expect(spellings.includes(other)).toBe(isOneEditAway(one, other));
    }),
  );
});

test('a spelling is not built if its changed part is impossible', () => {
  const parts: string[] = [];
  expect(
    spellingsOf('smth', (part) => {
      parts.push(part);
      return part === 'smith';
    }),
  ).toEqual(['smith']);
  expect(parts).toContain('smath');
});

test('a word of three characters has no other spelling', () => {
  expect(spellingsOf('abc', () => true)).toEqual([]);
});
