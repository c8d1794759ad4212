import { expect, test } from 'vitest';
import { type Call, type CallKind, targetOf } from '../../../src/call.ts';
import { noChange } from '../../../src/load_result.ts';
import { openSyncPlanner } from '../../../src/plan/sync_planner.ts';
import type { Planner } from '../../../src/planner.ts';
import { dialectOf, START_MS } from '../../support/simulation/discover.ts';
import { answer, MemoryMirror } from '../../support/simulation/memory_knowledge.ts';
import { PLAIN, Registry, type RegistrySettings } from '../../support/simulation/registry.ts';
import { inventedCompanies } from '../../support/simulation/synthetic_registries.ts';

const DAY_MS = 86_400_000;

test.each<Partial<RegistrySettings>>([
  { semantics: 'prefix' },
  { semantics: 'prefix', window: 40 },
  { semantics: 'token_prefix', window: 100 },
])(
  'a first sweep with eight lanes takes at most 1.15 times the calls that it takes with one: %j',
  (profile) => {
    const callsWith = (lanes: number) => {
      const registries = [1450, 1500, 1550, 1600].map(
        (count) => new Registry(inventedCompanies(count), { ...PLAIN, ...profile }),
      );
      return registries.reduce((calls, registry) => calls + sweep(registry, lanes), 0);
    };
    expect(callsWith(8)).toBeLessThanOrEqual(1.15 * callsWith(1));
  },
);

test('searches that were never answered do not count as searches in vain', () => {
  const mirror = new MemoryMirror(START_MS);
  const registry = new Registry(inventedCompanies(50), PLAIN);
  const planner = open(registry, mirror, new Set<CallKind>(['search']));
  for (let tries = 1; tries <= 300; tries++) {
    const [call] = planner.next(ask(mirror, 1)).calls;
    if (call === undefined) throw new Error(`given up after ${tries} tries`);
    mirror.nowMs += 1000;
    const failure = {
      kind: call.kind,
      target: targetOf(call),
      tries,
      nextTryAtMs: mirror.nowMs,
      why: 'HTTP 500',
    };
    planner.learn({ ...noChange({ call, verdict: { is: 'broken' } }), failure });
  }
  const [call] = planner.next(ask(mirror, 1)).calls;
  expect(call).toMatchObject({ kind: 'search', page: { index: 0 } });
});

/** Calls until every company is known; answers land in the order of sending, `lanes` later. */
function sweep(registry: Registry, lanes: number): number {
  const mirror = new MemoryMirror(START_MS);
  const planner = open(registry, mirror, new Set<CallKind>(['stats', 'search']));
  const flying: Call[] = [];
  let calls = 0;
  while (mirror.knownCount() < registry.size) {
    const planned = planner.next(ask(mirror, lanes - flying.length)).calls;
    calls += planned.length;
    flying.push(...planned);
    const landed = flying.shift();
    if (landed === undefined) throw new Error(`it ended with ${mirror.knownCount()} companies`);
    mirror.nowMs += 100;
    planner.learn(answer(mirror, registry, landed, mirror.nowMs));
  }
  return calls;
}

function open({ settings }: Registry, mirror: MemoryMirror, kinds: ReadonlySet<CallKind>): Planner {
  return openSyncPlanner({
    knowledge: mirror,
    dialect: dialectOf(settings),
    settings: {
      startedAtMs: mirror.nowMs,
      maxAge: { statsMs: 7 * DAY_MS, summariesMs: 3000 * DAY_MS, recordsMs: 9000 * DAY_MS },
      ...{ focus: 'coverage', kinds, scope: { of: 'whole' } },
    },
  });
}

function ask({ nowMs }: MemoryMirror, most: number) {
  return { nowMs, left: { calls: Number.POSITIVE_INFINITY, lifetimeLimit: null }, most };
}
