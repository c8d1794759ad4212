import type { LedgerState, WindowState } from '../allowance/ledger.ts';
import { windowRow } from '../allowance/window_table.ts';
import { isoTime } from '../clock.ts';
import { allowanceOf } from '../operations/configured_ledger.ts';
import type { SpaceUse } from '../warehouse/file_facts.ts';
import { completionBounds, completionText } from './completion_forecast.ts';
import type { CoverageEstimate, Interval } from './coverage_estimate.ts';
import { AGE_DAYS, type Facts, type MirrorFacts, type Trends } from './facts.ts';
import { byteSize, count, counted, duration, percent } from './figures.ts';
import { type HealthState, healthSentence } from './health.ts';
import { type FormatTime, RAISED_REMEDY, USUAL_UNNAMED } from './problems.ts';
import { type CallRate, forecastQuota, quotaForecastText } from './quota_forecast.ts';
import type { ScheduleFacts } from './schedules.ts';

/**
 * How each fact is shown. `status` prints the lines, `status --json` the JSON values, the status page the lines with a
 * tile, and the worker the metrics. To add a fact, add an entry.
 */
interface Fact<Source = Shown> {
  /** The key in `status --json`. */
  readonly key: string;
  /** Undefined omits the key. */
  json(shown: Source): unknown;
  /** What a person reads; empty if there is nothing to say. */
  lines?(shown: Source, format: Format): readonly Line[];
  readonly metrics?: readonly FactMetric[];
}

/** The facts with the mirror's trends. Both are null if there is no mirror yet. */
export interface Shown extends Facts {
  readonly trends: Trends | null;
}

interface ShownMirror extends Facts {
  readonly mirror: MirrorFacts;
  readonly trends: Trends;
}

/** How a reader formats times. */
interface Format {
  readonly time: FormatTime;
  /** An IANA time zone, or undefined for this machine's. */
  readonly zone?: string;
}

export interface Line {
  /** At most ten characters. */
  readonly label: string;
  readonly value: string;
  readonly notes?: readonly string[];
  /** The title of the line's tile on the status page; absent if the page does not show the line. */
  readonly tile?: string;
  /** A bar that shows a share, or the range in which it lies. */
  readonly share?: Interval;
  /** A bar that is divided in these proportions, which add up to at most 1. The rest of the bar is empty. */
  readonly parts?: readonly number[];
  readonly tone?: HealthState;
}

/** A gauge that the worker exports. Its name gets the prefix `registry_mirror_`. */
interface FactMetric {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
  /** Null means that the metric has no value now. */
  samples(facts: Facts & { readonly mirror: MirrorFacts }): readonly Sample[];
}

/** The labels other than `registry`, and the value. */
export type Sample = readonly [labels: Readonly<Record<string, string>>, value: number | null];

