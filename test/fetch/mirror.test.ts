import { describe, expect, test } from 'vitest';
import { type Call, targetOf } from '../../src/call.ts';
import { systemClock } from '../../src/clock.ts';
import type { Load } from '../../src/load/load.ts';
import { type Bounds, type Mirrored, mirror } from '../../src/mirror.ts';
import { type Outcome, wasSent } from '../../src/outcome.ts';
import type { News } from '../../src/plan/knowledge.ts';
import type { Planner } from '../../src/plan/plan.ts';
import { entityOf } from '../dialect/fixtures.ts';
import {
  answerWith,
  type Handler,
  type Rig,
  type RigOptions,
  rigOf,
  type Upstream,
  upstreamOf,
} from './fixtures.ts';

interface Run {
  readonly upstream: Upstream;
  readonly rig: Rig;
  readonly loaded: Outcome[];
  /** Targets that were planned and neither loaded nor released. */
  readonly missing: () => string[];
  mirror(bounds?: Partial<Bounds>): Promise<Mirrored>;
}

const newsOf = ({ call, verdict }: Outcome): News => ({
  call,
  verdict: verdict.is,
  rows: [],
  query: null,
  record: verdict.is === 'ok' ? { isNew: true, changed: true } : null,
  missing: false,
  gone: false,
  quarantined: 0,
  failure:
    verdict.is === 'broken' || verdict.is === 'unsent'
      ? { kind: call.kind, target: targetOf(call), tries: 1, nextTryAtMs: Infinity, why: verdict.why }
      : null,
});

/** The engine over a real upstream, with a plan that is a list and a load that remembers. */
async function runOf(
  handler: Handler,
  calls: readonly Call[],
  changes: Partial<RigOptions> & { readonly load?: Load } = {},
): Promise<Run> {
  const upstream = await upstreamOf(handler);
  const rig = rigOf({ baseUrl: `${upstream.origin}/api`, lanes: 4, ...changes });
  const due = [...calls];
  const planned = new Set<string>();
  const loaded: Outcome[] = [];
  const planner: Planner = {
    next: ({ most }) => {
      const next = due.splice(0, most);
      for (const call of next) planned.add(targetOf(call));
      return { calls: next, wakeAtMs: null, drift: null };
    },
    learn: () => {},
    release: (call) => {
      planned.delete(targetOf(call));
      due.unshift(call);
    },
  };
  const load: Load = (outcomes) => {
    changes.load?.(outcomes);
    loaded.push(...outcomes);
    for (const { call } of outcomes) planned.delete(targetOf(call));
    return outcomes.map(newsOf);
  };
  const parts = { ...rig, planner, load, clock: systemClock };
  const bounds: Bounds = {
    purpose: 'scheduled',
    maxCalls: Infinity,
    deadlineMs: Infinity,
    signal: new AbortController().signal,
  };
  return {
    upstream,
    rig,
    loaded,
    missing: () => [...planned],
    mirror: (more) => mirror(parts, { ...bounds, ...more }),
  };
}

const records = (count: number) =>
  Array.from({ length: count }, (_, index) => entityOf(String(1000 + index)));
const echo: Handler = (request, response, index) =>
  answerWith(200, JSON.stringify({ id: request.url?.split('/').at(-1) }))(request, response, index);

