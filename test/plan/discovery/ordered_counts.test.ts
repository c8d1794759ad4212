import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SortedTexts } from '../../../src/names/ordered_texts.ts';
import { OrderedCounts } from '../../../src/plan/discovery/ordered_counts.ts';
import { PrefixCounts } from '../../../src/plan/discovery/prefix_counts.ts';

// The alphabet is small, so that strings repeat and share prefixes. UTF-16 and UTF-8 sort the last two characters
// differently.
const characters = fc.constantFrom('a', 'b', ' ', 'é', '～', '😀');
const text = fc.array(characters, { maxLength: 6 }).map((one) => one.join(''));

test('the sorted index returns the same prefix counts as a trie, before and after additions', () => {
  fc.assert(
    fc.property(
      fc.array(text, { maxLength: 60 }),
      fc.array(text, { maxLength: 60 }),
      fc.array(text),
      (first, later, queries) => {
        const texts = new SortedTexts(first);
        const ordered = new OrderedCounts(texts);
        const trie = new PrefixCounts();
        for (const one of first) trie.add(one);
        const all = ['', ...queries, ...first, ...later];
        expectSame(ordered, trie, all);
        for (const one of later) {
          trie.add(one);
          texts.add(one);
          ordered.add(one);
          expectSame(ordered, trie, [one, one.slice(0, 1), '']);
        }
        expectSame(ordered, trie, all);
      },
    ),
  );
});

test('prefix counts are correct if thousands of prefixes are counted and some of them are forgotten', () => {
  const first = [
    ...numbered('acme', 5000),
    ...Array<string>(2000).fill('acme 499'),
    ...numbered('bank', 300),
  ];
  const texts = new SortedTexts(first);
  const ordered = new OrderedCounts(texts);
  expect(ordered.count('')).toBe(7300);
  expect(ordered.count('acme ')).toBe(7000);
  expect(ordered.count('acme 49')).toBe(2111);
  expect(ordered.ends('acme 499')).toBe(2001);
  expect(ordered.followers('acme 499')).toEqual(new Map([...'0123456789'].map((digit) => [digit, 1])));
  for (const one of numbered('bank', 5000)) {
    texts.add(one);
    ordered.add(one);
  }
  expect(ordered.count('bank')).toBe(5300);
  expect(ordered.count('bank 3')).toBe(1111 + 11);
});

function expectSame(ordered: OrderedCounts, trie: PrefixCounts, texts: readonly string[]): void {
  for (const one of texts) {
    expect(ordered.count(one)).toBe(trie.count(one));
    expect(ordered.ends(one)).toBe(trie.ends(one));
    expect(ordered.followers(one)).toEqual(trie.followers(one));
  }
}

function numbered(word: string, count: number): string[] {
  return Array.from({ length: count }, (_, at) => `${word} ${at}`);
}