export const FACTS: readonly Fact[] = [
  { key: 'source', json: ({ config }) => config.source.name },
  { key: 'account', json: ({ config }) => config.account.id },
  { key: 'tier', json: ({ config }) => config.account.tier },
  { key: 'at', json: ({ nowMs }) => isoTime(nowMs) },
  {
    key: 'health',
    json: ({ health: { state, problems, waitsUntilMs } }) => ({
      state,
      problems,
      waits_until: timeOf(waitsUntilMs),
    }),
    lines({ health }, { time }) {
      const [first, ...others] = health.problems;
      return [
        {
          label: 'health',
          value: healthSentence(health, time),
          notes: first === undefined ? [] : [first.remedy],
          tone: health.state,
        },
        ...others.map(({ cause, remedy }) => ({
          label: '',
          value: cause,
          notes: [remedy],
          tone: 'needs_you' as const,
        })),
      ];
    },
    metrics: [
      {
        name: 'sync_last_success_timestamp_seconds',
        help: 'End of the last successful run.',
        samples: ({ mirror: { lastSuccessAt } }) => [[{}, seconds(msOf(lastSuccessAt))]],
      },
    ],
  },
  ofMirror(null, {
    key: 'coverage',
    json: ({ mirror: { coverage, coverageEstimate } }) => {
      const { known, fetched, gone, registryTotal, registryTotalAt, knownShare, fetchedShare } = coverage;
      const { low, high, by } = coverageEstimate;
      return {
        known,
        records: fetched,
        gone,
        registry_total: registryTotal,
        registry_total_at: registryTotalAt,
        known_share: knownShare,
        record_share: fetchedShare,
        estimate: { low, high, by },
      };
    },
    lines: (shown) => [companiesLine(shown), recordsLine(shown.mirror)],
    metrics: [
      {
        name: 'coverage_ratio',
        help: "Known companies that are not gone, divided by the registry's own count; at most 1.",
        samples: ({ mirror: { coverage } }) => [[{}, coverage.knownShare]],
      },
      {
        name: 'companies',
        help: 'Companies in the mirror by state: known, fetched, gone.',
        labels: ['state'],
        samples: ({ mirror: { coverage } }) =>
          (['known', 'fetched', 'gone'] as const).map((state) => [{ state }, coverage[state]]),
      },
    ],
  }),
  ofMirror(null, {
    key: 'completion',
    json: ({ mirror: { completion } }) => {
      const isExpected = completion.is === 'expected';
      return {
        is: completion.is,
        estimated_at: completion.is === 'unknown' ? null : isoTime(completion.estimatedAtMs),
        earliest: isExpected ? isoTime(completion.earliestMs) : null,
        latest: isExpected ? timeOf(completion.latestMs) : null,
      };
    },
    lines({ mirror: { completion, coverage }, allowance, config, nowMs }, { time, zone }) {
      const tile = 'Finish';
      const value = completionText(completion, nowMs, zone);
      if (completion.is !== 'unknown') {
        const missing = Math.max(0, (coverage.registryTotal ?? 0) - (coverage.known - coverage.gone));
        const isOver = completion.is === 'nothing_due' && missing > 0;
        const unreachable = `the last searches did not find ${counted(missing, 'missing company', 'missing companies')}`;
        const notes = [...(isOver ? [unreachable] : []), `estimate of ${time(completion.estimatedAtMs)}`];
        return [{ label: 'finish', value, notes, tile }];
      }
      if (completion.until !== null) return [{ label: 'finish', value, tile }];
      if (config.dialect === undefined)
        return [{ label: 'finish', value: 'Unknown until probe succeeds', tile }];
      const { left, resumesAtMs } = allowance.scheduled;
      if (left <= 0 && resumesAtMs === null)
        return [{ label: 'finish', value: 'Never with this allowance: no calls are left', tile }];
      const notes = ['registry-mirror plan estimates it now, and each sync at its end.'];
      return [{ label: 'finish', value, notes, tile }];
    },
    metrics: [
      {
        name: 'completion_timestamp_seconds',
        help: 'Earliest and latest expected finish; +Inf if this allowance never suffices.',
        labels: ['bound'],
        samples({ mirror: { completion } }) {
          const { earliestMs, latestMs } = completionBounds(completion);
          return [
            [{ bound: 'earliest' }, seconds(earliestMs)],
            [{ bound: 'latest' }, seconds(latestMs)],
          ];
        },
      },
    ],
  }),
  ofMirror(null, {
    key: 'freshness',
    json: ({ trends: { ages } }) =>
      ages?.map(({ records, summaries }, at) => ({ within_days: AGE_DAYS[at] ?? null, records, summaries })),
    lines({ trends: { ages }, mirror: { coverage } }) {
      const present = coverage.known - coverage.gone;
      return [
        ...ageLines('last seen', ages?.map(({ summaries }) => summaries) ?? [], present),
        ...ageLines('fetched', ages?.map(({ records }) => records) ?? [], present),
      ];
    },
  }),
  ofMirror(null, {
    key: 'warehouse',
    json: ({ mirror: { files }, trends: { space } }) => ({
      bytes: files.bytes,
      wal_bytes: files.walBytes,
      schema_version: files.schemaVersion,
      space,
    }),
    lines({ mirror: { files, holder }, trends: { space } }, { time }) {
      const wal = files.walBytes > SHOWN_WAL_BYTES ? `, WAL ${byteSize(files.walBytes)}` : '';
      const notes = space === null ? [] : [spaceText(space)];
      const line = { label: 'files', value: `warehouse ${byteSize(files.bytes)}${wal}`, notes };
      if (holder === null) return [line];
      const { pid, host, takenAt } = holder;
      return [
        line,
        { label: 'running', value: `process ${pid} on ${host}, since ${time(Date.parse(takenAt))}` },
      ];
    },
    metrics: [
      {
        name: 'warehouse_bytes',
        help: 'Size of the database file and its write-ahead log.',
        labels: ['file'],
        samples: ({ mirror: { files } }) => [
          [{ file: 'database' }, files.bytes],
          [{ file: 'log' }, files.walBytes],
        ],
      },
    ],
  }),
  ofMirror(undefined, { key: 'calls_last_hour', json: ({ trends }) => trends.callsLastHour }),
  {
    key: 'allowance',
    json: ({ allowance: { scheduled, backfill }, config }) => ({
      left: finite(scheduled.left),
      left_for_backfills: finite(backfill.left),
      per_minute: config.allowance.per_minute,
      resumes_at: timeOf(scheduled.resumesAtMs),
      paused_until: timeOf(scheduled.pausedUntilMs),
      key_refused_at: timeOf(scheduled.refusedKey?.sinceMs ?? null),
      exhausted_by_upstream:
        scheduled.exhausted === null
          ? null
          : { at: isoTime(scheduled.exhausted.atMs), until: timeOf(scheduled.exhausted.untilMs) },
      reported_by_upstream:
        scheduled.reported === null
          ? null
          : { left: scheduled.reported.left, until: timeOf(scheduled.reported.untilMs) },
      windows: scheduled.windows.map(({ name, limit, spent, left, resetsAtMs }) => ({
        name,
        limit,
        spent,
        left,
        resets_at: timeOf(resetsAtMs),
      })),
    }),
    lines: (shown, format) => [
      callsLine(shown, format),
      rateLine(shown),
      ...pauseLines(shown.allowance.scheduled, format.time),
    ],
    metrics: [
      {
        name: 'allowance_remaining',
        help: 'Remaining calls; +Inf without a limit.',
        samples: ({ allowance }) => [[{}, allowance.scheduled.left]],
      },
    ],
  },
  ofMirror(0, {
    key: 'quarantined',
    json: ({ mirror }) => mirror.quarantined,
    metrics: [
      {
        name: 'quarantined',
        help: 'Responses in quarantine.',
        samples: ({ mirror: { quarantined } }) => [[{}, quarantined]],
      },
    ],
  }),
  ofMirror(0, {
    key: 'waiting',
    json: ({ mirror }) => mirror.waiting,
    lines: ({ mirror: { waiting } }) =>
      waiting === 0
        ? []
        : [{ label: 'waiting', value: `${counted(waiting, 'target')} failed and will be retried` }],
  }),
  ofMirror(null, {
    key: 'week',
    json: ({ trends }) => trends.week,
    lines: ({ trends: { week } }) => [
      {
        label: 'changes',
        value: `${count(week.changed)} in 7 days`,
        notes: [`${counted(week.new, 'new company', 'new companies')}, ${count(week.gone)} gone`],
        tile: 'Changes',
      },
    ],
  }),
  ofMirror(undefined, {
    key: 'schedules',
    json: () => undefined,
    metrics: [
      ofSchedules('last_run_timestamp', 'Start of the last run.', ({ lastRun }) =>
        msOf(lastRun?.startedAt ?? null),
      ),
      ofSchedules('last_success_timestamp', 'End of the last successful run.', (one) =>
        msOf(one.lastSuccessAt),
      ),
      ofSchedules('next_run_timestamp', 'Next scheduled run.', ({ nextMs }) =>
        nextMs === Infinity ? null : nextMs,
      ),
      ofSchedules('period', 'Time between two scheduled runs.', ({ periodMs }) => periodMs),
    ],
  }),
];

