import { expect, test } from 'vitest';
import { type Call, type CallKind, targetOf } from '../../../src/call.ts';
import { noChange } from '../../../src/load_result.ts';
import { openSyncPlanner } from '../../../src/plan/sync_planner.ts';
import type { Planner } from '../../../src/planner.ts';
import { dialectOf, START_MS } from '../../support/simulation/discover.ts';
import { answer, MemoryMirror } from '../../support/simulation/memory_knowledge.ts';
import { PLAIN, Registry, type RegistrySettings } from '../../support/simulation/registry.ts';
import { syntheticCompanies } from '../../support/simulation/synthetic_registries.ts';

const DAY_MS = 86_400_000;

test.each<Partial<RegistrySettings>>([
  { semantics: 'prefix' },
  { semantics: 'prefix', window: 40 },
  { semantics: 'token_prefix', window: 100 },
])(
  'with eight connections, a first sweep makes at most 1.15 times as many calls as with one: %j',
  (override) => {
    const callsWith = (connections: number) => {
      const registries = [1450, 1500, 1550, 1600].map(
        (count) => new Registry(syntheticCompanies(count), { ...PLAIN, ...override }),
      );
      return registries.reduce((calls, registry) => calls + sweep(registry, connections), 0);
    };
    expect(callsWith(8)).toBeLessThanOrEqual(1.15 * callsWith(1));
  },
);

test("failed searches do not count towards discovery's stop rule", () => {
  const mirror = new MemoryMirror(START_MS);
  const registry = new Registry(syntheticCompanies(50), PLAIN);
  const planner = openPlanner(registry, mirror, new Set<CallKind>(['search']));
  for (let tries = 1; tries <= 300; tries++) {
    const [call] = planner.next(inputAt(mirror, 1)).calls;
    if (call === undefined) throw new Error(`discovery ended after ${tries} failed calls`);
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
  const [call] = planner.next(inputAt(mirror, 1)).calls;
  expect(call).toMatchObject({ kind: 'search', page: { index: 0 } });
});

/**
 * Returns how many calls discovery makes until every company is known. Responses arrive in the order in which the calls
 * are sent, with `connections` calls in flight.
 */
function sweep(registry: Registry, connections: number): number {
  const mirror = new MemoryMirror(START_MS);
  const planner = openPlanner(registry, mirror, new Set<CallKind>(['stats', 'search']));
  const inFlight: Call[] = [];
  let calls = 0;
  while (mirror.knownCount() < registry.size) {
    const planned = planner.next(inputAt(mirror, connections - inFlight.length)).calls;
    calls += planned.length;
    inFlight.push(...planned);
    const received = inFlight.shift();
    if (received === undefined)
      throw new Error(`discovery ended with ${mirror.knownCount()} of ${registry.size} companies`);
    mirror.nowMs += 100;
    planner.learn(answer(mirror, registry, received, mirror.nowMs));
  }
  return calls;
}

function openPlanner({ settings }: Registry, mirror: MemoryMirror, kinds: ReadonlySet<CallKind>): Planner {
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

function inputAt({ nowMs }: MemoryMirror, most: number) {
  return { nowMs, left: { calls: Number.POSITIVE_INFINITY, lifetimeLimit: null }, most };
}
