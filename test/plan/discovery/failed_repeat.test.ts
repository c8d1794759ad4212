import { expect, test } from 'vitest';
import { type CallKind, targetOf } from '../../../src/call.ts';
import { noChange } from '../../../src/load_result.ts';
import { dialectOf, discover, plannerFor } from '../../support/simulation/discover.ts';
import { PLAIN, Registry } from '../../support/simulation/registry.ts';
import { syntheticCompanies } from '../../support/simulation/synthetic_registries.ts';

const DAY_MS = 86_400_000;

test('a repeated search that fails is sent again in the same run', () => {
  const companies = syntheticCompanies(101);
  const { mirror } = discover(new Registry(companies.slice(0, 100), PLAIN), { mostCalls: 1000, enough: 100 });
  mirror.nowMs += 10 * DAY_MS;
  mirror.loadStats({ kind: 'stats', reason: '', expected: 0 }, 101, mirror.nowMs);
  const kinds = new Set<CallKind>(['search']);
  const planner = plannerFor(mirror, { dialect: dialectOf(PLAIN), kinds, focus: 'balanced' });
  const next = () =>
    planner.next({ nowMs: mirror.nowMs, left: { calls: 100, lifetimeLimit: null }, most: 1 }).calls[0];
  const failed = new Map<string, number>();
  for (let calls = 0; calls < 200; calls++) {
    const call = next();
    if (call === undefined) break;
    const target = targetOf(call);
    if (call.reason !== 'repeated to find new companies') {
      planner.learn(noChange({ call, verdict: { is: 'refused' } }));
      continue;
    }
    failed.set(target, (failed.get(target) ?? 0) + 1);
    const failure = {
      kind: call.kind,
      target,
      tries: 1,
      step: 1,
      nextTryAtMs: mirror.nowMs + 1000,
      why: 'HTTP 503',
    };
    planner.learn({ ...noChange({ call, verdict: { is: 'broken' } }), failure });
    mirror.nowMs += 60_000;
  }
  expect(Math.max(...failed.values())).toBeGreaterThan(1);
});
