import { expect, test } from 'vitest';
import { timeTicks } from '../../src/page/chart/axis.ts';
import { html } from '../../src/page/html.ts';
import { growth, openCallHistory } from '../../src/report/call_history.ts';
import { percent } from '../../src/report/figures.ts';
import type { CallBucket } from '../../src/warehouse/page_queries.ts';

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

test('an hour is read again until one hour after its end, because calls are loaded later than sent', () => {
  const loaded = [searched(0, 1)];
  const readFrom: number[] = [];
  const history = openCallHistory(({ fromMs }) => {
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

test('day ticks are at local midnight, even after a clock change, and include the 1st of each month', () => {
  const from = Date.UTC(2026, 9, 24, 5);
  expect(timeTicks(from, from + 28 * DAY_MS, 'Europe/Berlin').map(({ label }) => label)).toEqual([
    '1 Nov',
    '11 Nov',
    '21 Nov',
  ]);
  const [first] = timeTicks(Date.UTC(2026, 9, 24, 22), Date.UTC(2026, 9, 27, 22), 'Europe/Berlin').slice(1);
  // The clocks go back on the 25th: midnight of the 26th is 25 hours after that of the 25th.
  expect(first?.at).toBeCloseTo(25 / 72);
});

test('a share below 1 is never rounded to 100 %, and a share above 0 is never rounded to 0 %', () => {
  expect([1, 0.9999, 0.5, 0.0001, 0].map(percent)).toEqual(['100 %', '99.9 %', '50 %', '< 0.1 %', '0 %']);
});

test('markup escapes strings, and omits null', () => {
  expect(html`<p title="${'"\u0000<'}">${['&', html`<b>${"'"}</b>`, null]}</p>`.markup).toBe(
    '<p title="&quot;␀&lt;">&amp;<b>&#39;</b></p>',
  );
});