/** Declares a gauge with a value in milliseconds for each schedule. */
function ofSchedules(
  name: string,
  help: string,
  readMs: (schedule: ScheduleFacts) => number | null,
): FactMetric {
  return {
    name: `schedule_${name}_seconds`,
    help,
    labels: ['schedule'],
    samples: ({ mirror }) =>
      mirror.schedules.map((one) => [{ schedule: one.name }, seconds(readMs(one))] as const),
  };
}

/** An entry that shows `empty` as its JSON value, and no line, if there is no mirror yet. */
function ofMirror(empty: unknown, fact: Fact<ShownMirror>): Fact {
  const mirrorOf = ({ mirror, trends, ...others }: Shown): ShownMirror | null =>
    mirror === null || trends === null ? null : { ...others, mirror, trends };
  return {
    ...fact,
    json(shown) {
      const own = mirrorOf(shown);
      return own === null ? empty : fact.json(own);
    },
    lines(shown, format) {
      const own = mirrorOf(shown);
      return own === null ? [] : (fact.lines?.(own, format) ?? []);
    },
  };
}

function companiesLine({ mirror: { coverage, coverageEstimate }, trends, nowMs }: ShownMirror): Line {
  const { known, gone, registryTotal, registryTotalAt } = coverage;
  const { low, high, by } = coverageEstimate;
  const present = known - gone;
  const unnamed = trends.unnamed ?? 0;
  const isExact = by === 'statistics' && registryTotal !== null;
  const notes = [
    ...(by === 'searches' ? [`${percent(low)} of the listing of all companies`] : []),
    ...(registryTotal === null || registryTotalAt === null
      ? by === 'searches' || known === 0
        ? []
        : [withoutCount(known, coverageEstimate)]
      : isExact
        ? [`registry count, received ${ago(registryTotalAt, nowMs)}`]
        : [`the registry counts only ${count(registryTotal)}, received ${ago(registryTotalAt, nowMs)}`]),
    ...(gone > 0 ? [`${count(gone)} gone`] : []),
    ...(unnamed > USUAL_UNNAMED * known ? [`${count(unnamed)} have no name`] : []),
  ];
  return {
    label: 'companies',
    value: isExact ? `${count(present)} of ${count(registryTotal)} (${percent(low)})` : count(present),
    notes,
    tile: 'Companies',
    ...(by === 'nothing' ? {} : { share: { low, high } }),
  };
}

