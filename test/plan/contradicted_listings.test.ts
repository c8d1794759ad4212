import { expect, test } from 'vitest';
import { targetOf } from '../../src/call.ts';
import { ContradictedListings } from '../../src/plan/contradicted_listings.ts';
import { Pending } from '../../src/plan/pending.ts';
import type { PlanInput } from '../../src/planner.ts';

test('a page that could not be read in an earlier run is requested once its backoff has ended', () => {
  const state = {
    query: { by: 'name', text: '' } as const,
    total: null,
    pages: 9,
    rows: 370,
    next: null,
    status: 'capped' as const,
    listedAtMs: 0,
  };
  const failure = { kind: 'search' as const, tries: 4, step: 4, nextTryAtMs: 1000, why: 'HTTP 500' };
  const failures = ['name:#3', 'name:#9', 'name:a'].map((target) => ({ ...failure, target }));
  const listings = new ContradictedListings([state], new Pending(failures), failures);
  const next = (nowMs: number) => listings.best({ nowMs } as PlanInput)?.call ?? null;
  expect(next(999)).toBeNull();
  const call = next(1000);
  expect(call && targetOf(call)).toBe('name:#3');
});
