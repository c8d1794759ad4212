import fc from 'fast-check';
import { expect, test } from 'vitest';
import { editDistance } from '../../src/names/similarity.ts';
import { spellingsOf } from '../../src/names/spelling.ts';

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 4, maxLength: 7 });

test('the spellings of a word are all words of four characters or more at one edit from it', () => {
  fc.assert(
    fc.property(word, word, (one, other) => {
      const spellings = spellingsOf(one);
      for (const spelling of spellings) {
        expect(spelling.length).toBeGreaterThanOrEqual(4);
        expect(editDistance([...one], [...spelling])).toBe(1);
      }
      expect(spellings.includes(other)).toBe(editDistance([...one], [...other]) === 1);
    }),
  );
});

test('a word of three characters has no other spelling', () => {
  expect(spellingsOf('abc')).toEqual([]);
});
