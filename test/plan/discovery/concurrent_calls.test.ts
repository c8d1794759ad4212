import { expect, test } from 'vitest';
import type { CallKind } from '../../../src/call.ts';
import { failedCall } from '../../support/failed_call.ts';
import { dialectOf, discover, plannerFor, START_MS } from '../../support/simulation/discover.ts';
import { MemoryMirror } from '../../support/simulation/memory_knowledge.ts';
import { PLAIN, Registry, type RegistrySettings } from '../../support/simulation/registry.ts';
import { syntheticCompanies } from '../../support/simulation/synthetic_registries.ts';

test.each<Partial<RegistrySettings>>([
  { semantics: 'prefix' },
  { semantics: 'prefix', window: 40 },
  { semantics: 'token_prefix', window: 100 },
])(
  'with eight connections, a first sweep makes at most 1.15 times as many calls as with one: %j',
  (override) => {
    const callsWith = (connections: number) => {
      const registries = [900, 1000].map(
        (count) => new Registry(syntheticCompanies(count), { ...PLAIN, ...override }),
      );
      return registries.reduce((calls, registry) => {
        const found = discover(registry, { mostCalls: Infinity, enough: registry.size, connections });
        expect(found.mirror.knownCount()).toBe(registry.size);
        return calls + found.calls.length;
      }, 0);
    };
    expect(callsWith(8)).toBeLessThanOrEqual(1.15 * callsWith(1));
  },
);

test("failed searches do not count towards discovery's stop rule", () => {
  const mirror = new MemoryMirror(START_MS);
  const registry = new Registry(syntheticCompanies(50), PLAIN);
  const kinds = new Set<CallKind>(['search']);
  const planner = plannerFor(mirror, { dialect: dialectOf(registry.settings), kinds });
  for (let tries = 1; tries <= 300; tries++) {
    const [call] = planner.next(inputAt(mirror, 1)).calls;
    if (call === undefined) throw new Error(`discovery ended after ${tries} failed calls`);
    mirror.nowMs += 1000;
    planner.learn(failedCall(call, mirror.nowMs, tries));
  }
  const [call] = planner.next(inputAt(mirror, 1)).calls;
  expect(call).toMatchObject({ kind: 'search', page: { index: 0 } });
});

function inputAt({ nowMs }: MemoryMirror, most: number) {
  return { nowMs, left: { calls: Number.POSITIVE_INFINITY, lifetimeLimit: null }, most };
}
