import { expect, test } from 'vitest';
import type { LedgerState } from '../../src/allowance/ledger.ts';
import { isoTime } from '../../src/clock.ts';
import { timesIn } from '../../src/page/page_figures.ts';
import { tilesSection } from '../../src/page/section/summary.ts';
import { FACTS, type Shown } from '../../src/report/fact_table.ts';
import type { Trends } from '../../src/report/facts.ts';
import { FACT_CONFIG, factsAt } from '../support/facts.ts';
import { UNLIMITED } from '../support/ledger.ts';

const NOW_MS = Date.UTC(2027, 2, 10, 12);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A mirror whose figures all differ, so that a figure in the wrong place is noticed. */
function mirror(): Shown & { mirror: NonNullable<Shown['mirror']>; trends: Trends } {
  const facts = factsAt(NOW_MS);
  const window = {
    name: 'total' as const,
    limit: 977,
    spent: 311,
    left: 666,
    sinceMs: 0,
    resetsAtMs: null,
  };
  const ledger = { ...UNLIMITED, left: 666, windows: [window], spentEver: 311 } as LedgerState;
  return {
    ...facts,
    config: { ...FACT_CONFIG, allowance: { ...FACT_CONFIG.allowance, per_minute: 13 } },
    allowance: { scheduled: ledger, backfill: { ...ledger, left: 569, windows: [{ ...window, left: 569 }] } },
    mirror: {
      ...(facts.mirror as NonNullable<Shown['mirror']>),
      coverage: {
        known: 1_042,
        fetched: 237,
        gone: 17,
        registryTotal: 2_050,
        registryTotalAt: isoTime(NOW_MS - 3 * DAY_MS),
        knownShare: 0.5,
        fetchedShare: 0.1156,
      },
      coverageEstimate: { low: 0.5, high: 0.5, by: 'statistics', largestTotal: null },
      completion: {
        is: 'expected',
        estimatedAtMs: NOW_MS - HOUR_MS,
        earliestMs: NOW_MS + 4 * DAY_MS,
        latestMs: NOW_MS + 6 * DAY_MS,
      },
      lastSuccessAt: isoTime(NOW_MS - 2 * HOUR_MS),
      quarantined: 7,
      waiting: 23,
      files: { bytes: 5_100_000, walBytes: 2_300_000, schemaVersion: '390' },
    },
    trends: {
      callsLastHour: 41,
      rate: { calls: 0, overMs: DAY_MS },
      week: { new: 59, changed: 61, gone: 3 },
      ages: [2, 29, 31, 37, 43].map((records, at) => ({ records, summaries: 100 + at })),
      unnamed: 53,
      space: {
        responses: 3_100_000,
        tables: 1_200_000,
        companies: 400_000,
        search_index: 300_000,
        other: 100_000,
      },
      backfills: [],
    },
  };
}

const json = (shown: Shown) => Object.fromEntries(FACTS.map((fact) => [fact.key, fact.json(shown)]));
const text = (shown: Shown) =>
  FACTS.flatMap((fact) => fact.lines?.(shown, { time: isoTime, zone: 'UTC' }) ?? []).map(
    ({ label, value, notes = [] }) => [label, value, ...notes].join(' | '),
  );

test('every fact has its own value in JSON', () => {
  expect(json(mirror())).toMatchObject({
    source: 'Sandbox',
    account: 'main',
    tier: 'free',
    at: '2027-03-10T12:00:00.000Z',
    coverage: {
      known: 1_042,
      records: 237,
      gone: 17,
      registry_total: 2_050,
      known_share: 0.5,
      record_share: 0.1156,
    },
    completion: {
      is: 'expected',
      estimated_at: '2027-03-10T11:00:00.000Z',
      earliest: '2027-03-14T12:00:00.000Z',
      latest: '2027-03-16T12:00:00.000Z',
    },
    freshness: [
      { within_days: 1, records: 2, summaries: 100 },
      { within_days: 7, records: 29, summaries: 101 },
      { within_days: 30, records: 31, summaries: 102 },
      { within_days: 90, records: 37, summaries: 103 },
      { within_days: null, records: 43, summaries: 104 },
    ],
    warehouse: {
      bytes: 5_100_000,
      wal_bytes: 2_300_000,
      schema_version: '390',
      space: mirror().trends.space,
    },
    calls_last_hour: 41,
    quarantined: 7,
    waiting: 23,
    week: { new: 59, changed: 61, gone: 3 },
    allowance: {
      left: 666,
      left_for_backfills: 569,
      per_minute: 13,
      resumes_at: null,
      windows: [{ name: 'total', limit: 977, spent: 311, left: 666, resets_at: null }],
    },
  });
});

test('the finish says how many companies the last searches did not find, once nothing is due', () => {
  const given = mirror();
  const shown = (is: 'complete' | 'nothing_due', gone: number) =>
    text({
      ...given,
      mirror: {
        ...given.mirror,
        coverage: { ...given.mirror.coverage, known: 2_050, gone },
        completion: { is, estimatedAtMs: NOW_MS },
      },
    }).find((line) => line.startsWith('finish'));
  const rest = `estimate of ${isoTime(NOW_MS)}`;
  expect(shown('nothing_due', 1)).toBe(
    `finish | Nothing is due | the last searches did not find 1 missing company | ${rest}`,
  );
  expect(shown('nothing_due', 0)).toBe(`finish | Nothing is due | ${rest}`);
  expect(shown('complete', 1)).toBe(`finish | Nothing is due | ${rest}`);
});

