import { expect, test } from 'vitest';
import { html } from '../../src/page/html.ts';
import { periodsOf, periodsUntil } from '../../src/page/periods.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

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
