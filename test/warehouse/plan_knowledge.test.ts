import { expect, test } from 'vitest';
import { reprocess } from '../../src/load/reprocess.ts';
import { LOOKUPS, openKnowledge } from '../../src/warehouse/plan_knowledge.ts';
import type { Warehouse } from '../../src/warehouse/warehouse.ts';
import { bench, dialectWith, resultPage, START_MS } from '../support/loader.ts';

const ASK = {
  nowMs: START_MS + 60_000,
  startedAtMs: START_MS + 60_000,
  beforeMs: START_MS - 86_340_000,
  most: 10,
  except: new Set<string>(),
};

function plansOf({ db }: Warehouse): string[] {
  return Object.values(LOOKUPS).flatMap((sql) => {
    const named = Object.fromEntries([...sql.matchAll(/@(\w+)/g)].map(([, name = '']) => [name, 1]));
    const rows = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(named) as { detail: string }[];
    return rows.map(({ detail }) => detail);
  });
}

test('every lookup that a plan makes uses an index, before and after a rebuild', async () => {
  const { warehouse, record, search, stats } = bench();
  stats({ companies: 1 });
  search('a', resultPage({ id: 'C1', name: 'A' }, { id: 'C2', name: 'B' }));
  record('C1', { id: 'C1', name: 'A' });
  record('C2', { error: 'NOT_FOUND' }, 404);
  const isIndexed = (detail: string) => /USING (COVERING )?INDEX _(company|call)_/.test(detail);
  expect(plansOf(warehouse).filter((detail) => !isIndexed(detail))).toEqual([]);
  const before = openKnowledge(warehouse);
  expect(before.controlNeeded()).toBe(true);

  await reprocess({ warehouse, dialect: dialectWith() });
  expect(plansOf(warehouse).filter((detail) => !isIndexed(detail))).toEqual([]);
  for (const knowledge of [before, openKnowledge(warehouse)]) {
    expect(knowledge.controlNeeded()).toBe(true);
    expect(knowledge.statsCallsMade()).toBe(1);
    expect(knowledge.knownCount()).toBe(2);
    expect(knowledge.existingCount()).toBe(1);
    expect(knowledge.recordsDue({ ...ASK, beforeMs: START_MS + 3_600_000 })).toEqual([
      { entityId: 'C2', why: 'missing' },
      { entityId: 'C1', why: 'stale' },
    ]);
    expect([...knowledge.queries()]).toMatchObject([
      { query: { by: 'name', text: 'a' }, status: 'complete' },
    ]);
  }
});

test('the names of known companies are read one by one', () => {
  const { warehouse, search } = bench();
  search('a', resultPage({ id: 'C1', name: 'A' }, { id: 'C2' }));
  expect([...openKnowledge(warehouse).knownCompanies()]).toEqual([
    { entityId: 'C1', name: 'A' },
    { entityId: 'C2', name: null },
  ]);
});

test('a sample of ids is spread over all known companies, without those that are missing', () => {
  const { warehouse, search, record } = bench();
  const results = Array.from({ length: 40 }, (_, at) => ({ id: `C${at}`, name: 'A' }));
  search('a', { total: 40, results });
  record('C20', { error: 'NOT_FOUND' }, 404);
  const knowledge = openKnowledge(warehouse);
  expect(knowledge.sampleIds(4)).toEqual(['C0', 'C10', 'C21', 'C30']);
  expect(knowledge.sampleIds(100)).toHaveLength(39);
});

test('before the first registry count, the first one counts, because nothing shows that the registry has grown', () => {
  const { warehouse, stats } = bench();
  const knowledge = openKnowledge(warehouse);
  expect(knowledge.registryCountAt(START_MS)).toBeNull();
  stats({ companies: 70 });
  stats({ companies: 90 });
  expect(knowledge.registryCountAt(START_MS - 1)).toBe(70);
  expect(knowledge.registryCountAt(START_MS + 3_600_000)).toBe(90);
});
