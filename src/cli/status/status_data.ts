import type { LedgerState } from '../../allowance/ledger.ts';
import { isoTime } from '../../clock.ts';
import { AGES, type MirrorFacts, type StatusSnapshot } from '../../report/status_snapshot.ts';
import { orderData } from '../backfill/backfill_text.ts';

/** The documented `data` of `status --json`. */
export function statusData({ config, mirror, allowance, worker, nowMs }: StatusSnapshot) {
  return {
    source: config.source.name,
    account: config.account.id,
    tier: config.account.tier,
    at: isoTime(nowMs),
    ...(mirror === null ? NOTHING : mirrorData(mirror)),
    allowance: allowanceData(allowance.scheduled, allowance.backfill, config.allowance.per_minute),
    worker,
  };
}

const NOTHING = {
  coverage: null,
  freshness: null,
  waiting: 0,
  quarantined: 0,
  backfills: [],
  runs: [],
  warehouse: null,
};

function mirrorData({
  coverage,
  estimate,
  ages,
  runs,
  quarantined,
  waiting,
  backfills,
  health,
  callsLastHour,
}: MirrorFacts) {
  const { known, fetched, gone, registryTotal, registryTotalAt, knownShare, fetchedShare } = coverage;
  return {
    coverage: {
      known,
      records: fetched,
      gone,
      registry_total: registryTotal,
      registry_total_at: registryTotalAt,
      known_share: knownShare,
      record_share: fetchedShare,
      estimate: { low: estimate.low, high: estimate.high, by: estimate.by, recaptured: estimate.recaptured },
    },
    freshness: ages.map(({ records, summaries }, at) => ({
      within_days: AGES[at] ?? null,
      records,
      summaries,
    })),
    calls_last_hour: callsLastHour,
    waiting,
    quarantined,
    backfills: backfills.map(({ backfill, counts }) => orderData(backfill, counts)),
    runs: runs.map((run) => ({
      run_id: run.runId,
      command: run.command,
      started_at: run.startedAt,
      ended_at: run.endedAt,
      ended: run.ended,
      error: run.error,
      calls: run.calls,
      new: run.new,
      changed: run.changed,
      gone: run.gone,
      quarantined: run.quarantined,
    })),
    warehouse: { bytes: health.bytes, wal_bytes: health.walBytes, schema_version: health.schemaVersion },
  };
}

function allowanceData(scheduled: LedgerState, backfill: LedgerState, perMinute: number | null) {
  const { left, resumesAtMs, pausedUntilMs, refusedKey, exhausted, windows } = scheduled;
  return {
    left: finite(left),
    left_for_backfills: finite(backfill.left),
    per_minute: perMinute,
    resumes_at: timeOf(resumesAtMs),
    paused_until: timeOf(pausedUntilMs),
    key_refused_at: timeOf(refusedKey?.sinceMs ?? null),
    exhausted_by_upstream:
      exhausted === null ? null : { at: isoTime(exhausted.atMs), until: timeOf(exhausted.untilMs) },
    windows: windows.map(({ name, limit, spent, left: ofWindow, resetsAtMs }) => ({
      name,
      limit,
      spent,
      left: ofWindow,
      resets_at: timeOf(resetsAtMs),
    })),
  };
}

function finite(calls: number): number | null {
  return calls === Infinity ? null : calls;
}

// "For good" is a moment beyond all dates.
function timeOf(ms: number | null): string | null {
  return ms === null || ms > LAST_DATE_MS ? null : isoTime(ms);
}

const LAST_DATE_MS = 8.64e15;
