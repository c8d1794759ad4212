import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wordsOf } from '../../src/names/folding.ts';
import { SortedWords } from '../../src/names/ordered_words.ts';
import { findsName } from '../../src/names/query_matching.ts';
import { NameModel } from '../../src/plan/discovery/name_model.ts';
import { OrderedCounts } from '../../src/plan/discovery/ordered_counts.ts';
import { PrefixCounts } from '../../src/plan/discovery/prefix_counts.ts';
import { PrefixTexts } from '../../src/plan/discovery/prefix_texts.ts';

// The alphabet is small, so that words repeat and share prefixes. UTF-16 and UTF-8 sort the last two characters
// differently.
const word = fc
  .array(fc.constantFrom('a', 'b', 'é', 'ｚ', '𝒂'), { minLength: 1, maxLength: 4 })
  .map((one) => one.join(''));
const name = fc.array(word, { maxLength: 5 }).map((words) => words.join(' '));

test('each company with words that have the prefix is counted once, before and after additions', () => {
  fc.assert(
    fc.property(
      fc.array(name, { maxLength: 40 }),
      fc.array(name, { maxLength: 40 }),
      fc.array(word),
      fc.constantFrom('', 'a', 'ab', '𝒂'),
      (first, later, asked, beside) => {
        const of = { beside, isWhole: false };
        const names = first.filter((one) => beside === '' || findsName('token_prefix', beside, one));
        const words = new SortedWords(of, first);
        const counted = beginnings(new OrderedCounts(words));
        const trie = beginnings(new PrefixCounts());
        for (const one of names) trie.add(wordsOf(one));
        expectSame({ counted, trie, names, asked });
        for (const one of later) {
          words.add(one);
          if (beside !== '' && !findsName('token_prefix', beside, one)) continue;
          names.push(one);
          counted.add(wordsOf(one));
          trie.add(wordsOf(one));
          expectSame({ counted, trie, names, asked: ['a', ...wordsOf(one)] });
        }
        expectSame({ counted, trie, names, asked });
      },
    ),
  );
});

function expectSame(all: {
  readonly counted: PrefixTexts;
  readonly trie: PrefixTexts;
  readonly names: readonly string[];
  readonly asked: readonly string[];
}): void {
  const { counted, trie, names } = all;
  for (const text of all.asked) {
    expect(counted.known(text)).toBe(names.filter((one) => findsName('token_prefix', text, one)).length);
    expect(counted.ending(text)).toBe(names.filter((one) => findsName('token', text, one)).length);
    expect(counted.spread(text)).toEqual(trie.spread(text));
  }
  expect(counted.known('')).toBe(trie.known(''));
  expect(counted.spread('')).toEqual(trie.spread(''));
}

function beginnings(counts: PrefixCounts | OrderedCounts): PrefixTexts {
  return new PrefixTexts({
    counts,
    longest: LONGEST,
    repeats: true,
    first: [],
    canBeSent: () => true,
    readAs: (text) => text,
    model: new NameModel([], true),
  });
}

const LONGEST = 24;
