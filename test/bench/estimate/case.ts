import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configFrom } from '../../../src/config/load_config.ts';
import type { CallRange } from '../../../src/estimate/call_range.ts';
import { openWorkspace, type Workspace } from '../../../src/operations/assemble.ts';
import { type BackfillOrder, keepBackfill, runBackfill } from '../../../src/operations/backfill.ts';
import { estimateNextSync, estimateOrder, estimateRest } from '../../../src/operations/estimate.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.ts';
import type { BackfillItem } from '../../../src/warehouse/backfill.ts';
import type { Company } from '../../../src/warehouse/sandbox_companies.ts';
import { randomProfile } from '../../support/random_profile.ts';
import { sandboxConfiguration } from '../../support/sandbox_configuration.ts';
import { syncAll } from '../../support/sync.ts';

/** A cost estimate and the actual number of calls. */
export interface EstimateResult {
  readonly estimate: CallRange;
  readonly actual: number;
}

export interface BackfillResult extends EstimateResult {
  readonly begun: EstimateResult | null;
}

export interface SyncResult {
  readonly by: string;
  readonly whole: EstimateResult;
  /** The next run's calls and their parts. */
  readonly next: Readonly<Record<'calls' | 'searches' | 'records' | 'companies', EstimateResult>>;
}

/** A random sandbox registry. Each method uses its own folder. */
export interface EstimateCase {
  readonly sandbox: Sandbox;
  /**
   * Mirrors a tenth of the registry, estimates the calls for the next run and for the rest, and makes that run and the
   * rest.
   */
  sync(nextRunCalls: number): Promise<SyncResult>;
  /**
   * Estimates a backfill's calls, and runs the backfill. The mirror is almost empty. For a prefix, a tenth is listed.
   * `begun` estimates the rest after the backfill's first call; null if no call is left.
   */
  backfill(items: readonly BackfillItem[]): Promise<BackfillResult>;
  close(): Promise<void>;
}

export async function openEstimateCase(seed: number, companies: readonly Company[]): Promise<EstimateCase> {
  const sandbox = await startSandbox({ companies, profile: randomProfile(seed) });
  const folder = mkdtempSync(join(tmpdir(), 'registry-mirror-'));
  return {
    sandbox,
    sync: (nextRunCalls) =>
      inWorkspace(sandbox, join(folder, 'sync'), (workspace) =>
        compareSync(workspace, companies.length, nextRunCalls),
      ),
    backfill: (items) =>
      inWorkspace(sandbox, join(folder, items[0]?.kind ?? ''), (workspace) =>
        compareBackfill(workspace, items, companies.length),
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

async function compareSync(
  workspace: Workspace,
  companies: number,
  nextRunCalls: number,
): Promise<SyncResult> {
  const { config } = workspace;
  const known = await listTenth(workspace, companies);
  const { estimate } = estimateNextSync(config, {
    nowMs: workspace.clock.now(),
    focus: config.focus,
    explain: 0,
    maxCalls: nextRunCalls,
  });
  const first = await syncFor(workspace, nextRunCalls);
  const rest = await syncFor(workspace, MAX_CALLS);
  const { calls, searches, records, companies: found } = estimate.nextRun;
  const { totals, coverage } = first;
  return {
    by: estimate.size.by,
    whole: { estimate: estimate.total, actual: totals.calls + rest.totals.calls },
    next: {
      calls: { estimate: calls, actual: totals.calls },
      searches: { estimate: searches, actual: totals.callsByKind.search },
      records: { estimate: records, actual: totals.callsByKind.entity },
      companies: { estimate: found, actual: coverage.known - known },
    },
  };
}

/** Lists a tenth of the registry, and returns the number of known companies. */
async function listTenth(workspace: Workspace, companies: number): Promise<number> {
  for (;;) {
    const { coverage, ending } = await syncFor(workspace, BATCH_CALLS);
    if (coverage.known >= companies / 10 || ending.ended === 'done') return coverage.known;
  }
}

function syncFor(workspace: Workspace, maxCalls: number) {
  return syncAll(workspace, { focus: workspace.config.focus, maxCalls });
}

async function compareBackfill(
  workspace: Workspace,
  items: readonly BackfillItem[],
  companies: number,
): Promise<BackfillResult> {
  const order: BackfillOrder = {
    title: 'a list',
    items,
    identity: 'a list',
    withRecords: true,
    freshForMs: 0,
  };
  if (items[0]?.kind === 'prefix') await listTenth(workspace, companies);
  else await syncFor(workspace, 1);
  const { total } = estimateOrder(workspace, order);
  const { backfill } = keepBackfill(workspace, order);
  const callsOf = async (maxCalls: number) => {
    const { run: report } = await runBackfill(workspace, {
      backfillId: backfill.backfillId,
      maxCalls,
      maxMinutes: Infinity,
      signal: new AbortController().signal,
    });
    return { calls: report.totals.calls, isDone: report.ending.ended === 'done' };
  };
  const { calls: first, isDone } = await callsOf(1);
  if (isDone) return { estimate: total, actual: first, begun: null };
  const rest = estimateRest(workspace, backfill);
  const { calls: actual } = await callsOf(Infinity);
  return { estimate: total, actual: first + actual, begun: { estimate: rest.total, actual } };
}

const BATCH_CALLS = 4;
const MAX_CALLS = 60_000;