/** Describes the completeness of a mirror if the registry reports no count. */
function withoutCount(known: number, { largestTotal }: CoverageEstimate): string {
  return (largestTotal ?? 0) > known
    ? `a search has ${count(largestTotal ?? 0)} results, so companies are probably missing`
    : 'the registry reports no count, so completeness is unknown';
}

/** Describes what takes the space in a warehouse. */
export function spaceText({ responses, tables, companies, search_index, other }: SpaceUse): string {
  const parts = [
    `responses ${byteSize(responses)}`,
    `tables for analysts ${byteSize(tables)}`,
    `companies' state ${byteSize(companies)}`,
    `search indexes ${byteSize(search_index)}`,
    `calls and other ${byteSize(other)}`,
  ];
  return parts.join(', ');
}

/** Compares the records with the known companies, because a record can be fetched only for a known company. */
function recordsLine({ coverage: { known, gone, fetched } }: MirrorFacts): Line {
  const present = known - gone;
  const records = { label: 'records', tile: 'Records' };
  if (present === 0) return { ...records, value: count(fetched) };
  const share = Math.min(1, fetched / present);
  return {
    ...records,
    value: `${count(fetched)} (${percent(share)})`,
    notes: ['of the known companies'],
    share: { low: share, high: share },
  };
}

/** Shows how many companies are in each age class. A full bar means all known companies. */
function ageLines(label: string, numbers: readonly number[], present: number): Line[] {
  const total = numbers.reduce((sum, one) => sum + one, 0);
  if (total === 0) return [];
  const names = [
    ...AGE_DAYS.map((days, at) =>
      at === 0 ? `under ${counted(days, 'day')}` : `${AGE_DAYS[at - 1]}–${days} days`,
    ),
    `over ${AGE_DAYS.at(-1)} days`,
  ];
  const figures = numbers.flatMap((one, at) => (one > 0 ? [`${names[at]} ago ${count(one)}`] : []));
  const of = Math.max(total, present);
  return [{ label, value: figures.join(' · '), parts: numbers.map((one) => one / of) }];
}

