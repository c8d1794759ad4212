import { expect, test } from 'vitest';
import type { MadeSearch } from '../../../src/knowledge.ts';
import { Calibration } from '../../../src/plan/discovery/calibration.ts';

const QUERY = { by: 'name' as const, text: 'acme' };

function calibrationAfter(searches: readonly MadeSearch[]): Calibration {
  return new Calibration({ latestSearches: () => searches.toReversed() });
}

function search(callId: number, given: Partial<MadeSearch>): MadeSearch {
  return {
    query: QUERY,
    reason: 'new query',
    expected: 10,
    found: 10,
    isSinceCount: true,
    callId,
    sentAfter: callId - 1,
    ...given,
  };
}

/** Predicts and learns from searches in one process, and returns them as the mirror stores them. */
function made(reasons: readonly string[], connections = 1) {
  const calibration = calibrationAfter([]);
  const predicted = reasons.map((reason, at) => ({ reason, expectedYield: 20 + (at % 7), found: at % 11 }));
  const stored: MadeSearch[] = [];
  const learn = (at: number) => {
    const one = predicted[at];
    if (one !== undefined) calibration.learn({ query: QUERY, ...one }, one.found);
  };
  for (const [at, { reason, expectedYield, found }] of predicted.entries()) {
    learn(at - connections);
    const expected = expectedYield * calibration.ratio({ query: QUERY, reason });
    stored.push(search(at + 1, { reason, expected, found, sentAfter: at + 1 - connections }));
  }
  for (let at = predicted.length - connections; at < predicted.length; at++) learn(at);
  return { calibration, stored };
}

test.each([1, 8])('calibration is the same after a restart: %i connections', (connections) => {
  const sorts = [
    'new query',
    'splits ac',
    'new query without known matches',
    'splits b without known matches',
    'next page',
    'next page of a truncated listing',
    'adds a word to acme',
    'new character',
  ];
  const { calibration, stored } = made(
    Array.from({ length: 200 }, (_, at) => sorts[(at * 5) % 8] as string),
    connections,
  );
  const restarted = calibrationAfter(stored);
  for (const reason of sorts)
    expect(restarted.ratio({ query: QUERY, reason })).toBeCloseTo(
      calibration.ratio({ query: QUERY, reason }),
    );
});

test('after many successful searches, one empty search lowers the expected yields by less than half', () => {
  const searches = Array.from({ length: 20 }, (_, at) => search(at + 1, {}));
  const before = calibrationAfter(searches).ratio(search(22, {}));
  const after = calibrationAfter([...searches, search(21, { expected: 30, found: 0 })]).ratio(search(22, {}));
  expect(after).toBeGreaterThan(0.5 * before);
  expect(after).toBeLessThan(0.9 * before);
});

test('searches made before the registry count changed are ignored', () => {
  const searches = [search(1, { found: 0, isSinceCount: false }), search(2, {})];
  expect(calibrationAfter(searches).ratio(search(3, {}))).toBe(1);
});
