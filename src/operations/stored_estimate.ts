import { isoTime } from '../clock.ts';
import { NewerWarehouseError } from '../warehouse/migrate.ts';
import { readStoredEstimate, storeEstimate } from '../warehouse/stored_estimate.ts';
import type { Workspace } from './assemble.ts';
import { estimateNextSync } from './estimate.ts';
import type { RunReport } from './run_report.ts';

/**
 * Estimates the calls needed until nothing is due, and stores the estimate for `status` and the status page. Call this
 * function after a run. An existing estimate is kept if no call was sent, or if the estimate is less than an hour old
 * and calls are still due.
 */
export function updateStoredEstimate(workspace: Workspace, { ending, totals }: RunReport): void {
  const { config, warehouse, clock } = workspace;
  const nowMs = clock.now();
  const before = readStoredEstimate(warehouse.db);
  const isRecent = before !== null && nowMs - Date.parse(before.at) < MIN_AGE_MS;
  if (config.dialect === undefined || (before !== null && totals.calls === 0)) return;
  if (isRecent && ending.ended !== 'done') return;
  try {
    const { estimate } = estimateNextSync(config, {
      ...{ nowMs, focus: config.focus, explain: 0, simulateMs: SIMULATE_MS },
    });
    storeEstimate(warehouse.db, { at: isoTime(nowMs), calls: estimate.total });
  } catch (error) {
    // A newer version of the program migrated the file during this run, and will store an estimate after its own run.
    if (!(error instanceof NewerWarehouseError)) throw error;
  }
}

const MIN_AGE_MS = 60 * 60_000;
const SIMULATE_MS = 1_000;