function callsLine({ allowance, trends, nowMs, config, health }: Shown, { time, zone }: Format): Line {
  if (health.problems.some(({ name }) => name === 'ledger_lost'))
    return { label: 'calls', value: 'Unknown until the ledger is restored or rebuilt', tile: 'Calls' };
  const { left, windows, refusedKey } = allowance.scheduled;
  const { paceUntilMs } = allowanceOf(config);
  // Both are infinite without a limit.
  const reserved = left === allowance.backfill.left ? 0 : left - Math.max(0, allowance.backfill.left);
  const notes = windows.flatMap((window) => {
    const forecast = forecastQuota(window, trends?.rate ?? NO_CALLS, { windows, nowMs });
    const text = refusedKey !== null ? null : quotaForecastText(forecast, nowMs, { zone, paceUntilMs });
    return [windowUse(window, time), ...(text === null ? [] : [text])];
  });
  return {
    label: 'calls',
    value: left === Number.POSITIVE_INFINITY ? 'unlimited' : `${count(Math.max(0, left))} left`,
    notes: [
      ...upstreamNotes(allowance.scheduled, time),
      ...(allowance.scheduled.exhausted === null ? [] : [RAISED_REMEDY.replaceAll('`', '')]),
      ...(reserved > 0 ? [`${count(reserved)} of them reserved for scheduled runs`] : []),
      ...notes,
    ],
    tile: 'Calls',
  };
}

/** Returns what the upstream reported about the quota, if that differs from the ledger's count. */
export function upstreamNotes({ exhausted, reported }: LedgerState, time: FormatTime): string[] {
  const notes: string[] = [];
  if (exhausted !== null)
    notes.push(
      `the upstream reported on ${time(exhausted.atMs)} that the quota is used up; the ledger counted ${count(exhausted.left)} left`,
    );
  if (reported !== null)
    notes.push(`the upstream reports ${counted(reported.left, 'call')} left until ${time(reported.untilMs)}`);
  return notes;
}

/** Returns how many calls of a window are used: `40 of 100 calls used today; resets 22 Nov 2026, 00:00 UTC`. */
export function windowUse({ name, limit, spent, resetsAtMs }: WindowState, time: FormatTime): string {
  const { current, rolling } = windowRow(name).words;
  const used = `${count(spent)} of ${counted(limit, 'call')} used`;
  return resetsAtMs === null ? `${used} ${rolling}` : `${used} ${current}; resets ${time(resetsAtMs)}`;
}

function rateLine({ config, trends }: Shown): Line {
  const perMinute = config.allowance.per_minute;
  const limit = perMinute === null ? 'no limit' : `at most ${counted(perMinute, 'call')} a minute`;
  const used = trends === null ? '' : `; ${counted(trends.callsLastHour, 'call')} in the last hour`;
  return { label: 'rate', value: `${limit}${used}` };
}

/** Returns a line if no call can be made now. */
function pauseLines({ pausedUntilMs, left, resumesAtMs, refusedKey }: LedgerState, time: FormatTime): Line[] {
  const paused = (value: string) => [{ label: 'paused', value }];
  if (left <= 0)
    return paused(resumesAtMs === null ? 'this account has no calls left' : `until ${time(resumesAtMs)}`);
  // The first refusal of a key also pauses the account, but the upstream did not ask for it.
  return pausedUntilMs === null || refusedKey !== null
    ? []
    : paused(`by the upstream until ${time(pausedUntilMs)}`);
}

/** Formats an age: `3 days 4 h ago`. */
export function ago(iso: string, nowMs: number): string {
  const passedMs = nowMs - Date.parse(iso);
  return passedMs < 1000 ? 'just now' : `${duration(passedMs)} ago`;
}

function finite(calls: number): number | null {
  return calls === Number.POSITIVE_INFINITY ? null : calls;
}

/** Returns a time as JSON. A permanent pause is stored as a time later than any date. */
function timeOf(ms: number | null): string | null {
  return ms === null || ms > LAST_DATE_MS ? null : isoTime(ms);
}

function msOf(iso: string | null): number | null {
  return iso === null ? null : Date.parse(iso);
}

export function seconds(valueMs: number | null): number | null {
  return valueMs === null ? null : valueMs / 1000;
}

const NO_CALLS: CallRate = { calls: 0, overMs: 0 };
const SHOWN_WAL_BYTES = 1_000_000;
const LAST_DATE_MS = 8.64e15;
