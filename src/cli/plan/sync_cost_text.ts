import { perDay } from '../../allowance/pacing.ts';
import { isLifetime } from '../../allowance/windows.ts';
import { type Call, targetOf } from '../../call.ts';
import type { NextRun, SyncEstimate } from '../../estimate/sync_estimate.ts';
import type { Watchlist } from '../../operations/backfill_items.ts';
import type { RegistrySize } from '../../plan/registry_size.ts';
import type { CheckedKind } from '../../plan/rejection_check.ts';
import type { Pace } from '../../planner.ts';
import { count, counted } from '../../report/figures.ts';
import type { Output } from '../output.ts';
import { labelled, tableText } from '../text_layout.ts';
import { type AccountCost, describeCost, range } from './cost.ts';

/** Describes the cost and yield of the next `sync` runs as text. */
export function describeSyncEstimate(
  facts: {
    readonly cost: AccountCost;
    readonly sync: SyncEstimate;
    readonly watchlist: Watchlist | null;
    readonly known: number;
    readonly pace: Pace | null;
    readonly resumesAt: string | null;
    readonly isKeyRefused: boolean;
    readonly rejected: ReadonlySet<CheckedKind>;
  },
  output: Output,
): string {
  const { cost: estimate, sync, watchlist, known, pace, resumesAt, isKeyRefused, rejected } = facts;
  const size = [
    ...(watchlist === null ? [] : [labelled('watchlist', describeWatchlist(watchlist))]),
    labelled('registry', describeSize(sync.size, known)),
  ];
  if (estimate.total.high === 0)
    return [output.style('bold', 'Nothing is due: a sync would send no calls.'), ...size].join('\n');
  return [
    output.style('bold', `Estimate: sync until ${estimate.isBounded ? '--max-calls' : 'nothing is due'}`),
    ...describeCost(estimate),
    ...(estimate.isBounded ? [] : [labelled('yield', describeYield(sync))]),
    ...size,
    ...(watchlist === null ? paceLines(pace, sync, estimate) : []),
    labelled(
      'next run',
      isKeyRefused ? KEY_REFUSED : `${describeNextRun(sync.nextRun, resumesAt)}${describeRejected(rejected)}`,
    ),
  ].join('\n');
}

/**
 * Describes the pace of a total or monthly limit. Without an end, describes what an end in a year would give, if the due
 * calls exceed the total.
 */
function paceLines(pace: Pace | null, { priceDays }: SyncEstimate, { windows }: AccountCost): string[] {
  if (pace !== null) {
    const rate = `${counted(Math.round(perDay(pace)), 'call')} a day for ${counted(Math.ceil(pace.daysLeft), 'day')}`;
    const price =
      priceDays === 0
        ? 'every due call is sent'
        : `sends calls that are worth at least ${priceDays.toFixed(1)} days`;
    return [labelled('pace', `${rate}; ${price}`)];
  }
  const total = windows.find(isLifetime);
  if (total === undefined || total.left <= 0) return [];
  const year = total.left < 365 ? 'less than 1 call' : counted(Math.floor(total.left / 365), 'call');
  return [
    labelled(
      'pace',
      `none: a run can spend the whole total. Over a year, it permits ${year} a day (allowance.pace_until)`,
    ),
  ];
}

/** Converts the pace for `--json`. */
export function paceData(pace: Pace | null, { priceDays }: SyncEstimate) {
  if (pace === null) return null;
  return {
    calls_per_day: Math.round(perDay(pace) * 10) / 10,
    days_left: Math.ceil(pace.daysLeft),
    price_days: priceDays,
  };
}

function describeYield({ companies, entity }: SyncEstimate): string {
  const found = companies.high === 0 ? [] : [`${range(companies, 'company', 'companies')} found`];
  const records = entity.high === 0 ? [] : [`${range(entity, 'record')} fetched`];
  const parts = [...found, ...records];
  return parts.length === 0 ? 'updated listings' : parts.join(', ');
}

function describeWatchlist({ of, lines }: Watchlist): string {
  const nouns = { names: ['name', 'names'], ids: ['id', 'ids'], queries: ['query', 'queries'] } as const;
  const [noun, plural] = nouns[of];
  return counted(lines.length, noun, plural);
}

/** Converts the scope for `--json`. */
export function scopeData(watchlist: Watchlist | null) {
  return watchlist === null ? { of: 'whole' } : { of: watchlist.of, count: watchlist.lines.length };
}

function describeSize({ low, high, by }: RegistrySize, known: number): string {
  const knownText = `${count(known)} known`;
  if (by === 'nothing' || high === null)
    return `${knownText}; size unknown until the statistics or a search reports it`;
  if (by === 'statistics')
    return `${counted(low, 'company', 'companies')} by the registry count, ${knownText}`;
  return `${range({ low, high }, 'company', 'companies')} by search totals, ${knownText}`;
}

/** Describes the next run: `98 calls: 1 statistics, 70 to 97 searches that find 3,100 to 4,850 companies, 0 to 27 records`. */
function describeNextRun(run: NextRun, resumesAt: string | null): string {
  if (run.calls.high === 0)
    return resumesAt === null
      ? 'no calls: the quota is used up'
      : `no calls: the quota is used up until ${resumesAt}`;
  const companies =
    run.companies.high === null || run.companies.high === 0
      ? ''
      : ` that find ${range(run.companies, 'company', 'companies')}`;
  const parts = [
    ...(run.statistics.high === 0 ? [] : [`${count(run.statistics.low)} statistics`]),
    ...(run.searches.high === 0 ? [] : [`${range(run.searches, 'search', 'searches')}${companies}`]),
    ...(run.records.high === 0 ? [] : [range(run.records, 'record')]),
  ];
  return `${range(run.calls, 'call')}: ${parts.join(', ')}`;
}

/** Describes the calls that the next run tests with one call, because the last run got only rejections. */
function describeRejected(rejected: ReadonlySet<CheckedKind>): string {
  if (rejected.size === 0) return '';
  const kinds = [...rejected].map((kind) => (kind === 'search' ? 'search' : 'record call')).join(' and ');
  return `, but at most one ${kinds} if the upstream still rejects it`;
}

const KEY_REFUSED = 'at most 1 call a day: the upstream refused the key';

/** Formats the next calls as a table, best first. */
export function describeCalls(calls: readonly Call[], output: Output): string {
  return (
    tableText(
      output,
      [
        { header: 'no.', align: 'right', cell: (call) => String(calls.indexOf(call) + 1) },
        { header: 'call', cell: kindOf },
        { header: 'target', shrinks: true, cell: describeTarget },
        { header: 'expected', align: 'right', cell: ({ expected }) => describeYieldOfCall(expected) },
        { header: 'reason', shrinks: true, cell: ({ reason }) => reason },
      ],
      calls,
    ) ?? 'No calls are due.'
  );
}

function kindOf(call: Call): string {
  if (call.kind === 'search') return call.query.by === 'name' ? 'search' : 'id search';
  return call.kind === 'stats' ? 'statistics' : 'record';
}

function describeTarget(call: Call): string {
  if (call.kind !== 'search') return targetOf(call);
  const { query, page } = call;
  const text = query.text === '' ? 'all companies' : query.text;
  return page.index === 0 ? text : `${text}, page ${page.index + 1}`;
}

function describeYieldOfCall(companies: number): string {
  if (companies === 0) return '';
  return companies < 1 ? '< 1' : count(Math.round(companies));
}

export function callData(call: Call) {
  return { kind: call.kind, target: targetOf(call), reason: call.reason, expected: call.expected };
}
