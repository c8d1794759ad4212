import fc from 'fast-check';
import { expect, test } from 'vitest';
import { forget } from '../../src/load/forget.ts';
import { reprocess } from '../../src/load/reprocess.ts';
import { folded, wordsOf } from '../../src/names/folding.ts';
import { ALL_COMPANIES, afterAll, type WordsInOrder } from '../../src/names/ordered_texts.ts';
import { SortedWords } from '../../src/names/ordered_words.ts';
import { findsName } from '../../src/names/query_matching.ts';
import { openWordsInOrder } from '../../src/warehouse/ordered_text_lookups.ts';
import type { Warehouse } from '../../src/warehouse/warehouse.ts';
import { bench, dialectWith, resultPage, START_MS } from '../support/loader.ts';

const WINDOW = 2;
const BY_WORDS = { search: { matches: 'token_prefix', paging: paging() } };

type Company = { readonly id: string; readonly name?: string };

// The alphabet is small, so that words repeat and share prefixes. One of the characters needs two UTF-16 units.
const word = fc.oneof(
  fc
    .array(fc.constantFrom('a', 'b', 'É', 'ｚ', '𝒂'), { minLength: 1, maxLength: 3 })
    .map((one) => one.join('')),
  fc.constantFrom('Limited', 'Limiteds', 'a\u0301b', '株式会社'),
);
const name = fc
  .tuple(fc.array(word, { maxLength: 4 }), fc.constantFrom(' ', '  ', '-'))
  .map(([words, between]) => words.join(between));

test('word counts match a scan of all names after renames, forgetting and rebuilds', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(name, { minLength: 1, maxLength: 30 }),
      fc.array(name, { maxLength: 8 }),
      fc.array(fc.nat(), { maxLength: 4 }),
      async (names, renamed, forgotten) => {
        const { warehouse, search, record, value } = bench({ dialect: BY_WORDS });
        let companies: Company[] = names.map((one, at) => ({ id: `C${at}`, name: one }));
        search('limited', { total: 40, results: companies });
        expectWords(warehouse, companies);

        for (const [at, newName] of renamed.entries()) {
          record(`C${at}`, { id: `C${at}`, name: newName });
          companies = [...companies.filter(({ id }) => id !== `C${at}`), { id: `C${at}`, name: newName }];
        }
        expectWords(warehouse, companies);

        for (const at of forgotten) {
          const one = companies[at % companies.length];
          if (one === undefined) continue;
          forget({ warehouse, dialect: dialectWith(BY_WORDS), entityIds: [one.id], nowMs: START_MS });
          companies = companies.filter(({ id }) => id !== one.id);
        }
        expectWords(warehouse, companies);

        await reprocess({ warehouse, dialect: dialectWith(BY_WORDS) });
        expectWords(warehouse, companies);
        expect(value('SELECT count(*) FROM _name_word WHERE companies <= 0')).toBe(0);
        warehouse.close();
      },
    ),
    { numRuns: 30 },
  );
});

test('word counts are added for a dialect that matches words, and deleted for other dialects', () => {
  const companies = ['Acme Limited', 'Acme', 'Bank Limited'].map((one, at) => ({ id: `C${at}`, name: one }));
  const before = bench({ dialect: { search: { matches: 'prefix', paging: paging() } } });
  before.search('limited', { total: 40, results: companies });
  expect(openWordsInOrder(before.warehouse.db)).toBeNull();

  const { warehouse, search } = bench({ warehouse: before.warehouse, dialect: BY_WORDS });
  expectWords(warehouse, companies);

  const later = { id: 'C9', name: 'Late Limited' };
  search('late', resultPage(later));
  expectWords(warehouse, [...companies, later]);

  const after = bench({ warehouse, dialect: { search: { matches: 'prefix', paging: paging() } } });
  expect(openWordsInOrder(warehouse.db)).toBeNull();
  expect(after.value('SELECT count(*) FROM _name_word')).toBe(0);
});

test("a name's words are not counted if its transaction is rolled back", () => {
  const { warehouse, load, outcome } = bench({ dialect: BY_WORDS });
  const query = { kind: 'search', query: { by: 'name', text: 'a' }, page: { index: 0, next: null } } as const;
  const answer = outcome({ ...query, reason: 'test', expected: 1 }, resultPage({ id: 'C1', name: 'Acme' }));
  warehouse.db.exec("CREATE TRIGGER full BEFORE INSERT ON _answer BEGIN SELECT raise(ABORT, 'full'); END");
  expect(() => load([answer])).toThrow('full');
  warehouse.db.exec('DROP TRIGGER full');
  expectWords(warehouse, []);
  load([answer]);
  expectWords(warehouse, [{ id: 'C1', name: 'Acme' }]);
});

function paging() {
  return { style: 'page', param: 'page', size: WINDOW, window: WINDOW };
}

/** Compares the counts with a scan of all names. */
function expectWords({ db }: Warehouse, companies: readonly Company[]): void {
  const names = companies.map((one) => folded(one.name ?? ''));
  const held = openWordsInOrder(db) as WordsInOrder;
  const among = names.filter((one) => wordsOf(one).length > 0);
  const words = [...new Set(among.flatMap((one) => wordsOf(one)))];
  expect(held.totals()).toMatchObject({ companies: among.length, different: words.length });
  for (const text of ['', 'a', 'b', 'limite', '𝒂', ...words]) {
    const begun = among.filter((one) => text === '' || findsName('token_prefix', text, one)).length;
    expect(held.countBetween(text, afterAll(text), text.length), text).toBe(begun);
  }
  const sorted = new SortedWords(ALL_COMPANIES, names);
  expect(held.totals()).toEqual(sorted.totals());
  const most = words.length;
  expect(held.ranked(most)).toEqual(sorted.ranked(most));
  for (const places of [0, 1, 5]) expect(held.at('b', places)).toBe(sorted.at('b', places));
}
