import { expect, test, vi } from 'vitest';
import { entityOf } from '../support/dialect.ts';
import { echo, records, runOf, steppedClock } from '../support/engine.ts';
import type { Handler } from '../support/fetch.ts';

test('the planner receives the remaining quota each time it chooses a call', async () => {
  const run = await runOf(echo, records(20), {
    connections: 1,
    allowance: { total: 8 },
    clock: steppedClock(),
  });
  await run.mirror();
  expect(run.choices.slice(0, 8).map(({ left }) => left)).toEqual(
    [8, 7, 6, 5, 4, 3, 2, 1].map((calls) => ({ calls, lifetimeLimit: 8 })),
  );
});

test('the planner receives the number of calls that the run may still make, and the absence of a total limit', async () => {
  const options = { connections: 1, allowance: { perDay: 50 }, clock: steppedClock() };
  const run = await runOf(echo, records(20), options);
  await run.mirror({ maxCalls: 3 });
  // The last question is whether another call would be due.
  expect(run.choices.map(({ left }) => left)).toEqual(
    [3, 2, 1, 1].map((calls) => ({ calls, lifetimeLimit: null })),
  );
});

test('a call that could not be sent counts towards neither the run nor the allowance', async () => {
  let isLost = true;
  const run = await runOf(echo, records(9), {
    connections: 1,
    allowance: { total: 4 },
    clock: steppedClock(),
    beforeSending: async () => {
      if (isLost) for (const connection of run.rig.connections) connection.discard();
      isLost = false;
    },
  });
  expect((await run.mirror({ maxCalls: 3 })).ending).toEqual({ ended: 'max_calls' });
  expect((await run.mirror()).ending).toMatchObject({ ended: 'allowance' });
  expect(run.upstream.arrivals).toHaveLength(4);
  const targets = run.choices.map(({ target }) => target);
  expect([...new Set(targets)]).toEqual(['1000', '1001', '1002', '1003', '1004']);
});

test('a run whose last due call is also the last call that it may send is done', async () => {
  const run = await runOf(echo, records(4), { connections: 1, clock: steppedClock() });
  expect(await run.mirror({ maxCalls: 4 })).toMatchObject({
    ending: { ended: 'done' },
    totals: { calls: 4 },
  });
});

test('a run whose last due call uses up the quota is done', async () => {
  const run = await runOf(echo, records(4), {
    connections: 1,
    allowance: { total: 4 },
    clock: steppedClock(),
  });
  expect(await run.mirror()).toMatchObject({ ending: { ended: 'done' }, totals: { calls: 4 } });
  expect(await run.mirror()).toMatchObject({ ending: { ended: 'done' }, totals: { calls: 0 } });
});

test('a response is processed without waiting for its batch if no call is in flight', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  try {
    const run = await runOf(echo, records(3), { connections: 1 });
    expect((await run.mirror()).totals).toMatchObject({ calls: 3, fetched: 3 });
  } finally {
    vi.useRealTimers();
  }
});

test('if a processed batch makes a call due, that call is sent while another is in flight', async () => {
  const held: (() => void)[] = [];
  const late: Handler = (request, response, index) => {
    if (index === 1) held.push(() => echo(request, response, index));
    else echo(request, response, index);
    // The second response arrives only after the third request.
    if (index === 2) for (const reply of held) reply();
  };
  const run = await runOf(late, records(2), {
    onLearn: (due, { call }) => {
      if (call.kind === 'entity' && call.entityId === '1000') due.push(entityOf('new'));
    },
  });
  expect((await run.mirror()).ending).toEqual({ ended: 'done' });
  expect(run.loaded).toHaveLength(3);
});
