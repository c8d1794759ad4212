import { describe, expect, it } from 'vitest';
import { Dialect } from '../../src/dialect/dialect.ts';
import type { QueryState } from '../../src/knowledge.ts';
import { sizeOf } from '../../src/plan/registry_size.ts';
import { dialectWith, listed, named } from '../support/estimate_knowledge.ts';
import { MemoryMirror } from '../support/simulation/memory_knowledge.ts';

const DIALECT = dialectWith({ semantics: 'token', identifiers: 'prefix' });

describe("the registry's size", () => {
  it("a registry's size is the registry count or the number of known companies, whichever is larger", () => {
    expect(sizeOf(mirrorOf([], 5_000), DIALECT)).toEqual({ low: 5_000, high: 5_000, by: 'statistics' });
    expect(sizeOf(mirrorOf([], 1), DIALECT)).toEqual({ low: 3, high: 3, by: 'statistics' });
  });

  it("gone companies do not count towards a registry's size", () => {
    const mirror = Object.assign(mirrorOf([], 2), { existingCount: () => 2 });
    expect(sizeOf(mirror, DIALECT)).toEqual({ low: 2, high: 2, by: 'statistics' });
  });

  it('a registry is at least as large as the highest total of a search', () => {
    const queries = [listed('name', 'limited', 400), listed('identifier', '0', 300)];
    expect(sizeOf(mirrorOf(queries), DIALECT)).toEqual({ low: 400, high: null, by: 'totals' });
    expect(sizeOf(mirrorOf([...queries, listed('identifier', '1', 500)]), DIALECT).low).toBe(500);
  });

  it("a registry's size ignores identifier totals while they do not show the rule for identifiers", () => {
    const { identifiers: _, ...search } = DIALECT.search;
    const unknown = Dialect.parse({ ...DIALECT, search });
    const mirror = mirrorOf([listed('name', 'limited', 400), listed('identifier', '0000', 900)]);
    expect(sizeOf(mirror, unknown).low).toBe(400);
    expect(sizeOf(mirror, DIALECT).low).toBe(900);
  });

  it('a round listing of all companies is checked only by searches that match fewer companies', () => {
    const listsAll = Dialect.parse({ ...DIALECT, search: { ...DIALECT.search, min_length: 0 } });
    const everything = listed('name', '', 100);
    // The same limit can have ended these searches after the same companies.
    const limited = [listed('name', 'limited', 100), listed('name', 'company', 250)];
    expect(sizeOf(mirrorOf([everything, ...limited]), listsAll).high).toBeNull();
    const checks = [listed('name', 'acme', 60), listed('name', 'baker', 40)];
    expect(sizeOf(mirrorOf([everything, ...checks]), listsAll)).toMatchObject({ low: 100, high: 100 });
  });

  it('the rows of a listing count companies only if no company has several rows', () => {
    const listsAll = Dialect.parse({ ...DIALECT, search: { ...DIALECT.search, min_length: 0 } });
    const mirror = mirrorOf([listed('name', '', 7)]);
    expect(sizeOf(mirror, listsAll)).toMatchObject({ low: 7, high: 7 });
    expect(sizeOf(Object.assign(mirror, { hasSeveralRows: () => true }), listsAll)).toMatchObject({
      low: 3,
      high: 3,
    });
  });

  it("a registry's size is unknown without a registry count or a total", () => {
    expect(sizeOf(mirrorOf([listed('name', 'acme')]), DIALECT)).toEqual({
      low: 3,
      high: null,
      by: 'nothing',
    });
  });
});

function mirrorOf(queries: readonly QueryState[], total: number | null = null): MemoryMirror {
  const mirror = new MemoryMirror();
  for (const { entityId, name } of named('Acme Limited', 'Acme Trading Limited', 'Baker Limited'))
    mirror.add({ id: entityId, name });
  for (const state of queries) mirror.queryStates.set(`${state.query.by}:${state.query.text}`, state);
  if (total !== null) mirror.stats = { observedAtMs: 0, total };
  return mirror;
}
