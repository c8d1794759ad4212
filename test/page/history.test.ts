import { expect, test } from 'vitest';
import { timeTicks } from '../../src/page/chart/axis.ts';
import { html } from '../../src/page/html.ts';
import { byStretch, CallHistory, coarser, growth, stretchFor } from '../../src/report/call_history.ts';
import type { CallBucket, CallStretch } from '../../src/warehouse/call_counts.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const searched = (atMs: number, fresh: number): CallBucket => ({
  atMs,
  kind: 'search',
  outcome: 'ok',
  calls: 1,
  fresh,
  changed: 0,
});

test('a growth curve ends at the current count and is flat between calls', () => {
  const now = { atMs: 10 * HOUR_MS, known: 30, fetched: 0 };
  const curve = growth([searched(0, 20), searched(5 * HOUR_MS, 10)], now, HOUR_MS);
  expect(curve.map(({ atMs, known }) => [atMs / HOUR_MS, known])).toEqual([
    [0, 0],
    [1, 20],
    [5, 20],
    [6, 30],
    [10, 30],
  ]);
});

test('a growth curve never falls below zero, even if old calls are missing', () => {
  const record = { ...searched(0, 9), kind: 'entity' };
  expect(growth([record, searched(0, 9)], { atMs: HOUR_MS, known: 5, fetched: 4 }, HOUR_MS)).toEqual([
    { atMs: 0, known: 0, fetched: 0 },
    { atMs: HOUR_MS, known: 5, fetched: 4 },
  ]);
});

test('an interval counts sent calls, successful searches, companies seen for the first time, and calls by outcome', () => {
  const outcomes = [
    'ok',
    'received',
    'absent',
    'gone',
    'throttled',
    'exhausted',
    'broken',
    'refused',
    'unsent',
  ];
  const buckets = outcomes.map((outcome) => ({ ...searched(HOUR_MS, 1), outcome, calls: 2 }));
  const record = { ...searched(0, 4), kind: 'entity' };
  expect(byStretch([...buckets, record])).toEqual([
    {
      ...{ atMs: 0, calls: 1, searches: 0, found: 0, records: 4 },
      byGroup: { answered: 1, rejected: 0, failed: 0, unsent: 0 },
    },
    {
      ...{ atMs: HOUR_MS, calls: 16, searches: 2, found: 9, records: 0 },
      byGroup: { answered: 8, rejected: 4, failed: 4, unsent: 2 },
    },
  ]);
});

test('the history uses the shortest intervals that give at most 120, but none longer than 28 days', () => {
  expect([2 * HOUR_MS, 2 * HOUR_MS + 1, 120 * DAY_MS, 841 * DAY_MS].map(stretchFor)).toEqual([
    ...[60_000, 300_000, DAY_MS, 28 * DAY_MS],
  ]);
  expect(coarser([searched(DAY_MS + HOUR_MS, 1)], DAY_MS)).toEqual([searched(DAY_MS, 1)]);
});

test('an hour of the history is read again until one hour after it ends, because calls are loaded after they are sent', () => {
  const loaded = [searched(0, 1)];
  const readFrom: number[] = [];
  const history = new CallHistory(({ fromMs }) => {
    readFrom.push(fromMs / HOUR_MS);
    return loaded.filter(({ atMs }) => atMs >= fromMs);
  });
  expect(history.hours(0, HOUR_MS)).toEqual(loaded);
  loaded.push(searched(0, 2));
  expect(history.hours(0, 2 * HOUR_MS - 1)).toEqual(loaded);
  loaded.push(searched(HOUR_MS, 3));
  expect(history.hours(0, 2 * HOUR_MS)).toEqual(loaded);
  expect(history.hours(0, 2 * HOUR_MS)).toEqual(loaded);
  expect(readFrom).toEqual([0, 0, 0, 1]);
});

test('the history includes calls in the first hour and on the following day, because clocks differ', () => {
  const stretches: CallStretch[] = [];
  const history = new CallHistory((stretch) => {
    stretches.push(stretch);
    return [];
  });
  history.hours(5.5 * HOUR_MS, 9 * HOUR_MS);
  expect(stretches).toEqual([{ fromMs: 5 * HOUR_MS, toMs: 33 * HOUR_MS, bucketMs: HOUR_MS }]);
});

test('day ticks are at local midnight, even after a clock change', () => {
  const from = Date.UTC(2026, 9, 24, 5);
  expect(timeTicks(from, from + 28 * DAY_MS, 'Europe/Berlin').map(({ label }) => label)).toEqual([
    '26 Oct',
    '2 Nov',
    '9 Nov',
    '16 Nov',
  ]);
  const [first] = timeTicks(Date.UTC(2026, 9, 24, 22), Date.UTC(2026, 9, 27, 22), 'Europe/Berlin').slice(1);
  // The clocks go back on the 25th, so midnight on the 26th comes 25 hours after midnight on the 25th.
  expect(first?.at).toBeCloseTo(25 / 72);
});

test("the page's markup escapes strings and omits null", () => {
  expect(html`<p title="${'"\u0000<'}">${['&', html`<b>${"'"}</b>`, null]}</p>`.markup).toBe(
    '<p title="&quot;␀&lt;">&amp;<b>&#39;</b></p>',
  );
});
