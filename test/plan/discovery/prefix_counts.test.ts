import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PrefixCounts } from '../../../src/plan/discovery/prefix_counts.ts';

// The alphabet is small, so that strings repeat and share prefixes. The last two characters begin with the same
// surrogate.
const characters = fc.constantFrom('a', 'b', ' ', 'é', '😀', '😁');
const text = fc.array(characters, { maxLength: 7 }).map((one) => one.join(''));
const companies = fc.array(fc.uniqueArray(text, { minLength: 1, maxLength: 5 }), { maxLength: 120 });

test('the prefix index counts matches and endings like a full scan', () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 200 }), fc.array(text), (texts, others) => {
      const counts = new PrefixCounts();
      for (const one of texts) counts.add(one);
      for (const query of ['', ...others, ...texts]) {
        expect(counts.count(query)).toBe(texts.filter((one) => one.startsWith(query)).length);
        expect(counts.ends(query)).toBe(texts.filter((one) => one === query).length);
      }
    }),
  );
});

test('a company with several strings counts once for each prefix that they share', () => {
  fc.assert(
    fc.property(companies, (all) => {
      const counts = new PrefixCounts();
      for (const texts of all) addCompany(counts, texts);
      for (const query of ['', ...all.flatMap(prefixesOf)]) {
        const having = all.filter((texts) => texts.some((one) => one.startsWith(query)));
        expect(counts.count(query)).toBe(having.length);
      }
    }),
  );
});

test('the prefix index returns the characters that follow a prefix, each with its count', () => {
  fc.assert(
    fc.property(companies, text, (all, prefix) => {
      const counts = new PrefixCounts();
      for (const texts of all) addCompany(counts, texts);
      const longer = all.flatMap((texts) => texts.filter((one) => one.startsWith(prefix) && one !== prefix));
      const following = new Set(longer.map((one) => [...one.slice(prefix.length)][0] as string));
      const expected = [...following].map((one) => [one, counts.count(prefix + one)] as const);
      expect(counts.followers(prefix)).toEqual(new Map(expected));
    }),
  );
});

/**
 * Adds the strings as `PrefixTexts` does: sorted, each without the prefixes already counted for the string before it.
 */
function addCompany(counts: PrefixCounts, texts: readonly string[]): void {
  let previous: string | null = null;
  for (const one of texts.toSorted()) {
    counts.add(one, previous === null ? -1 : sharedLength(previous, one));
    previous = one;
  }
}

function sharedLength(one: string, other: string): number {
  const differs = [...one].findIndex((character, at) => [...other][at] !== character);
  return differs === -1 ? one.length : [...one].slice(0, differs).join('').length;
}

function prefixesOf(texts: readonly string[]): string[] {
  return texts.flatMap((one) => [...one].map((_, at, all) => all.slice(0, at + 1).join('')));
}
