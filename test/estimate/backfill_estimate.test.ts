import { expect, test } from 'vitest';
import { estimateBackfill } from '../../src/estimate/backfill_estimate.ts';
import type { BackfillKnowledge, QueryState } from '../../src/knowledge.ts';
import { dialectWith, listed, named } from '../support/estimate_knowledge.ts';

const ISLES = Array.from({ length: 50 }, (_, at) => `Isle of Man ${at}`);
const OTHERS = Array.from({ length: 10 }, (_, at) => `Isleworth ${at}`);

/** The records that `--prefix "isle of"` selects in a registry with 10,000 companies. 60 of them are known. */
function recordsOf(queries: readonly QueryState[], fresh: ReadonlySet<string> = new Set()) {
  const companies = named(...ISLES, ...OTHERS);
  const knowledge: Partial<BackfillKnowledge> = {
    latestStats: () => ({ total: 10_000 }) as ReturnType<BackfillKnowledge['latestStats']>,
    knownCompanies: () => companies,
    queries: () => queries,
    freshQueries: () => queries,
    isFresh: (id) => fresh.has(id),
  };
  return estimateBackfill({
    knowledge: knowledge as BackfillKnowledge,
    dialect: dialectWith({}),
    wanted: {
      entityIds: [],
      names: [],
      withRecords: true,
      listings: [{ query: { by: 'name', text: 'isle of' }, splits: true }],
    },
  }).entity;
}

test("a shorter query's complete listing shows every company with the prefix", () => {
  expect(recordsOf([listed('name', 'isle', 60)])).toEqual({ low: 50, high: 50 });
});

test("a shorter query's total limits the number of companies with the prefix", () => {
  const { low, high } = recordsOf([listed('name', 'isl', 90), listed('name', 'is', 4000)]);
  expect(low).toBeGreaterThanOrEqual(50);
  expect(high).toBeLessThanOrEqual(90);
});

test('after the first page of a prefix, its total is the number of companies', () => {
  const begun: QueryState = { ...listed('name', 'isle of', 80), rows: 20, status: 'open' };
  expect(recordsOf([begun, listed('name', 'isl', 90)])).toEqual({ low: 80, high: 80 });
});

test("without a shorter query's listing, the registry count limits the number of companies with the prefix", () => {
  expect(recordsOf([listed('name', 'bank', 90)]).high).toBeGreaterThan(5000);
});

test('the cost estimate of a backfill leaves out fresh records', () => {
  const fresh = new Set(named(...ISLES.slice(0, 30)).map(({ entityId }) => entityId));
  expect(recordsOf([listed('name', 'isle', 60)], fresh)).toEqual({ low: 20, high: 20 });
});