test('every fact has its own value in text', () => {
  expect(text(mirror())).toEqual([
    'health | Healthy',
    'companies | 1,025 of 2,050 (50 %) | registry count, received 3 days ago | 17 gone | 53 have no name',
    'records | 237 (23.1 %) | of the known companies',
    'finish | Expected by 14–16 March | estimate of 2027-03-10T11:00:00.000Z',
    'last seen | under 1 day ago 100 · 1–7 days ago 101 · 7–30 days ago 102 · 30–90 days ago 103 · over 90 days ago 104',
    'fetched | under 1 day ago 2 · 1–7 days ago 29 · 7–30 days ago 31 · 30–90 days ago 37 · over 90 days ago 43',
    "files | warehouse 5.1 MB, WAL 2.3 MB | responses 3.1 MB, tables for analysts 1.2 MB, companies' state 400 kB, search indexes 300 kB, calls and other 100 kB",
    'calls | 666 left | 97 of them reserved for scheduled runs | 311 of 977 calls used in total',
    'rate | at most 13 calls a minute; 41 calls in the last hour',
    'waiting | 23 targets failed and will be retried',
    'changes | 61 in 7 days | 59 new companies, 3 gone',
  ]);
});

test('the records of a mirror without companies have no share', () => {
  const shown = mirror();
  const known = shown.mirror as NonNullable<Shown['mirror']>;
  const coverage = { ...known.coverage, known: 0, gone: 0, fetched: 0 };
  expect(text({ ...shown, mirror: { ...known, coverage } })).toContain('records | 0');
});

test('the page shows the same values as text in its tiles', () => {
  const shown = mirror();
  const context = { snapshot: shown, times: timesIn('UTC', NOW_MS) };
  const drawn = tilesSection.draw(context as never, tilesSection);
  const markup = [drawn].flat().map((part) => part.markup);
  const tiles = [...markup.join('').matchAll(/<dt>(.*?)<\/dt><dd><span class="value">(.*?)<\/span>/g)];
  expect(tiles.map(([, title, value]) => [title, value])).toEqual([
    ['Companies', '1,025 of 2,050 (50 %)'],
    ['Records', '237 (23.1 %)'],
    ['Finish', 'Expected by 14–16 March'],
    ['Calls', '666 left'],
    ['Changes', '61 in 7 days'],
  ]);
});

test('every metric has its own value', () => {
  const shown = mirror();
  const samples = FACTS.flatMap(({ metrics }) => metrics ?? []).flatMap((metric) =>
    metric.samples(shown).map(([labels, value]) => [metric.name, ...Object.values(labels), value]),
  );
  expect(samples).toEqual([
    ['sync_last_success_timestamp_seconds', (NOW_MS - 2 * HOUR_MS) / 1000],
    ['coverage_ratio', 0.5],
    ['companies', 'known', 1_042],
    ['companies', 'fetched', 237],
    ['companies', 'gone', 17],
    ['completion_timestamp_seconds', 'earliest', (NOW_MS + 4 * DAY_MS) / 1000],
    ['completion_timestamp_seconds', 'latest', (NOW_MS + 6 * DAY_MS) / 1000],
    ['warehouse_bytes', 'database', 5_100_000],
    ['warehouse_bytes', 'log', 2_300_000],
    ['allowance_remaining', 666],
    ['quarantined', 7],
  ]);
});

test('without a mirror, the facts about the account are still shown', () => {
  const shown: Shown = { ...mirror(), mirror: null, trends: null };
  expect(json(shown)).toMatchObject({ coverage: null, quarantined: 0, allowance: { left: 666 } });
  expect(text(shown)).toEqual([
    'health | Healthy',
    'calls | 666 left | 97 of them reserved for scheduled runs | 311 of 977 calls used in total',
    'rate | at most 13 calls a minute',
  ]);
});

test('a closed account shows why, and until when, with its own values', () => {
  const shown = mirror();
  const closed: LedgerState = {
    ...shown.allowance.scheduled,
    left: 0,
    resumesAtMs: NOW_MS + HOUR_MS,
    pausedUntilMs: NOW_MS + 2 * HOUR_MS,
    exhausted: { atMs: NOW_MS - 3 * HOUR_MS, untilMs: NOW_MS + 4 * HOUR_MS, left: 71 },
    reported: { left: 73, untilMs: NOW_MS + 5 * HOUR_MS },
    refusedKey: { fingerprint: 'k', sinceMs: NOW_MS - 6 * HOUR_MS },
  };
  const own = { ...shown, allowance: { ...shown.allowance, scheduled: closed } };
  expect(json(own).allowance).toMatchObject({
    left: 0,
    resumes_at: '2027-03-10T13:00:00.000Z',
    paused_until: '2027-03-10T14:00:00.000Z',
    exhausted_by_upstream: { at: '2027-03-10T09:00:00.000Z', until: '2027-03-10T16:00:00.000Z' },
    reported_by_upstream: { left: 73, until: '2027-03-10T17:00:00.000Z' },
    key_refused_at: '2027-03-10T06:00:00.000Z',
  });
  const shownText = text(own).join('\n');
  expect(shownText).toContain(
    'the upstream reported on 2027-03-10T09:00:00.000Z that the quota is used up; the ledger counted 71 left',
  );
  expect(shownText).toContain(
    'If the registry has raised the limit since then, run registry-mirror doctor --online.',
  );
  expect(shownText).toContain('the upstream reports 73 calls left until 2027-03-10T17:00:00.000Z');
  expect(shownText).toContain('paused | until 2027-03-10T13:00:00.000Z');
});

test('while the ledger is lost, no remaining quota is shown', () => {
  const shown = mirror();
  const problem = { name: 'ledger_lost', cause: 'It lacks calls.', remedy: 'Restore it.' } as const;
  const lines = text({ ...shown, health: { ...shown.health, state: 'needs_you', problems: [problem] } });
  expect(lines.filter((line) => line.startsWith('calls'))).toEqual([
    'calls | Unknown until the ledger is restored or rebuilt',
  ]);
});
