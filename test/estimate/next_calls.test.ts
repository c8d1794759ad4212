import { expect, test } from 'vitest';
import { type Call, type CallKind, targetOf } from '../../src/call.ts';
import { nextCalls } from '../../src/estimate/next_calls.ts';
import type { Knowledge } from '../../src/knowledge.ts';
import { openSyncPlanner } from '../../src/plan/sync_planner.ts';
import { dialectOf, discover } from '../support/simulation/discover.ts';
import { answer, type MemoryMirror } from '../support/simulation/memory_knowledge.ts';
import { PLAIN, Registry, type RegistrySettings } from '../support/simulation/registry.ts';
import { syntheticCompanies } from '../support/simulation/synthetic_registries.ts';

const LEFT = { calls: Number.POSITIVE_INFINITY, lifetimeLimit: null };
const COUNT = 20;

test.each<[Partial<RegistrySettings>, number]>([
  // Each page of the listing is chosen after the one before.
  [{ minLength: 0, semantics: 'token', pageSize: 20 }, 100],
  // The listing is complete, so record calls follow.
  [{ semantics: 'prefix' }, 800],
])(
  'the predicted calls are those of a run that makes one call at a time: %j, %i known',
  (profile, enough) => {
    const { registry, mirror } = known(profile, enough);
    const predicted = predict(registry, mirror).map(targetOf);
    expect(predicted).toHaveLength(COUNT);
    expect(predicted).toEqual(run(registry, mirror).map(targetOf));
  },
);

test('the first predicted call is exact, and most later ones match those that a run makes', () => {
  const { registry, mirror } = known({ semantics: 'prefix' }, 100);
  const predicted = predict(registry, mirror).map(targetOf);
  const made = run(registry, mirror).map(targetOf);
  expect(predicted[0]).toBe(made[0]);
  expect(made.filter((target) => predicted.includes(target)).length).toBeGreaterThanOrEqual(COUNT / 2);
});

function known(profile: Partial<RegistrySettings>, enough: number) {
  const registry = new Registry(syntheticCompanies(800), { ...PLAIN, ...profile });
  return { registry, mirror: discover(registry, { mostCalls: 1_000, enough }).mirror };
}

function predict(registry: Registry, mirror: MemoryMirror): Call[] {
  return nextCalls({
    ...{ knowledge: mirror, dialect: dialectOf(registry.settings), left: LEFT, nowMs: mirror.nowMs },
    ...{ openPlanner: (knowledge) => plannerOver(registry, knowledge, mirror.nowMs), count: COUNT },
  });
}

/** Returns the calls of a run that makes one at a time. */
function run(registry: Registry, mirror: MemoryMirror): Call[] {
  const planner = plannerOver(registry, mirror, mirror.nowMs);
  const calls: Call[] = [];
  while (calls.length < COUNT) {
    const [call] = planner.next({ nowMs: mirror.nowMs, left: LEFT, most: 1 }).calls;
    if (call === undefined) break;
    calls.push(call);
    planner.learn(answer(mirror, registry, call, ++mirror.nowMs));
  }
  return calls;
}

function plannerOver(registry: Registry, knowledge: Knowledge, startedAtMs: number) {
  return openSyncPlanner({
    knowledge,
    dialect: dialectOf(registry.settings),
    settings: {
      ...{ startedAtMs, focus: 'coverage', scope: { of: 'whole' } },
      kinds: new Set<CallKind>(['stats', 'search', 'entity']),
      maxAge: { statsMs: 1e12, summariesMs: 1e12, recordsMs: 1e12 },
    },
  });
}
