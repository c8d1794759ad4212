import type { CallKind } from './call.ts';
import type { LoadResult } from './knowledge.ts';
import { type Outcome, wasSent } from './outcome.ts';

/** A run's totals so far: its calls and what they found. */
export interface RunTotals {
  /** The number of calls, which is also the number of allowance units spent. */
  readonly calls: number;
  readonly callsByKind: Readonly<Record<CallKind, number>>;
  /** The number of companies listed for the first time. */
  readonly listed: number;
  /** The number of records fetched, including repeated fetches. */
  readonly fetched: number;
  /** The number of repeated fetches that returned a changed record. */
  readonly changed: number;
  readonly gone: number;
  readonly quarantined: number;
  readonly failed: number;
}

export const EMPTY_TOTALS: RunTotals = {
  calls: 0,
  callsByKind: { stats: 0, search: 0, entity: 0 },
  listed: 0,
  fetched: 0,
  changed: 0,
  gone: 0,
  quarantined: 0,
  failed: 0,
};

export function withOutcome(totals: RunTotals, outcome: Outcome): RunTotals {
  const { call, verdict } = outcome;
  if (!wasSent(outcome)) return totals;
  const failed = totals.failed + (verdict.is === 'broken' ? 1 : 0);
  const callsByKind = { ...totals.callsByKind, [call.kind]: totals.callsByKind[call.kind] + 1 };
  return { ...totals, calls: totals.calls + 1, callsByKind, failed };
}

export function withLoadResult(totals: RunTotals, result: LoadResult): RunTotals {
  const { record, rows } = result;
  return {
    ...totals,
    listed: totals.listed + rows.filter((row) => row.isNew).length,
    fetched: totals.fetched + (record === null ? 0 : 1),
    changed: totals.changed + (record !== null && !record.isNew && record.changed ? 1 : 0),
    gone: totals.gone + result.gone,
    quarantined: totals.quarantined + result.quarantined,
  };
}

export function sumOfTotals(a: RunTotals, b: RunTotals): RunTotals {
  const { stats, search, entity } = a.callsByKind;
  return {
    calls: a.calls + b.calls,
    callsByKind: {
      stats: stats + b.callsByKind.stats,
      search: search + b.callsByKind.search,
      entity: entity + b.callsByKind.entity,
    },
    listed: a.listed + b.listed,
    fetched: a.fetched + b.fetched,
    changed: a.changed + b.changed,
    gone: a.gone + b.gone,
    quarantined: a.quarantined + b.quarantined,
    failed: a.failed + b.failed,
  };
}
