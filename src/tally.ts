import type { CallKind } from './call.ts';
import { type Outcome, wasSent } from './outcome.ts';
import type { News } from './plan/knowledge.ts';

/** What a run has done so far: calls spent, and what they brought. */
export interface Tally {
  /** Units of allowance spent. */
  readonly calls: number;
  readonly callsByKind: Readonly<Record<CallKind, number>>;
  /** Companies listed for the first time. */
  readonly listed: number;
  /** Records fetched for the first time. */
  readonly fetched: number;
  /** Known records whose content had changed. */
  readonly changed: number;
  /** Known records that had not. */
  readonly unchanged: number;
  readonly gone: number;
  readonly quarantined: number;
  /** Calls that brought nothing because the upstream failed. */
  readonly failed: number;
}

export const EMPTY_TALLY: Tally = {
  calls: 0,
  callsByKind: { stats: 0, search: 0, entity: 0 },
  listed: 0,
  fetched: 0,
  changed: 0,
  unchanged: 0,
  gone: 0,
  quarantined: 0,
  failed: 0,
};

export function withOutcome(tally: Tally, outcome: Outcome): Tally {
  const { call, verdict } = outcome;
  const isFailure = verdict.is === 'broken' || verdict.is === 'unsent';
  const failed = tally.failed + (isFailure ? 1 : 0);
  if (!wasSent(outcome)) return { ...tally, failed };
  const callsByKind = { ...tally.callsByKind, [call.kind]: tally.callsByKind[call.kind] + 1 };
  return { ...tally, calls: tally.calls + 1, callsByKind, failed };
}

export function withNews(tally: Tally, news: News): Tally {
  const { record, rows } = news;
  return {
    ...tally,
    listed: tally.listed + rows.filter((row) => row.isNew).length,
    fetched: tally.fetched + (record?.isNew ? 1 : 0),
    changed: tally.changed + (record !== null && !record.isNew && record.changed ? 1 : 0),
    unchanged: tally.unchanged + (record !== null && !record.isNew && !record.changed ? 1 : 0),
    gone: tally.gone + (news.gone ? 1 : 0),
    quarantined: tally.quarantined + news.quarantined,
  };
}

/** What two runs did together. */
export function sumOf(a: Tally, b: Tally): Tally {
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
    unchanged: a.unchanged + b.unchanged,
    gone: a.gone + b.gone,
    quarantined: a.quarantined + b.quarantined,
    failed: a.failed + b.failed,
  };
}
