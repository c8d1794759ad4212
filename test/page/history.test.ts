import { expect, test } from 'vitest';
import { html } from '../../src/page/html.ts';
import { periodsOf, periodsUntil } from '../../src/page/periods.ts';
import { CallHistory } from '../../src/report/call_history.ts';
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

test('periods start at local midnight, even after a clock change', () => {
  const now = Date.UTC(2026, 9, 26, 12);
  const { starts } = periodsUntil(now, { unit: 'day', count: 3, zone: 'Europe/Berlin' });
  // The clocks go back on the 25th, so that day has 25 hours.
  expect(starts.map((startMs) => (startMs - Date.UTC(2026, 9, 23, 22)) / HOUR_MS)).toEqual([0, 24, 49]);
});

test('a whole history is shown in hours, days or weeks', () => {
  const unitAfter = (days: number) => {
    const { unit, starts } = periodsOf('all', 0, days * DAY_MS, 'UTC');
    return `${starts.length} ${unit}s`;
  };
  expect([0.5, 2, 45, 100, 4_000].map(unitAfter)).toEqual([
    '24 hours',
    '30 days',
    '46 days',
    '16 weeks',
    '104 weeks',
  ]);
});

test("the page's markup escapes strings and omits null", () => {
  expect(html`<p title="${'"\u0000<'}">${['&', html`<b>${"'"}</b>`, null]}</p>`.markup).toBe(
    '<p title="&quot;␀&lt;">&amp;<b>&#39;</b></p>',
  );
});
