import { describe, expect, it } from 'vitest';
import { Dialect } from '../../src/dialect/dialect.ts';
import type { QueryState } from '../../src/knowledge.ts';
import { sizeOf } from '../../src/plan/registry_size.ts';
import { dialectWith, listed, named } from '../support/estimate_knowledge.ts';
import { MemoryMirror } from '../support/simulation/memory_knowledge.ts';

const DIALECT = dialectWith({ semantics: 'token', identifiers: 'prefix' });
const APART = { ...DIALECT, search: { ...DIALECT.search, identifier_param: 'id' } };

describe("the registry's size", () => {
  it("a registry's size is the registry count or the number of known companies, whichever is higher", () => {
    expect(sizeOf(mirrorOf([], 5_000), DIALECT)).toEqual({ low: 5_000, high: 5_000, by: 'statistics' });
    expect(sizeOf(mirrorOf([], 1), DIALECT)).toEqual({ low: 3, high: 3, by: 'statistics' });
  });

  it("a registry's size is at least the sum of the totals for the shortest identifier prefixes", () => {
    const queries = [
      listed('identifier', '0', 400),
      listed('identifier', '00', 390),
      listed('identifier', '1', 100),
    ];
    expect(sizeOf(mirrorOf(queries), APART)).toMatchObject({ low: 500, by: 'totals' });
  });

  it("a registry's size has no upper bound while a total is clamped and longer prefixes are unknown", () => {
    const clamping = { ...APART, search: { ...APART.search, total_clamped_at: 100 } };
    const queries = [listed('identifier', '0', 100), listed('identifier', '1', 30)];
    expect(sizeOf(mirrorOf(queries), clamping)).toEqual({ low: 30, high: null, by: 'totals' });
    const longer = [...queries, listed('identifier', '00', 90), listed('identifier', '01', 80)];
    expect(sizeOf(mirrorOf(longer), clamping)).toMatchObject({ low: 200, high: 260 });
  });

  it("a registry's size excludes matches by name from identifier totals", () => {
    // One of the two matches is by identifier and the other is by name.
    const mirror = mirrorOf([listed('identifier', 'A', 100)]);
    mirror.add({ id: 'A1', name: 'Baker Limited' });
    mirror.add({ id: '77', name: 'A Cedar Limited' });
    expect(sizeOf(mirror, DIALECT).low).toBe(50);
    expect(sizeOf(mirror, APART).low).toBe(100);
  });

  it("a registry's size ignores identifier totals while they do not show the rule for identifiers", () => {
    const { identifiers: _, ...search } = DIALECT.search;
    const unknown = Dialect.parse({ ...DIALECT, search });
    const mirror = mirrorOf([listed('name', 'limited', 400), listed('identifier', '0000', 0)]);
    expect(sizeOf(mirror, unknown).low).toBe(400);
    expect(sizeOf(mirror, DIALECT).low).toBe(3);
  });

  it('a registry is at least as large as the highest total of a name search', () => {
    const queries = [listed('name', 'limited', 400), listed('name', 'acme', 300)];
    expect(sizeOf(mirrorOf(queries), APART)).toEqual({ low: 400, high: null, by: 'totals' });
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
