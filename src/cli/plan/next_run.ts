import type { CallRange } from '../../estimate/call_range.ts';
import type { SyncEstimate } from '../../estimate/sync_estimate.ts';
import type { Focus } from '../../planner.ts';
import { count, counted } from '../../report/figures.ts';
import { range } from './cost_text.ts';

/** The calls that the next run will make within the remaining quota. */
export interface NextRun {
  readonly calls: CallRange;
  readonly statistics: CallRange;
  readonly searches: CallRange;
  readonly records: CallRange;
  /** The number of companies that these searches can list. */
  readonly companies: CallRange;
}

/**
 * Estimates the next run. `left` is the number of calls that can be made now (Infinity if there is no limit). If the
 * focus is coverage, searches come before record calls.
 */
export function nextRunOf(
  estimate: SyncEstimate,
  { left, focus, pageSize }: { readonly left: number; readonly focus: Focus; readonly pageSize: number },
): NextRun {
  const low = shared(estimate, 'low', left, focus);
  const high = shared(estimate, 'high', left, focus);
  const between = (one: number, other: number): CallRange => ({
    low: Math.min(one, other),
    high: Math.max(one, other) === Infinity ? null : Math.max(one, other),
  });
  const listed = (searches: number) => Math.min(estimate.companies.high ?? Infinity, searches * pageSize);
  return {
    calls: between(Math.min(left, estimate.total.low), Math.min(left, estimate.total.high ?? Infinity)),
    statistics: between(low.stats, high.stats),
    searches: between(low.search, high.search),
    records: between(low.entity, high.entity),
    companies: between(listed(low.search), listed(high.search)),
  };
}

interface Shared {
  readonly stats: number;
  readonly search: number;
  readonly entity: number;
}

function shared(estimate: SyncEstimate, bound: 'low' | 'high', left: number, focus: Focus): Shared {
  const all = (calls: CallRange) => calls[bound] ?? Infinity;
  const stats = Math.min(left, all(estimate.stats));
  const rest = left - stats;
  if (focus === 'coverage') {
    const search = Math.min(rest, all(estimate.search));
    return { stats, search, entity: Math.min(Math.max(0, rest - search), all(estimate.entity)) };
  }
  const entity = Math.min(rest, all(estimate.entity));
  return { stats, search: Math.min(Math.max(0, rest - entity), all(estimate.search)), entity };
}

/** Describes the next run: `98 calls: 1 statistics, 97 searches that list up to 4,850 companies, no record`. */
export function describeNextRun(run: NextRun, resumesAt: string | null): string {
  if (run.calls.high === 0)
    return resumesAt === null
      ? 'no calls: the quota is used up'
      : `no calls: the quota is used up until ${resumesAt}`;
  const companies =
    run.companies.high === null
      ? ''
      : ` that list up to ${counted(run.companies.high, 'company', 'companies')}`;
  const parts = [
    ...(run.statistics.high === 0 ? [] : [`${count(run.statistics.low)} statistics`]),
    ...(run.searches.high === 0 ? [] : [`${range(run.searches, 'search', 'searches')}${companies}`]),
    ...(run.records.high === 0 ? [] : [range(run.records, 'record')]),
  ];
  return `${range(run.calls, 'call')}: ${parts.join(', ')}`;
}
