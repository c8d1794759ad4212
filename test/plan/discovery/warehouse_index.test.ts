import { expect, test } from 'vitest';
import type { Call, CallKind } from '../../../src/call.ts';
import { openClassify } from '../../../src/dialect/classify.ts';
import type { Dialect } from '../../../src/dialect/dialect.ts';
import { Loader } from '../../../src/load/load.ts';
import { openSyncPlanner } from '../../../src/plan/sync_planner.ts';
import { openKnowledge } from '../../../src/warehouse/plan_knowledge.ts';
import { startRun } from '../../../src/warehouse/run.ts';
import { START_MS, temporaryWarehouse } from '../../support/loader.ts';
import { dialectOf, discover } from '../../support/simulation/discover.ts';
import { PLAIN, Registry } from '../../support/simulation/registry.ts';
import { syntheticCompanies } from '../../support/simulation/synthetic_registries.ts';

const DAY_MS = 86_400_000;

test.each(['prefix', 'token_prefix', 'token'] as const)(
  'the planner chooses the same calls with the warehouse index as with names in memory: %s',
  (semantics) => {
    const registry = new Registry(syntheticCompanies(1500), {
      ...PLAIN,
      semantics,
      window: 100,
      pageSize: 20,
    });
    const { calls } = discover(registry, { mostCalls: 400, enough: Number.POSITIVE_INFINITY });
    const chosen = discoverInto(registry, 400);
    expect(chosen).toEqual(calls);
    // Some of the calls send a two-word query.
    const pairs = chosen.filter((call) => call.kind === 'search' && call.query.text.includes(' '));
    expect(pairs.length).toBeGreaterThan(5);
  },
);

/** Discovers with a real warehouse and loads each response before it chooses the next call. */
function discoverInto(registry: Registry, mostCalls: number): Call[] {
  const warehouse = temporaryWarehouse();
  const dialect = withNames(dialectOf(registry.settings));
  const runId = startRun(warehouse.db, { command: 'test', owner: null, nowMs: START_MS });
  const loader = new Loader({ warehouse, dialect, runId });
  const classify = openClassify(dialect);
  const settings = {
    startedAtMs: START_MS,
    maxAge: { statsMs: 7 * DAY_MS, summariesMs: 3000 * DAY_MS, recordsMs: 9000 * DAY_MS },
    focus: 'coverage' as const,
    kinds: new Set<CallKind>(['stats', 'search']),
  };
  const planner = openSyncPlanner({ knowledge: openKnowledge(warehouse), dialect, settings });
  const calls: Call[] = [];
  for (let nowMs = START_MS; calls.length < mostCalls; nowMs += 100) {
    const left = { calls: mostCalls - calls.length, lifetimeLimit: null };
    const [call] = planner.next({ nowMs, left, most: 1 }).calls;
    if (call === undefined) break;
    calls.push(call);
    const body = Buffer.from(JSON.stringify(bodyOf(registry, call)));
    const response = { status: 200, headers: {}, body };
    const verdict = classify(call, response, { nowMs, keyHasWorked: true });
    const outcome = {
      callId: calls.length,
      call,
      sentAt: new Date(nowMs).toISOString(),
      durationMs: 1,
      status: 200,
      body,
      verdict,
    };
    for (const result of loader.load([outcome])) planner.learn(result);
  }
  return calls;
}

function withNames(dialect: Dialect): Dialect {
  return { ...dialect, search: { ...dialect.search, name: '/name' } };
}

function bodyOf(registry: Registry, call: Call): object {
  if (call.kind !== 'search') return { total: registry.size };
  const { total, rows } = registry.search(call.query, call.page.index);
  return { total, results: rows };
}
