import { describe, expect, test } from 'vitest';
import type { Call } from '../../src/call.ts';
import { entityOf, searchFor } from '../support/dialect.ts';
import { echo, hangUp, records, runOf, searches, steppedClock } from '../support/engine.ts';
import { answerWith, type Handler } from '../support/fetch.ts';

const HTML = answerWith(200, '<!doctype html><title>Welcome</title>', { 'content-type': 'text/html' });

/** The first call succeeds, and all others fail. */
const failingLater: Handler = (request, response, index) =>
  (index === 0 ? echo : hangUp)(request, response, index);

describe('an upstream on which every call fails', () => {
  test.each([
    ['6 calls if none has succeeded', hangUp, 6],
    ['12 calls in a row after a success', failingLater, 13],
  ])('an outage ends the run after %s', async (_title, handler, calls) => {
    const run = await runOf(handler, records(40), { connections: 1, clock: steppedClock() });
    const { ending } = await run.mirror();
    const failures = calls === 6 ? 6 : 12;
    const last = `${failures} calls in a row failed; the last one was for entity ${999 + calls}: `;
    expect(ending).toEqual({ ended: 'failed', why: expect.stringContaining(last) });
    expect(run.upstream.arrivals).toHaveLength(calls);
  });

  test('from the third failure on, each failure doubles the delay before the next call, up to 4 s', async () => {
    const clock = steppedClock();
    await (await runOf(failingLater, records(40), { connections: 1, clock })).mirror();
    expect(clock.sleepsMs).toEqual([250, 500, 1000, 2000, 4000, 4000, 4000, 4000, 4000]);
  });

  test('the run does not end if every twelfth call succeeds', async () => {
    const seldom: Handler = (request, response, index) =>
      (index % 12 === 0 ? echo : hangUp)(request, response, index);
    const clock = steppedClock();
    const run = await runOf(seldom, records(60), { connections: 1, clock });
    expect((await run.mirror()).ending).toEqual({ ended: 'done' });
    // After a success, the delays start over.
    expect(clock.sleepsMs.filter((delayMs) => delayMs === 250)).toHaveLength(5);
  });

  test('the run ends immediately if 12 calls fail at the same time', async () => {
    const held: (() => void)[] = [];
    const together: Handler = (request, response, index) => {
      if (index === 0) return echo(request, response, index);
      held.push(() => request.socket.destroy());
      if (held.length === 12) for (const fail of held) fail();
    };
    const run = await runOf(together, records(40), { connections: 12, clock: steppedClock() });
    expect((await run.mirror()).ending).toMatchObject({ ended: 'failed' });
    expect(run.upstream.arrivals).toHaveLength(13);
  });

  test('the run ends once no connection can be opened', async () => {
    const clock = steppedClock();
    const run = await runOf(
      (_request, response) => {
        const headers = { 'content-type': 'application/json', connection: 'close' };
        response.writeHead(200, headers).end('{"results":[],"total":0}');
        void run.upstream.close();
      },
      [...searches(1), ...records(39)],
      { connections: 1, clock },
    );
    const { ending, totals } = await run.mirror();
    expect(ending).toEqual({
      ended: 'failed',
      why: expect.stringMatching(/^the upstream cannot be reached: /),
    });
    expect(totals.calls).toBe(1);
    expect(clock.sleepsMs).toHaveLength(9);
    expect(run.missing()).toEqual([]);
  });
});

describe('targets that keep failing', () => {
  const triesAfter =
    (first: number) =>
    (call: Call): number =>
      call.kind === 'entity' && Number(call.entityId) <= 1000 + first ? 1 : 2;

  test('targets that keep failing neither delay calls nor end the run', async () => {
    const clock = steppedClock();
    const run = await runOf(failingLater, records(40), { connections: 1, clock, triesOf: () => 2 });
    expect((await run.mirror()).ending).toEqual({ ended: 'done' });
    expect(clock.sleepsMs).toEqual([]);
  });

  test.each([
    ['five', 5, 40, 'done'],
    // At the thirteenth failure, the delays exceed 15 s in total: 250 + 500 + 1000 + 7 times 2000 ms.
    ['six', 6, 14, 'failed'],
  ])(
    'targets that keep failing end the run after 15 s only if six others also fail: %s',
    async (_title, first, calls, ended) => {
      const triesOf = triesAfter(first);
      const run = await runOf(failingLater, records(40), { connections: 1, clock: steppedClock(), triesOf });
      expect((await run.mirror()).ending).toMatchObject({ ended });
      expect(run.upstream.arrivals).toHaveLength(calls);
    },
  );
});

describe('a wrong base URL', () => {
  test.each([
    [1, 'the first call did not reach the API: '],
    [3, 'the first 3 calls did not reach the API: '],
  ])('a wrong base URL ends the run once %i targets have confirmed it', async (wrongAddressLimit, why) => {
    const run = await runOf(HTML, searches(9), { connections: 1, clock: steppedClock() });
    const { ending } = await run.mirror({ wrongAddressLimit });
    expect(ending).toEqual({ ended: 'failed', why: expect.stringContaining(why) });
    expect(run.upstream.arrivals).toHaveLength(wrongAddressLimit);
  });

  test('one target is no evidence of a wrong base URL until it has failed more often than the limit', async () => {
    const calls = [1, 2, 3, 4].map(() => searchFor('acme'));
    const run = await runOf(HTML, calls, { connections: 1, clock: steppedClock() });
    const { ending } = await run.mirror({ wrongAddressLimit: 2 });
    expect(ending).toEqual({
      ended: 'failed',
      why: expect.stringContaining('the first 3 calls did not reach'),
    });
    expect(run.upstream.arrivals).toHaveLength(3);
  });

  test('is not inferred from missing statistics', async () => {
    const calls = [1, 2, 3].map((): Call => ({ kind: 'stats', reason: '', expected: 0 }));
    const run = await runOf(answerWith(404, '{}'), calls, { connections: 1, clock: steppedClock() });
    expect((await run.mirror({ wrongAddressLimit: 1 })).ending).toEqual({ ended: 'done' });
  });

  test('a wrong base URL is not inferred from other failures, nor after a success', async () => {
    const later: Handler = (request, response, index) =>
      (index === 0 ? echo : HTML)(request, response, index);
    for (const [handler, calls] of [
      [later, 4],
      [answerWith(500, ''), 4],
    ] as const) {
      const run = await runOf(handler, [entityOf('1'), ...searches(3)], {
        connections: 1,
        clock: steppedClock(),
      });
      expect((await run.mirror({ wrongAddressLimit: 1 })).ending).toEqual({ ended: 'done' });
      expect(run.upstream.arrivals).toHaveLength(calls);
    }
  });
});
