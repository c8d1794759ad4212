import { describe, expect, test } from 'vitest';
import type { Ledger, Slot } from '../src/allowance/ledger.ts';
import { targetOf } from '../src/call.ts';
import { wasSent } from '../src/outcome.ts';
import { entityOf, searchFor } from './support/dialect.ts';
import { echo, type Run, records, runOf, searches, steppedClock } from './support/engine.ts';
import { API_KEY, answerWith, type Handler } from './support/fetch.ts';

const spentBy = ({ rig }: Run) => rig.ledger.state(Date.now()).spentEver;

/** A ledger that reports each return of units. */
function countingReturns(ledger: Ledger, onReturn: (slots: readonly Slot[]) => void): Ledger {
  const giveBack = ledger.giveBack.bind(ledger);
  return Object.assign(ledger, {
    giveBack: (slots: readonly Slot[]) => {
      onReturn(slots);
      giveBack(slots);
    },
  });
}

describe('the engine', () => {
  test.each([4, 8])(
    'the engine sends every call once over %i connections, and counts as many calls as the ledger and the upstream',
    async (connections) => {
      const run = await runOf(echo, records(150), { connections });
      const { ending, totals } = await run.mirror();
      expect(ending).toEqual({ ended: 'done' });
      expect([totals.calls, spentBy(run), run.upstream.arrivals.length, run.loaded.length]).toEqual([
        150, 150, 150, 150,
      ]);
      expect(new Set(run.loaded.map(({ call }) => targetOf(call))).size).toBe(150);
      expect(run.loaded.every(({ verdict }) => verdict.is === 'ok')).toBe(true);
      expect(run.rig.fetch.free).toBe(connections);
      expect(run.missing()).toEqual([]);
    },
  );

  test.each([1, 3, 50])('the engine sends exactly %i calls if that is the maximum', async (maxCalls) => {
    const run = await runOf(echo, records(100));
    expect(await run.mirror({ maxCalls })).toMatchObject({
      ending: { ended: 'max_calls' },
      totals: { calls: maxCalls },
    });
    expect(run.upstream.arrivals).toHaveLength(maxCalls);
    expect(run.missing()).toEqual([]);
  });

  test('the engine does not count a call without a valid URL', async () => {
    const run = await runOf(echo, [entityOf('..'), entityOf('.'), ...records(10)]);
    const { totals } = await run.mirror({ maxCalls: 10 });
    expect([totals.calls, run.upstream.arrivals.length]).toEqual([10, 10]);
    expect(run.loaded.filter((outcome) => !wasSent(outcome))).toHaveLength(2);
  });

  test('the engine ends when the allowance is exhausted, and releases unsent calls', async () => {
    const run = await runOf(echo, records(100), { allowance: { total: 37 } });
    expect(await run.mirror()).toMatchObject({
      ending: { ended: 'allowance', resumesAtMs: null, isReported: false },
      totals: { calls: 37 },
    });
    expect([run.upstream.arrivals.length, run.loaded.length]).toEqual([37, 37]);
    expect(run.missing()).toEqual([]);
  });

  test("the engine ends with the upstream's message if the upstream reports an exhausted quota", async () => {
    const run = await runOf(answerWith(403, '{"error":"monthly quota exhausted"}'), records(20), {
      connections: 1,
    });
    const { ending } = await run.mirror();
    expect(ending).toMatchObject({
      ended: 'allowance',
      why: expect.stringContaining('monthly quota exhausted'),
    });
    const later = await run.mirror();
    expect(later.ending).toMatchObject({ ended: 'allowance', isReported: true });
    expect(later.ending).not.toHaveProperty('why');
    expect(run.upstream.arrivals).toHaveLength(1);
  });

  test('the engine continues while the upstream responds but rejects each query', async () => {
    const queries = Array.from({ length: 20 }, (_, at) => searchFor(`query ${at}`));
    const run = await runOf(answerWith(400, '{"error":"too broad"}'), queries);
    const { ending } = await run.mirror();
    expect(ending.ended).toBe('done');
    expect(run.loaded.map(({ verdict }) => verdict.is)).toEqual(queries.map(() => 'refused'));
  });

  test('the engine ends without spending if the upstream cannot be reached', async () => {
    const run = await runOf(echo, records(100), { baseUrl: 'http://127.0.0.1:1/api' });
    expect(await run.mirror()).toMatchObject({
      ending: {
        ended: 'failed',
        why: expect.stringMatching(/upstream cannot be reached: .*ECONNREFUSED.*`registry-mirror doctor`/),
      },
      totals: { calls: 0 },
    });
    expect([spentBy(run), run.stored.length, run.loaded.length]).toEqual([0, 0, 0]);
    expect(run.missing()).toEqual([]);
  });

  test('an interrupted engine processes sent calls and releases unsent calls', async () => {
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

  test('the engine ends at its deadline', async () => {
    const run = await runOf(echo, records(1000), { allowance: { perMinute: 600 } });
    const startMs = Date.now();
    expect((await run.mirror({ deadlineMs: startMs + 400 })).ending).toEqual({ ended: 'max_minutes' });
    expect(Date.now() - startMs).toBeLessThan(3000);
    expect(run.loaded).toHaveLength(run.upstream.arrivals.length);
  });

  test('if the ledger fails, the engine stores and processes every received response, then throws', async () => {
    const run = await runOf((request, response, index) => {
      if (index === 20) run.rig.ledger.close();
      echo(request, response, index);
    }, records(100));
    await expect(run.mirror()).rejects.toThrow(/not open|was deleted or moved/);
    expect(run.loaded).toHaveLength(run.upstream.arrivals.length);
    expect(run.upstream.arrivals.length).toBeLessThanOrEqual(24);
  });

  test('the engine sends no more calls once the warehouse cannot be written', async () => {
    const full = () => {
      throw new Error('database or disk is full');
    };
    for (const options of [{ onStore: full }, { onProcess: full }]) {
      // At this rate, five calls are sent during the one second of a batch.
      const run = await runOf(echo, records(100), { ...options, allowance: { perMinute: 300 } });
      await expect(run.mirror()).rejects.toThrow(/disk is full/);
      expect(run.upstream.arrivals.length).toBeLessThanOrEqual(8);
    }
  });

  test('if the disk is nearly full, the engine sends no more calls, and stores the responses in flight', async () => {
    const run = await runOf(echo, records(100), {
      requireSpace: () => {
        if (run.upstream.arrivals.length >= 20) throw new Error('the disk is nearly full');
      },
    });
    await expect(run.mirror()).rejects.toThrow('the disk is nearly full');
    const sent = run.upstream.arrivals.length;
    expect(sent).toBeLessThan(30);
    expect([run.stored.length, run.loaded.length, spentBy(run)]).toEqual([sent, sent, sent]);
  });

  test('if the ledger cannot record a limit, the engine stores every received response, then throws', async () => {
    const run = await runOf(
      (request, response, index) => {
        if (index === 7) run.rig.ledger.close();
        setTimeout(() => answerWith(429, '')(request, response, index), index === 7 ? 0 : 100);
      },
      records(8),
      { connections: 8 },
    );
    await expect(run.mirror()).rejects.toThrow(/the ledger cannot be written|not open/);
    expect([run.stored.length, run.loaded.length]).toEqual([8, 8]);
  });

  test('the engine sends one call at a time until the key is accepted, then several', async () => {
    let atOnce = 0;
    const most: number[] = [];
    const slow: Handler = (request, response, index) => {
      atOnce += 1;
      most.push(atOnce);
      setTimeout(() => {
        atOnce -= 1;
        (index === 0 ? answerWith(500, '') : echo)(request, response, index);
      }, 50);
    };
    const run = await runOf(slow, records(40), { connections: 8, keyHasWorked: false });
    expect((await run.mirror()).ending).toEqual({ ended: 'done' });
    // The first response is a failure, which does not show that the key is accepted.
    expect(most.slice(0, 2)).toEqual([1, 1]);
    expect(Math.max(...most)).toBe(8);
    expect([run.upstream.arrivals.length, spentBy(run)]).toEqual([40, 40]);
  });

  test('the engine spends one call on a rejected key, and none in a later run', async () => {
    const late: Handler = (request, response, index) =>
      void setTimeout(() => answerWith(401, '')(request, response, index), 30);
    const options = { connections: 8, keyHasWorked: false };
    const run = await runOf(late, records(20), options);
    expect(await run.mirror()).toMatchObject({ ending: { ended: 'unauthorised' }, totals: { calls: 1 } });
    expect([run.upstream.arrivals.length, spentBy(run)]).toEqual([1, 1]);
    const later = await runOf(echo, records(20), { ...options, ledgerPath: run.rig.ledger.path });
    expect(await later.mirror()).toMatchObject({ ending: { ended: 'unauthorised' }, totals: { calls: 0 } });
    expect(later.upstream.arrivals).toHaveLength(0);
  });
});

describe('a key that has worked', () => {
  const onceRejected = (rejects: (index: number) => boolean): Handler => {
    return (request, response, index) =>
      (rejects(index) ? answerWith(401, '') : echo)(request, response, index);
  };

  test('one 401 pauses the account for a minute, and then the run continues', async () => {
    const clock = steppedClock();
    const run = await runOf(
      onceRejected((index) => index === 3),
      records(20),
      { connections: 4, clock },
    );
    const startMs = clock.now();
    expect((await run.mirror()).ending).toEqual({ ended: 'done' });
    expect([run.upstream.arrivals.length, spentBy(run)]).toEqual([20, 20]);
    expect(clock.now() - startMs).toBeGreaterThanOrEqual(60_000);
    expect(run.rig.ledger.keyState(`fingerprint of ${API_KEY.length}`)).toEqual({
      hasWorked: true,
      doubtedTarget: null,
    });
  });

  test('calls that are rejected together count as one, and a rejection after the pause ends the run', async () => {
    const run = await runOf(
      onceRejected((index) => index >= 4),
      records(40),
      { connections: 4, clock: steppedClock() },
    );
    expect((await run.mirror()).ending).toEqual({ ended: 'unauthorised', why: expect.stringMatching(/401/) });
    const rejected = run.loaded.filter(({ verdict }) => verdict.is === 'unauthorised');
    const confirmed = rejected.filter(
      ({ verdict }) => verdict.is === 'unauthorised' && !verdict.isUnconfirmed,
    );
    expect(confirmed).toHaveLength(1);
    expect(rejected.length).toBeLessThanOrEqual(5);
  });

  test('the rejection in an earlier run is confirmed by the first call of the next run', async () => {
    const clock = steppedClock();
    const options = { connections: 4, clock };
    const first = await runOf(answerWith(401, ''), records(1), options);
    expect((await first.mirror()).ending).toEqual({ ended: 'done' });
    const next = await runOf(answerWith(401, ''), records(9).slice(1), {
      ...options,
      keyHasWorked: false,
      ledgerPath: first.rig.ledger.path,
    });
    expect((await next.mirror()).ending.ended).toBe('unauthorised');
    expect(next.upstream.arrivals).toHaveLength(1);
  });

  test('a target that is always rejected does not prove that the key is', async () => {
    const [call] = records(1);
    const calls = [call, call, call].flatMap((one) => one ?? []);
    const run = await runOf(answerWith(401, ''), calls, { connections: 1, clock: steppedClock() });
    expect((await run.mirror()).ending).toEqual({ ended: 'done' });
    expect(run.upstream.arrivals).toHaveLength(3);
  });
});

describe('choosing a call', () => {
  const RESPONSE_MS = 10;

  test.each([4, 16])(
    'each call is chosen in its slot, so with %i connections every earlier response is known',
    async (connections) => {
      const answeredAtMs: number[] = [];
      const found: Handler = (_request, response) =>
        void setTimeout(() => {
          response.writeHead(200, { 'content-type': 'application/json' }).end('{"results":[],"total":0}');
          answeredAtMs.push(Date.now());
        }, RESPONSE_MS);
      const calls = searches(24);
      const run = await runOf(found, calls, { connections, allowance: { perMinute: 600 } });
      expect((await run.mirror()).ending).toEqual({ ended: 'done' });
      expect([run.upstream.arrivals.length, spentBy(run)]).toEqual([24, 24]);
      // Only the last choice before a call counts, because it replaces the draft.
      const last = calls.map((call) => run.choices.findLast(({ target }) => target === targetOf(call)));
      const uninformed = last.filter((choice) => {
        // A response takes some time from the upstream to the planner.
        const answered = answeredAtMs.filter((oneMs) => oneMs < (choice?.atMs ?? 0) - 20).length;
        return (choice?.learned ?? 0) < answered;
      });
      // The upstream runs in this process, so a busy machine can delay one response.
      expect(uninformed.length).toBeLessThanOrEqual(1);
      const informed = last.filter((choice, index) => choice?.learned === index);
      expect(informed.length).toBeGreaterThanOrEqual(20);
    },
  );

  test('the engine takes no slot while nothing is due', async () => {
    const run = await runOf(echo, []);
    expect((await run.mirror()).ending).toEqual({ ended: 'done' });
    expect([spentBy(run), run.upstream.connections()]).toEqual([0, 0]);
  });

  test("a slot's unit is returned if nothing is due any more", async () => {
    let returned = 0;
    const run = await runOf(answerWith(200, '{"results":[],"total":0}'), searches(10), {
      allowance: { perMinute: 600 },
      watchLedger: (ledger) => countingReturns(ledger, () => (returned += 1)),
      // No other query is due once the first response has arrived.
      onLearn: (due) => void due.splice(0),
    });
    expect(await run.mirror()).toMatchObject({ ending: { ended: 'done' }, totals: { calls: 1 } });
    expect(returned).toBeGreaterThan(0);
    expect([run.upstream.arrivals.length, spentBy(run)]).toEqual([1, 1]);
    expect(run.rig.fetch.free).toBe(4);
    expect(run.missing()).toEqual([]);
  });

  test('the units of all slots that were taken together are returned together', async () => {
    let [returns, units] = [0, 0];
    let learned = 0;
    const run = await runOf(echo, records(8), {
      allowance: { perMinute: 60_000 },
      watchLedger: (ledger) =>
        countingReturns(ledger, (slots) => {
          returns += 1;
          units += slots.length;
        }),
      // One call is due once all four connections are open and idle.
      onLearn(due) {
        learned += 1;
        if (learned === 8) due.push(...searches(1));
      },
    });
    expect(await run.mirror()).toMatchObject({ ending: { ended: 'done' }, totals: { calls: 9 } });
    expect(units).toBeGreaterThan(returns);
    expect([spentBy(run), run.rig.fetch.free]).toEqual([9, 4]);
  });

  test.each([
    ['the first choice takes', (choices: number) => choices === 1],
    ['every choice takes', () => true],
  ])('the engine misses no slot if %s 300 ms', async (_what, isSlow) => {
    let returned = 0;
    const run = await runOf(echo, records(50), {
      allowance: { perMinute: 1200 },
      watchLedger: (ledger) => countingReturns(ledger, () => (returned += 1)),
      onChoice: (choices) => {
        if (isSlow(choices)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
      },
    });
    const { ending, totals } = await run.mirror({ maxCalls: 5, deadlineMs: Date.now() + 10_000 });
    expect([ending.ended, totals.calls, returned, spentBy(run)]).toEqual(['max_calls', 5, 0, 5]);
  });
});

describe('a response', () => {
  test('a response is stored while another call is in flight', async () => {
    let answerLast: () => void = () => {};
    const heldBack: Handler = (request, response, index) => {
      if (index < 5) return echo(request, response, index);
      answerLast = () => echo(request, response, index);
      if (stored === 5) answerLast();
    };
    let stored = 0;
    const run = await runOf(heldBack, records(6), {
      connections: 6,
      onStore: (attempts) => {
        stored += attempts.length;
        if (stored === 5) answerLast();
      },
    });
    expect((await run.mirror()).ending).toEqual({ ended: 'done' });
    expect(run.stored).toHaveLength(6);
  });

  test('a response is processed before the run ends', async () => {
    const run = await runOf(echo, records(3));
    expect((await run.mirror()).totals).toMatchObject({ calls: 3, fetched: 3 });
    expect(run.loaded).toHaveLength(3);
  });

  test('a response is known before the next call is sent, so a throttled response prevents that call', async () => {
    const throttled = answerWith(429, '', { 'retry-after': '1800' });
    for (const call of [...records(1), ...searches(1)]) {
      const run = await runOf(throttled, [call, ...records(20)], { connections: 1 });
      expect((await run.mirror()).ending).toMatchObject({ ended: 'allowance' });
      expect(run.upstream.arrivals).toHaveLength(1);
    }
  });
});
