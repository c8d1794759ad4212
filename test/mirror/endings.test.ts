import { describe, expect, test } from 'vitest';
import { utcMinute } from '../../src/clock.ts';
import type { Outcome } from '../../src/outcome.ts';
import { echo, hangUp, records, runOf, type SteppedClock, steppedClock } from '../support/engine.ts';
import { API_KEY, answerWith, type Handler } from '../support/fetch.ts';

const MINUTE_MS = 60_000;
const DRIFT = 'the responses no longer match the dialect';
const drifted = () => ({ drift: DRIFT });

describe('drift', () => {
  test('drift ends the run as soon as no call is in flight', async () => {
    const run = await runOf(echo, records(5), {
      connections: 1,
      plan: () => (run.upstream.arrivals.length >= 3 ? { calls: [], drift: DRIFT } : {}),
    });
    expect((await run.mirror()).ending).toEqual({ ended: 'drift', why: DRIFT });
    expect([run.upstream.arrivals.length, run.loaded.length]).toEqual([3, 3]);
  });

  test.each([
    ['reaching the maximum number of calls', { maxCalls: 2 }, echo],
    ['reaching the deadline', { deadlineMs: 0 }, echo],
    ['exhausting the allowance', {}, echo],
    ['a failing upstream', {}, hangUp],
  ])('drift is reported instead of %s', async (_title, bounds, handler) => {
    const run = await runOf(handler, records(20), {
      connections: 1,
      clock: steppedClock(),
      plan: drifted,
      allowance: { total: 8 },
    });
    expect((await run.mirror(bounds)).ending).toEqual({ ended: 'drift', why: DRIFT });
  });

  test('drift does not replace a rejected key', async () => {
    const run = await runOf(answerWith(401, ''), records(20), { plan: drifted, keyHasWorked: false });
    expect((await run.mirror()).ending.ended).toBe('unauthorised');
  });

  test('drift does not replace an interruption', async () => {
    const stop = new AbortController();
    const run = await runOf(echo, records(20), { plan: drifted, onProcess: () => stop.abort() });
    expect((await run.mirror({ signal: stop.signal })).ending).toEqual({ ended: 'interrupted' });
  });
});

describe('a retry that is not due yet', () => {
  /** Plans one more record after `delayMs`. */
  async function retryAfter(delayMs: number, clock: SteppedClock) {
    const dueMs = clock.now() + delayMs;
    const [call] = records(1);
    let isPlanned = false;
    const run = await runOf(echo, [], {
      connections: 1,
      clock,
      plan: () => {
        if (isPlanned || call === undefined) return {};
        if (clock.now() < dueMs) return { wakeAtMs: dueMs };
        isPlanned = true;
        return { calls: [call] };
      },
    });
    return { ...(await run.mirror()), arrivals: run.upstream.arrivals.length };
  }

  test('a run waits for a retry that is at most one minute away', async () => {
    const clock = steppedClock();
    expect(await retryAfter(MINUTE_MS, clock)).toMatchObject({ ending: { ended: 'done' }, arrivals: 1 });
    expect(clock.sleepsMs).toEqual([MINUTE_MS]);
  });

  test('a run leaves a later retry to the next run', async () => {
    const clock = steppedClock();
    expect(await retryAfter(MINUTE_MS + 1, clock)).toMatchObject({ ending: { ended: 'done' }, arrivals: 0 });
    expect(clock.sleepsMs).toEqual([]);
  });
});

describe('how a run ends', () => {
  test.each([
    [10, 'done', 1],
    [11, 'allowance', 0],
  ])('a run on an account that is paused for %i minutes ends with %s', async (minutes, ended, arrivals) => {
    const clock = steppedClock();
    const run = await runOf(echo, records(1), { connections: 1, clock });
    const untilMs = clock.now() + minutes * MINUTE_MS;
    run.rig.ledger.pauseUntil(untilMs, clock.now());
    const { ending } = await run.mirror();
    expect(ending).toEqual(ended === 'done' ? { ended } : { ended, resumesAtMs: untilMs, isReported: true });
    expect(run.upstream.arrivals).toHaveLength(arrivals);
  });

  test('a run that was interrupted before its start plans and sends nothing', async () => {
    const choices: number[] = [];
    const run = await runOf(echo, records(5), { onChoice: () => choices.push(1) });
    expect((await run.mirror({ signal: AbortSignal.abort() })).ending).toEqual({ ended: 'interrupted' });
    expect([choices.length, run.upstream.arrivals.length]).toEqual([0, 0]);
  });

  test('a run with a deadline in 40 days does not end early', async () => {
    const slow: Handler = (request, response, index) =>
      void setTimeout(() => echo(request, response, index), 20);
    const run = await runOf(slow, records(3), { connections: 1 });
    const deadlineMs = Date.now() + 40 * 24 * 60 * MINUTE_MS;
    expect((await run.mirror({ deadlineMs })).ending).toEqual({ ended: 'done' });
  });

  test('a run reports the date on which its key was refused', async () => {
    const run = await runOf(echo, records(1));
    const refusedAtMs = Date.now() - 60_000;
    run.rig.ledger.refuseKey(`fingerprint of ${API_KEY.length}`, refusedAtMs);
    expect((await run.mirror()).ending).toEqual({
      ended: 'unauthorised',
      why: `it did so on ${utcMinute(refusedAtMs)}`,
    });
  });

  test('a run reports each processed batch with the totals so far', async () => {
    const seen: [number, number][] = [];
    const outcomes: Outcome[] = [];
    const run = await runOf(answerWith(404, '{}'), records(3), { connections: 1 });
    await run.mirror({
      onProgress: (totals, batch) => {
        seen.push([totals.calls, batch.length]);
        outcomes.push(...batch);
      },
    });
    expect(seen).toEqual([
      [1, 1],
      [2, 1],
      [3, 1],
    ]);
    expect(outcomes).toEqual(run.loaded);
  });
});
