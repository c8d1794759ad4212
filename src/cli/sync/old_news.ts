import type { House } from '../../assemble.ts';
import type { RunReport } from '../../run.ts';
import { lastEndedAt } from '../../warehouse/run.ts';

/**
 * Was it said before, and less than a day ago, that the key is refused? Cron starts a run every hour, and whoever
 * reads its mail knows after the first one; each day that it lasts, one more reminds them.
 */
export function isOldNews({ ending, runId }: RunReport, { ledger, warehouse, clock }: House): boolean {
  if (ending.ended !== 'unauthorised' || runId === null) return false;
  const nowMs = clock.now();
  const refused = ledger.state(nowMs).refusedKey;
  const saidAt = lastEndedAt(warehouse.db, 'unauthorised', runId);
  if (refused === null || saidAt === null) return false;
  const daysAt = (epochMs: number) => Math.floor((epochMs - refused.sinceMs + EARLY_MS) / DAY_MS);
  return daysAt(Date.parse(saidAt)) === daysAt(nowMs);
}

// The run of the same hour, a day later, may get there a little sooner than the first one did.
const EARLY_MS = 600_000;
const DAY_MS = 86_400_000;
