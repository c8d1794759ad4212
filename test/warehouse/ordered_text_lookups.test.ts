import fc from 'fast-check';
import { expect, test } from 'vitest';
import { forget } from '../../src/load/forget.ts';
import { reprocess } from '../../src/load/reprocess.ts';
import { folded } from '../../src/names/folding.ts';
import { afterAll, SortedTexts, type TextsInOrder } from '../../src/names/ordered_texts.ts';
import { foldedIdentifier } from '../../src/names/query_matching.ts';
import { openTextsInOrder } from '../../src/warehouse/ordered_text_lookups.ts';
import type { Warehouse } from '../../src/warehouse/warehouse.ts';
import { bench, dialectWith, START_MS } from '../support/loader.ts';

const COMPANIES = [
  { id: 'C1', name: 'ACME  Ltd' },
  { id: 'c2', name: 'Éclair' },
  { id: 'C3', name: 'Acme Ltd' },
  { id: 'D4', name: '～ 😀 ～' },
  { id: '004', name: '😀' },
  { id: 'X5' },
];

test('name and identifier counts stay exact after renames, forgetting and rebuilds', async () => {
  const { warehouse, search, record } = bench();
  search('a', { total: 6, results: COMPANIES });
  expectOrder(warehouse, COMPANIES);

  record('C1', { id: 'C1', name: 'Bank of ACME' });
  const renamed = COMPANIES.map((one) => (one.id === 'C1' ? { ...one, name: 'Bank of ACME' } : one));
  expectOrder(warehouse, renamed);

  forget({ warehouse, dialect: dialectWith(), entityIds: ['C3'], nowMs: START_MS });
  const left = renamed.filter(({ id }) => id !== 'C3');
  expectOrder(warehouse, left);

  await reprocess({ warehouse, dialect: dialectWith() });
  expectOrder(warehouse, left);
});

function expectOrder({ db }: Warehouse, companies: readonly { id: string; name?: string }[]): void {
  const names = companies.flatMap(({ name }) => (name === undefined ? [] : [folded(name)]));
  expectSame(openTextsInOrder(db, 'name'), names);
  expectSame(
    openTextsInOrder(db, 'identifier'),
    companies.map(({ id }) => foldedIdentifier(id)),
  );
}

function expectSame(held: TextsInOrder, texts: readonly string[]): void {
  const sorted = new SortedTexts(texts);
  expect([...held.all()]).toEqual([...sorted.all()]);
  const text = fc.constantFrom('', 'a', 'acme', 'é', '～', '😀', 'C', 'D4', afterAll(''), ...texts);
  fc.assert(
    fc.property(text, text, fc.integer({ min: 0, max: 7 }), (from, to, places) => {
      expect(held.countBetween(from, to)).toBe(sorted.countBetween(from, to));
      expect(held.at(from, places)).toBe(sorted.at(from, places));
    }),
  );
}
