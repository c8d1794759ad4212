import { isoTime } from '../clock.ts';
import type { Ending } from '../ending.ts';
import type { CoverageEstimate } from '../report/coverage_estimate.ts';
import type { RunTotals } from '../run_totals.ts';
import type { Coverage } from '../warehouse/coverage_counts.ts';
import type { LockHolder } from '../warehouse/lock.ts';

/** How a run ended, and its totals. */
export interface RunReport {
  readonly runId: number | null;
  readonly ending: Ending | { readonly ended: 'another_run'; readonly holder: LockHolder };
  readonly totals: RunTotals;
  /** The remaining quota. Infinity means no limit. */
  readonly callsLeft: number;
  readonly coverage: Coverage;
  /** The known share of the registry; null if the run did not have to find every company. */
  readonly coverageEstimate: CoverageEstimate | null;
  /** Whether the run stopped to let a scheduled run take the lock. The work can resume after the scheduled run. */
  readonly hasStoodAside: boolean;
}

/** Returns the `data` object of `sync --json`, as documented. */
export function reportData(report: RunReport) {
  const { ending, totals, callsLeft, coverage } = report;
  const resumesAtMs = 'resumesAtMs' in ending ? ending.resumesAtMs : null;
  return {
    ended: ending.ended,
    why: 'why' in ending ? (ending.why ?? null) : null,
    run_id: report.runId,
    calls_spent: totals.calls,
    calls_left: callsLeft === Infinity ? null : callsLeft,
    resumes_at: resumesAtMs === null ? null : isoTime(resumesAtMs),
    new: totals.listed,
    fetched: totals.fetched,
    changed: totals.changed,
    gone: totals.gone,
    quarantined: totals.quarantined,
    failed: totals.failed,
    coverage: coverage.knownShare,
    known: coverage.known,
    records: coverage.fetched,
    registry_total: coverage.registryTotal,
  };
}
