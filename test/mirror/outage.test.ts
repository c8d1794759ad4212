import { describe, expect, test } from 'vitest';
import { echo, hangUp, records, runOf, searches, steppedClock } from '../support/engine.ts';
import { answerWith, type Handler } from '../support/fetch.ts';

const HTML = answerWith(200, '<!doctype html><title>Welcome</title>', { 'content-type': 'text/html' });

/** The first call succeeds, and all others fail. */
const failingLater: Handler = (request, response, index) =>
  (index === 0 ? echo : hangUp)(request, response, index);

describe('an upstream on which every call fails', () => {
  test.each([
    ['after 6 calls if none has succeeded', hangUp, 6],
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

test('an upstream that throttles every call ends the run with its message, although each call waits as requested', async () => {
  const throttling = answerWith(429, '{"message":"slow down"}', {
    'content-type': 'application/json',
    'retry-after': '1',
  });
  const run = await runOf(throttling, records(40), { connections: 1, clock: steppedClock() });
  const { ending, totals } = await run.mirror();
  expect(ending).toEqual({
    ended: 'failed',
    why: expect.stringMatching(/rejected 6 calls in a row.*slow down/),
  });
  expect([totals.calls, run.upstream.arrivals.length]).toEqual([6, 6]);
});

test('an upstream that resets every reused connection costs two calls, and then each call gets a new connection', async () => {
  const used = new WeakSet<object>();
  const resetting: Handler = (request, response, index) => {
    if (used.has(request.socket)) return void request.socket.resetAndDestroy();
    used.add(request.socket);
    echo(request, response, index);
  };
  const run = await runOf(resetting, records(30), { connections: 1, clock: steppedClock() });
  expect((await run.mirror()).ending).toEqual({ ended: 'done' });
  const lost = run.loaded.filter(({ verdict }) => verdict.is !== 'ok');
  expect([run.upstream.arrivals.length, lost.length]).toEqual([30, 2]);
});

test('a wrong base URL ends the run once enough targets indicate it', async () => {
  const run = await runOf(HTML, searches(9), { connections: 1, clock: steppedClock() });
  const { ending } = await run.mirror({ wrongAddressLimit: 3 });
  const why = expect.stringContaining('the first 3 calls did not reach the API: ');
  expect(ending).toEqual({ ended: 'failed', why });
  expect(run.upstream.arrivals).toHaveLength(3);
});
