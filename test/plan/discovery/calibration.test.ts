import { expect, test } from 'vitest';
import { generateRegistry } from '../../../data/generate.ts';
import type { MadeSearch } from '../../../src/knowledge.ts';
import { Calibration } from '../../../src/plan/discovery/calibration.ts';
import { discover } from '../../support/simulation/discover.ts';
import { PLAIN, Registry } from '../../support/simulation/registry.ts';

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

test.each(['token_prefix', 'token', 'substring'] as const)(
  'new queries find about as many companies as they are expected to find: %s',
  (semantics) => {
    const companies = [20, 21].map((seed) => [...generateRegistry({ companies: 500, seed })]);
    let [expected, found] = [0, 0];
    for (const registry of companies.map(
      (one) => new Registry(one, { ...PLAIN, semantics, order: 'given' }),
    )) {
      const { calls, known } = discover(registry, { mostCalls: 250, enough: registry.size });
      for (const [at, call] of calls.entries()) {
        if (call.kind !== 'search' || call.reason !== 'new query') continue;
        expected += call.expected;
        found += (known[at] ?? 0) - (known[at - 1] ?? 0);
      }
    }
    expect(expected / found).toBeGreaterThan(0.75);
    expect(expected / found).toBeLessThan(1.25);
  },
);

test('the statistics raise the expected yield of a search that was chosen before them', () => {
  const registry = new Registry([...generateRegistry({ companies: 500, seed: 20 })], {
    ...PLAIN,
    semantics: 'token_prefix',
  });
  const { calls } = discover(registry, { mostCalls: 2, enough: registry.size });
  expect(calls.map(({ kind }) => kind)).toEqual(['stats', 'search']);
  expect(calls[1]?.expected).toBeGreaterThan(10);
});
