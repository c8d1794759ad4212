import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PrefixCounts } from '../../../src/plan/discovery/prefix_counts.ts';

// Few characters, so that texts repeat and share beginnings; two of them are pairs that begin alike.
const characters = fc.constantFrom('a', 'b', ' ', 'é', '😀', '😁');
const text = fc.array(characters, { maxLength: 7 }).map((one) => one.join(''));
const companies = fc.array(fc.uniqueArray(text, { minLength: 1, maxLength: 5 }), { maxLength: 120 });

test('counts the texts that begin with a text, and those that are it', () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 200 }), fc.array(text), (texts, others) => {
      const counts = new PrefixCounts();
      for (const one of texts) counts.add(one);
      for (const asked of ['', ...others, ...texts]) {
        expect(counts.count(asked)).toBe(texts.filter((one) => one.startsWith(asked)).length);
        expect(counts.ends(asked)).toBe(texts.filter((one) => one === asked).length);
      }
    }),
  );
});

test('a company with several texts counts once below each beginning that they share', () => {
  fc.assert(
    fc.property(companies, (all) => {
      const counts = new PrefixCounts();
      for (const texts of all) addCompany(counts, texts);
      for (const asked of ['', ...all.flatMap(beginnings)]) {
        const having = all.filter((texts) => texts.some((one) => one.startsWith(asked)));
        expect(counts.count(asked)).toBe(having.length);
      }
    }),
  );
});

test('the followers of a text are its longer texts by one character, each with its count', () => {
  fc.assert(
    fc.property(companies, text, (all, asked) => {
      const counts = new PrefixCounts();
      for (const texts of all) addCompany(counts, texts);
      const longer = all.flatMap((texts) => texts.filter((one) => one.startsWith(asked) && one !== asked));
      const following = new Set(longer.map((one) => [...one.slice(asked.length)][0] as string));
      const expected = [...following].map((one) => [one, counts.count(asked + one)] as const);
      expect(counts.followers(asked)).toEqual(new Map(expected));
    }),
  );
});

test('what is asked in between changes no count', () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 100 }), text, (texts, asked) => {
      const disturbed = new PrefixCounts();
      const counts = new PrefixCounts();
      for (const one of texts) {
        disturbed.add(one);
        disturbed.followers(asked);
        counts.add(one);
      }
      for (const one of ['', asked, ...texts]) {
        expect(disturbed.count(one)).toBe(counts.count(one));
        expect(disturbed.followers(one)).toEqual(counts.followers(one));
      }
    }),
  );
});

test('thousands of texts below one beginning are counted as few are', () => {
  const counts = new PrefixCounts();
  for (let at = 0; at < 5000; at++) counts.add(`acme ${at}`);
  expect(counts.count('acme ')).toBe(5000);
  expect(counts.count('acme 49')).toBe(111);
  expect(counts.ends('acme 49')).toBe(1);
  expect(counts.followers('acme 499')).toEqual(
    new Map([...'0123456789'].map((digit) => [digit, 1] as const)),
  );
});

/** As its texts are added in the product: in alphabetical order, each counted from where it leaves the one before. */
function addCompany(counts: PrefixCounts, texts: readonly string[]): void {
  let before: string | null = null;
  for (const one of texts.toSorted()) {
    counts.add(one, before === null ? -1 : sharedLength(before, one));
    before = one;
  }
}

function sharedLength(one: string, other: string): number {
  const differs = [...one].findIndex((character, at) => [...other][at] !== character);
  return differs === -1 ? one.length : [...one].slice(0, differs).join('').length;
}

function beginnings(texts: readonly string[]): string[] {
  return texts.flatMap((one) => [...one].map((_, at, all) => all.slice(0, at + 1).join('')));
}