describe('the engine', () => {
  test('makes every call once, and counts what the ledger and the upstream count', async () => {
    const run = await runOf(echo, records(150));
    const { ending, tally } = await run.mirror();
    expect(ending).toEqual({ ended: 'done' });
    const spent = run.rig.ledger.state(Date.now()).spentEver;
    expect([tally.calls, spent, run.upstream.arrivals.length, run.loaded.length]).toEqual([
      150, 150, 150, 150,
    ]);
    expect(run.missing()).toEqual([]);
  });

  test.each([1, 3, 50])('with at most %i calls makes exactly so many', async (maxCalls) => {
    const run = await runOf(echo, records(100));
    expect(await run.mirror({ maxCalls })).toMatchObject({
      ending: { ended: 'max_calls' },
      tally: { calls: maxCalls },
    });
    expect(run.upstream.arrivals).toHaveLength(maxCalls);
    expect(run.missing()).toEqual([]);
  });

  test('a call that cannot be written as an address counts for nothing', async () => {
    const run = await runOf(echo, [entityOf('..'), entityOf('.'), ...records(10)]);
    const { tally } = await run.mirror({ maxCalls: 10 });
    expect([tally.calls, run.upstream.arrivals.length]).toEqual([10, 10]);
    expect(run.loaded.filter((outcome) => !wasSent(outcome))).toHaveLength(2);
  });

  test('ends when the allowance does, and plans again what was not made', async () => {
    const run = await runOf(echo, records(100), { allowance: { total: 37 } });
    expect(await run.mirror()).toMatchObject({
      ending: { ended: 'allowance', resumesAtMs: null },
      tally: { calls: 37 },
    });
    expect([run.upstream.arrivals.length, run.loaded.length]).toEqual([37, 37]);
    expect(run.missing()).toEqual([]);
  });

  test('waits out a short pause, and ends at a long one', async () => {
    const throttle: Handler = (request, response, index) =>
      (index === 5 ? answerWith(429, '', { 'retry-after': '1' }) : echo)(request, response, index);
    const short = await runOf(throttle, records(20));
    const startMs = Date.now();
    expect((await short.mirror()).ending).toEqual({ ended: 'done' });
    expect(Date.now() - startMs).toBeGreaterThan(990);

    const long = await runOf(answerWith(429, '', { 'retry-after': '1800' }), records(20), { lanes: 1 });
    const { ending } = await long.mirror();
    expect(ending).toMatchObject({
      ended: 'allowance',
      resumesAtMs: long.rig.ledger.state(Date.now()).pausedUntilMs,
    });
    expect(long.upstream.arrivals).toHaveLength(1);
    expect(long.missing()).toEqual([]);
  });

  test('gives up an upstream that only fails, before the allowance is gone', async () => {
    const run = await runOf((request) => request.socket.destroy(), records(100));
    const { ending, tally } = await run.mirror();
    expect(ending).toMatchObject({ ended: 'failed', why: expect.stringMatching(/calls in a row failed/) });
    expect(tally.calls).toBe(run.upstream.arrivals.length);
    expect(tally.calls).toBeLessThanOrEqual(16);
  }, 60_000);

  test('an upstream that is not there costs nothing', async () => {
    const run = await runOf(echo, records(100), { baseUrl: 'http://127.0.0.1:1/api' });
    expect(await run.mirror()).toMatchObject({ ending: { ended: 'failed' }, tally: { calls: 0 } });
    expect(run.rig.ledger.state(Date.now()).spentEver).toBe(0);
  }, 60_000);

  test('stops after one call that says that the key is refused', async () => {
    const run = await runOf(answerWith(401, ''), records(100), { keyHasWorked: false });
    expect(await run.mirror()).toMatchObject({ ending: { ended: 'unauthorised' }, tally: { calls: 1 } });
    expect(run.upstream.arrivals).toHaveLength(1);
    expect(run.missing()).toEqual([]);
  });

  test('interrupted, finishes and loads what was sent, and releases what was not', async () => {
    const stop = new AbortController();
    const slow: Handler = (request, response, index) => {
      if (index === 9) stop.abort();
      setTimeout(() => echo(request, response, index), 50);
    };
    const run = await runOf(slow, records(100), { allowance: { perMinute: 1200 } });
    expect((await run.mirror({ signal: stop.signal })).ending).toEqual({ ended: 'interrupted' });
    expect(run.loaded).toHaveLength(run.upstream.arrivals.length);
    expect(run.missing()).toEqual([]);
  });

  test('ends at its deadline', async () => {
    const run = await runOf(echo, records(1000), { allowance: { perMinute: 600 } });
    const startMs = Date.now();
    expect((await run.mirror({ deadlineMs: startMs + 400 })).ending).toEqual({ ended: 'max_minutes' });
    expect(Date.now() - startMs).toBeLessThan(3000);
    expect(run.loaded).toHaveLength(run.upstream.arrivals.length);
  });

  test('loads all that was received when the ledger fails, and then says so', async () => {
    const run = await runOf((request, response, index) => {
      if (index === 20) run.rig.ledger.close();
      echo(request, response, index);
    }, records(100));
    await expect(run.mirror()).rejects.toThrow(/not open/);
    expect(run.loaded).toHaveLength(run.upstream.arrivals.length);
    expect(run.upstream.arrivals.length).toBeLessThanOrEqual(24);
  });

  test('that cannot load stops, and sends no more', async () => {
    const run = await runOf(echo, records(100), {
      load: () => {
        throw new Error('database or disk is full');
      },
    });
    await expect(run.mirror()).rejects.toThrow(/disk is full/);
    expect(run.upstream.arrivals.length).toBeLessThanOrEqual(8);
  });
});
