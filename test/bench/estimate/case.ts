import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configFrom } from '../../../src/config/load_config.ts';
import type { CallRange } from '../../../src/estimate/call_range.ts';
import { openWorkspace, type Workspace } from '../../../src/operations/assemble.ts';
import { type BackfillOrder, keepBackfill, runBackfill } from '../../../src/operations/backfill.ts';
import { estimateNextSync } from '../../../src/operations/estimate.ts';
import { estimateOrder } from '../../../src/operations/estimate_backfill.ts';
import { ALL_KINDS, run } from '../../../src/operations/run.ts';
import type { Company } from '../../../src/sandbox/company_store.ts';
import { randomProfile } from '../../../src/sandbox/random_profile.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.ts';
import type { BackfillItem } from '../../../src/warehouse/backfill.ts';
import { sandboxConfiguration } from '../../support/sandbox_configuration.ts';

/** A cost estimate and the actual number of calls. */
export interface EstimateResult {
  readonly estimate: CallRange;
  readonly actual: number;
}

/** A random sandbox registry. Each method uses its own folder. */
export interface EstimateCase {
  readonly sandbox: Sandbox;
  /** Mirrors a tenth of the registry, estimates the calls for the rest, and mirrors the rest. */
  sync(): Promise<EstimateResult & { readonly by: string; readonly searches: EstimateResult }>;
  /** Estimates a backfill's calls in an almost empty mirror, and runs the backfill. */
  backfill(items: readonly BackfillItem[]): Promise<EstimateResult>;
  close(): Promise<void>;
}

export async function openEstimateCase(seed: number, companies: readonly Company[]): Promise<EstimateCase> {
  const sandbox = await startSandbox({ companies, profile: randomProfile(seed) });
  const folder = mkdtempSync(join(tmpdir(), 'registry-mirror-'));
  return {
    sandbox,
    sync: () =>
      inWorkspace(sandbox, join(folder, 'sync'), (workspace) => compareSync(workspace, companies.length)),
    backfill: (items) =>
      inWorkspace(sandbox, join(folder, items[0]?.kind ?? ''), (workspace) =>
        compareBackfill(workspace, items),
      ),
    close: async () => {
      await sandbox.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function inWorkspace<T>(
  sandbox: Sandbox,
  folder: string,
  work: (workspace: Workspace) => Promise<T>,
): Promise<T> {
  const workspace = openWorkspace(configFrom(sandboxConfiguration(sandbox, folder)));
  try {
    return await work(workspace);
  } finally {
    workspace.close();
  }
}

async function compareSync(workspace: Workspace, companies: number) {
  const { config } = workspace;
  for (;;) {
    const { coverage, ending } = await syncFor(workspace, BATCH_CALLS);
    if (coverage.known >= companies / 10 || ending.ended === 'done') break;
  }
  const { estimate } = estimateNextSync(config, {
    nowMs: workspace.clock.now(),
    focus: config.focus,
    explain: 0,
    // There is no time limit, so that the estimate does not depend on how busy the machine is.
    simulateMs: Number.POSITIVE_INFINITY,
  });
  const { totals } = await syncFor(workspace, MAX_CALLS);
  return {
    estimate: estimate.total,
    actual: totals.calls,
    by: estimate.size.by,
    searches: { estimate: estimate.search, actual: totals.callsByKind.search },
  };
}

function syncFor(workspace: Workspace, maxCalls: number) {
  return run(workspace, {
    ...{ command: 'sync', purpose: 'scheduled', kinds: ALL_KINDS, focus: workspace.config.focus },
    ...{ maxCalls, maxMinutes: Infinity, signal: new AbortController().signal },
  });
}

async function compareBackfill(
  workspace: Workspace,
  items: readonly BackfillItem[],
): Promise<EstimateResult> {
  const order: BackfillOrder = {
    ...{ title: 'a list', items, identity: 'a list', withRecords: true, freshForMs: 0 },
  };
  await syncFor(workspace, 1);
  const estimate = estimateOrder(workspace, order);
  const { backfill } = keepBackfill(workspace, order);
  const { run: report } = await runBackfill(workspace, {
    ...{ backfillId: backfill.backfillId, maxCalls: Infinity, maxMinutes: Infinity },
    signal: new AbortController().signal,
  });
  return { estimate: estimate.total, actual: report.totals.calls };
}

const BATCH_CALLS = 4;
const MAX_CALLS = 60_000;
