import { expect, test } from 'vitest';
import { generateRegistry } from '../../../data/generate.ts';
import type { Call } from '../../../src/call.ts';
import { dialectOf, plannerFor, START_MS } from '../../support/simulation/discover.ts';
import { answer, MemoryMirror } from '../../support/simulation/memory_knowledge.ts';
import { PLAIN, Registry } from '../../support/simulation/registry.ts';

test('listings that were read before the first registry count do not hide new queries', () => {
  const settings = { ...PLAIN, semantics: 'prefix' as const };
  const registry = new Registry([...generateRegistry({ companies: 450, seed: 60 })], settings);
  const mirror = new MemoryMirror(START_MS);
  const page = { index: 0, next: null };
  const letters = ['s', 'c', 'm'].map(
    (text): Call => ({
      kind: 'search',
      query: { by: 'name', text },
      page,
      reason: 'new query',
      expected: 1,
    }),
  );
  for (const call of [...letters, { kind: 'stats', reason: 'due', expected: 0 } as const]) {
    answer(mirror, registry, call, mirror.nowMs);
    mirror.nowMs += 100;
  }
  const planner = plannerFor(mirror, { dialect: dialectOf(settings), kinds: new Set(['search']) });
  const left = { calls: 100, lifetimeLimit: null };
  const { calls } = planner.next({ nowMs: mirror.nowMs, left, most: 3 });
  for (const { expected } of calls) expect(expected).toBeGreaterThan(10);
});
