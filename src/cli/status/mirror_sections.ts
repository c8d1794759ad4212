import { isoTime } from '../../clock.ts';
import { DAY_MS } from '../../durations.ts';
import { allowanceOf } from '../../operations/configured_ledger.ts';
import { completionText, readCompletion } from '../../report/completion_forecast.ts';
import { type CoverageEstimate, estimateCoverage } from '../../report/coverage_estimate.ts';
import { byteSize, count, counted, localTime, percent } from '../../report/figures.ts';
import { readSearchEvidence } from '../../warehouse/coverage_counts.ts';
import { readHealth } from '../../warehouse/health.ts';
import { type AgeClass, ageClasses } from '../../warehouse/page_queries.ts';
import type { Output } from '../output.ts';
import { printable } from '../table.ts';
import { ago, section } from './section.ts';

/** The sections about the mirror's contents. */

export const coverageSection = section({
  key: 'coverage',
  empty: null,
  read({ mirror }) {
    if (mirror === null) return null;
    const { coverage } = mirror.snapshot;
    const { known, gone, registryTotal } = coverage;
    const evidence = { known: known - gone, registryTotal, ...readSearchEvidence(mirror.db) };
    return { ...coverage, estimate: estimateCoverage(evidence) };
  },
  json: ({
    known,
    fetched,
    gone,
    registryTotal,
    registryTotalAt,
    knownShare,
    fetchedShare,
    estimate: { low, high, by, recaptured },
  }) => ({
    known,
    records: fetched,
    gone,
    registry_total: registryTotal,
    registry_total_at: registryTotalAt,
    known_share: knownShare,
    record_share: fetchedShare,
    estimate: { low, high, by, recaptured },
  }),
  lines(coverage, { nowMs, output }) {
    const { known, fetched, gone, registryTotal, registryTotalAt, knownShare, fetchedShare } = coverage;
    const present = known - gone;
    const isOutdated = registryTotal !== null && present > registryTotal;
    const of = registryTotal === null || isOutdated ? '' : ` of ${count(registryTotal)}`;
    const share = knownShare === null || isOutdated ? '' : ` (${percent(knownShare)})`;
    const records = fetchedShare === null ? '' : ` (${percent(fetchedShare)})`;
    const goneText = gone > 0 ? `, ${count(gone)} gone` : '';
    const source =
      registryTotal === null || registryTotalAt === null
        ? 'the registry reports no count, so completeness is unknown'
        : `registry count of ${ago(registryTotalAt, nowMs)}${isOutdated ? ` reports only ${count(registryTotal)}` : ''}`;
    return [
      `  coverage   ${count(present)}${of} companies${share}, ${counted(fetched, 'record')}${records}${goneText}`,
      `             ${output.style('dim', source)}`,
      ...estimateLines(coverage.estimate, output),
    ];
  },
});

export const completionSection = section({
  key: 'completion',
  empty: null,
  read: ({ mirror, config, allowance, nowMs }) =>
    mirror &&
    readCompletion(mirror.db, { nowMs, allowance: allowanceOf(config), ledger: allowance.scheduled }),
  json: (forecast) => ({
    is: forecast.is,
    estimated_at: forecast.is === 'unknown' ? null : isoTime(forecast.estimatedAtMs),
    earliest: forecast.is === 'expected' ? isoTime(forecast.earliestMs) : null,
    latest: forecast.is === 'expected' && isDate(forecast.latestMs) ? isoTime(forecast.latestMs) : null,
  }),
  lines(forecast, { nowMs, output }) {
    if (forecast.is === 'unknown') return [];
    const at = output.style('dim', `(estimate of ${localTime(forecast.estimatedAtMs)})`);
    return [`  finish     ${completionText(forecast, nowMs)} ${at}`];
  },
});

function isDate(atMs: number | null): atMs is number {
  return atMs !== null && atMs !== Infinity;
}

/**
 * Shows how much of the registry is known, as estimated from search results. This estimate supplements the registry
 * count, or replaces it if the registry reports none.
 */
function estimateLines({ low, high, by, recaptured }: CoverageEstimate, output: Output): string[] {
  const evidence =
    recaptured === null
      ? null
      : `${percent(recaptured.low)} to ${percent(recaptured.high)} of the companies on ${counted(recaptured.pages, 'search page')} were known before`;
  const text =
    by === 'statistics'
      ? evidence
      : `estimated at ${percent(low)} to ${percent(high)}${evidence === null ? '' : `: ${evidence}`}`;
  return text === null ? [] : [`             ${output.style('dim', text)}`];
}

export const freshnessSection = section({
  key: 'freshness',
  empty: null,
  read: ({ mirror, nowMs }) =>
    mirror === null
      ? null
      : ageClasses(
          mirror.db,
          AGES.map((days) => isoTime(nowMs - days * DAY_MS)),
        ),
  json: (ages) =>
    ages.map(({ records, summaries }, at) => ({ within_days: AGES[at] ?? null, records, summaries })),
  lines: (ages, { output }) => [
    ...ageLine(ages, 'summaries', { label: 'seen in    ', output }),
    ...ageLine(ages, 'records', { label: 'fetched in ', output }),
  ],
});

/** Each age class's upper limit, in days. One more class holds everything older. */
const AGES = [1, 7, 30, 90] as const;

/** Returns a line with a bar and each age class's count, or no line if all counts are 0. */
function ageLine(
  ages: readonly AgeClass[],
  kind: keyof AgeClass,
  { label, output }: { readonly label: string; readonly output: Output },
): string[] {
  const names = [...AGES.map((days) => (days === 1 ? '1 day' : `${days} days`)), 'older'];
  const total = ages.reduce((sum, one) => sum + one[kind], 0);
  if (total === 0) return [];
  const figures = ages.flatMap((one, at) => (one[kind] > 0 ? [`${names[at]} ${count(one[kind])}`] : []));
  const shares = ages.map((one) => one[kind] / total);
  return [`  ${label}${bar(shares, output)}  ${figures.join(' · ')}`];
}

/** Draws a bar of BAR_WIDTH characters. Younger age classes are darker. */
function bar(shares: readonly number[], output: Output): string {
  const shades = ['█', '▓', '▒', '░', '·'];
  let text = '';
  let reached = 0;
  shares.forEach((share, at) => {
    reached += share * BAR_WIDTH;
    text = text.padEnd(Math.round(reached), shades[at]);
  });
  return output.style('cyan', text.padEnd(BAR_WIDTH, shades.at(-1)).slice(0, BAR_WIDTH));
}

export const warehouseSection = section({
  key: 'warehouse',
  empty: null,
  read: ({ mirror }) =>
    mirror === null
      ? null
      : { ...mirror.snapshot.files, ...readHealth(mirror.db), holder: mirror.snapshot.holder },
  json: ({ bytes, walBytes, schemaVersion }) => ({
    bytes,
    wal_bytes: walBytes,
    schema_version: schemaVersion,
  }),
  lines({ bytes, walBytes, holder }) {
    const wal = walBytes > SHOWN_WAL_BYTES ? `, WAL ${byteSize(walBytes)}` : '';
    const files = `  files      warehouse ${byteSize(bytes)}${wal}`;
    if (holder === null) return [files];
    const { pid, host, takenAt } = holder;
    return [
      files,
      `  running    process ${pid} on ${printable(host)}, since ${localTime(Date.parse(takenAt))}`,
    ];
  },
});

const SHOWN_WAL_BYTES = 1_000_000;
const BAR_WIDTH = 20;
