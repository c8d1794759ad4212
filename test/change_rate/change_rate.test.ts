import { expect, test } from 'vitest';
import { Estimates, FIRST_ESTIMATES, type Watched } from '../../src/change_rate/change_estimates.ts';
import {
  afterFetch,
  type Evidence,
  FIRST_PRIOR,
  fitPrior,
  NO_EVIDENCE,
  rateOf,
} from '../../src/change_rate/change_rate.ts';
import { shownShareOf } from '../../src/change_rate/listing_signal.ts';
import { ChangingRegistry } from '../support/simulation/refresh/changing_registry.ts';

const DAY_MS = 86_400_000;

test("a company's change rate starts at the mean, rises after a change and falls after a period without changes", () => {
  const prior = { shape: 0.5, meanPerDay: 1 / 180 };
  const quiet = { ...NO_EVIDENCE, steadyDays: 720 };
  const lively = { changes: 4, changingDays: 360, steadyDays: 0 };
  expect(rateOf(NO_EVIDENCE, prior)).toBeCloseTo(1 / 180);
  expect(rateOf(quiet, prior)).toBeCloseTo(0.5 / (90 + 720), 5);
  expect(rateOf(lively, prior)).toBeGreaterThan(4.5 / 450);
});

test('fitting the change rates finds the mean from which they were drawn', () => {
  const registry = new ChangingRegistry({ companies: 3000, shape: 0.5, meanDays: 180, shown: 0 }, 7);
  const sample = Array.from({ length: 3000 }, (_, at) => {
    let evidence: Evidence = NO_EVIDENCE;
    registry.begin(at, 0);
    let day = 0;
    for (const openDays of [60, 100, 60, 180]) {
      day += openDays;
      const changed = registry.fetch(at, day);
      evidence = afterFetch(evidence, { coveredDays: 0, openDays }, { changed, shown: 0 });
    }
    return evidence;
  });
  const { meanPerDay } = fitPrior(sample, FIRST_PRIOR);
  expect(1 / meanPerDay).toBeGreaterThan(130);
  expect(1 / meanPerDay).toBeLessThan(240);
});

test.each([
  [0, 0, 0.05],
  [0.4, 0.25, 0.6],
  [1, 0.85, 1],
])('the model learns that a listing shows %s of the changes', (shown, least, most) => {
  const registry = new ChangingRegistry({ companies: 400, shape: 1, meanDays: 100, shown }, 3);
  const estimates = new Estimates(FIRST_ESTIMATES);
  for (let at = 0; at < 400; at++) {
    registry.begin(at, 0);
    let known: Watched = begun();
    for (let day = 5; day <= 400; day += 5) {
      const atMs = day * DAY_MS;
      const changed = registry.list(at, day);
      known = { ...known, ...estimates.listed(known, atMs, changed), listedAtMs: atMs };
      if (changed) known = { ...known, isFlagged: true };
      if (!changed && day % 100 !== 0) continue;
      const isNew = registry.fetch(at, day);
      known = { ...known, ...estimates.fetched(known, atMs, isNew), fetchedAtMs: atMs, isFlagged: false };
    }
  }
  expect(shownShareOf(estimates.state)).toBeGreaterThanOrEqual(least);
  expect(shownShareOf(estimates.state)).toBeLessThanOrEqual(most);
});

test('learning change rates resumes from the stored state', () => {
  const first = new Estimates(FIRST_ESTIMATES);
  first.fetched(begun(), 100 * DAY_MS, true);
  const again = new Estimates(JSON.parse(JSON.stringify(first.state)));
  expect(again.state).toEqual(first.state);
  expect(again.fetched(begun(), 50 * DAY_MS, false)).toEqual(first.fetched(begun(), 50 * DAY_MS, false));
});

function begun(): Watched {
  return { evidence: NO_EVIDENCE, rateClass: -20, fetchedAtMs: 0, listedAtMs: 0, isFlagged: false };
}

test('a flag counts as true if the fetched record has changed, and as false otherwise', () => {
  const estimates = new Estimates(FIRST_ESTIMATES);
  const known = { evidence: NO_EVIDENCE, rateClass: 0, fetchedAtMs: 0, listedAtMs: DAY_MS };
  for (const changed of [true, false, false])
    estimates.fetched({ ...known, isFlagged: true }, 2 * DAY_MS, changed);
  estimates.fetched({ ...known, isFlagged: false }, 2 * DAY_MS, false);
  expect(estimates.state).toMatchObject({ flagsFetched: 3, flagsFalse: 2 });
});
