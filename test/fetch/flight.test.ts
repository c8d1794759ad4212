import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { LedgerFailure, type NotMade } from '../../src/fetch/fetch.ts';
import { type Flight, openFlight } from '../../src/fetch/flight.ts';
import type { Outcome } from '../../src/outcome.ts';
import { entityOf, SEARCH } from '../dialect/fixtures.ts';
import { answerWith, type Handler, type RigOptions, rigOf, upstreamOf } from './fixtures.ts';

const echo: Handler = (request, response, index) =>
  answerWith(200, JSON.stringify({ id: request.url?.split('/').at(-1), results: [] }))(
    request,
    response,
    index,
  );

async function flightOf(handler: Handler, changes: Partial<RigOptions> = {}) {
  const upstream = await upstreamOf(handler);
  const rig = rigOf({ baseUrl: `${upstream.origin}/api`, lanes: 8, ...changes });
  const notMade: NotMade[] = [];
  const stop = new AbortController();
  const flight = openFlight({
    ...rig,
    clock: systemClock,
    signal: stop.signal,
    onNotMade: (one) => void notMade.push(one),
  });
  return { upstream, rig, flight, notMade, stop };
}

async function landAll(flight: Flight): Promise<Outcome[][]> {
  const groups: Outcome[][] = [];
  while (!flight.isEmpty) groups.push(await flight.landed());
  return groups;
}

describe('a flight', () => {
  test('hands over everything once, and its lanes come free with it', async () => {
    const { flight } = await flightOf(echo);
    const outcomes: Outcome[] = [];
    for (let next = 0; outcomes.length < 100; ) {
      while (flight.freeLanes > 0 && next < 100) flight.start(entityOf(String(next++)));
      outcomes.push(...(await flight.landed()));
    }
    const ids = outcomes.map(({ call }) => (call.kind === 'entity' ? call.entityId : ''));
    expect(new Set(ids).size).toBe(100);
    expect(outcomes.every(({ verdict }) => verdict.is === 'ok')).toBe(true);
    expect([flight.isEmpty, flight.freeLanes]).toEqual([true, 8]);
  });

  test('keeps a lane until its outcome is handed over: a kill forgets one call a lane', async () => {
    const { flight, upstream } = await flightOf(echo);
    for (let lane = 0; lane < 8; lane++) flight.start(entityOf(String(lane)));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(upstream.arrivals).toHaveLength(8);
    expect(flight.freeLanes).toBe(0);
    await landAll(flight);
    expect(flight.freeLanes).toBe(8);
  });

  test('gathers records, but hands a search over at once', async () => {
    const { flight } = await flightOf((request, response, index) => {
      const isSearch = request.url?.includes('search') ?? false;
      setTimeout(() => echo(request, response, index), isSearch ? 10 : 200);
    });
    for (let lane = 0; lane < 7; lane++) flight.start(entityOf(String(lane)));
    flight.start(SEARCH);
    const groups = (await landAll(flight)).filter(({ length }) => length > 0);
    expect(groups[0]?.map(({ call }) => call.kind)).toEqual(['search']);
    expect(groups.length).toBeLessThan(6);
  });

  test('tells of calls that were not made, and frees their lanes', async () => {
    const { flight, notMade } = await flightOf(echo, { allowance: { total: 3 } });
    for (let lane = 0; lane < 8; lane++) flight.start(entityOf(String(lane)));
    const outcomes = (await landAll(flight)).flat();
    expect([outcomes.length, notMade.length, flight.freeLanes]).toEqual([3, 5, 8]);
    flight.check();
  });

  test('loses nothing that landed when the ledger fails under one call', async () => {
    const { flight, rig } = await flightOf((request, response, index) => {
      if (index === 7) rig.ledger.close();
      setTimeout(() => answerWith(429, '')(request, response, index), index === 7 ? 0 : 100);
    });
    for (let lane = 0; lane < 8; lane++) flight.start(entityOf(String(lane)));
    const outcomes = await flight.settled();
    expect(outcomes).toHaveLength(8);
    expect(() => flight.check()).toThrow(LedgerFailure);
  });

  test('that is interrupted finishes what was sent', async () => {
    const { flight, notMade, stop, upstream } = await flightOf(
      (request, response, index) => void setTimeout(() => echo(request, response, index), 100),
      { allowance: { perMinute: 600 } },
    );
    for (let lane = 0; lane < 8; lane++) flight.start(entityOf(String(lane)));
    await new Promise((resolve) => setTimeout(resolve, 150));
    stop.abort();
    const outcomes = await flight.settled();
    expect(outcomes.length + notMade.length).toBe(8);
    expect(outcomes).toHaveLength(upstream.arrivals.length);
    expect(notMade.every(({ because }) => because.is === 'interrupted')).toBe(true);
    expect(flight.isEmpty).toBe(true);
  });
});
