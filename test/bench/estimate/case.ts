import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configFrom } from '../../../src/config/config.ts';
import type { CallRange } from '../../../src/estimate/call_range.ts';
import { openWorkspace, type Workspace } from '../../../src/operations/assemble.ts';
import {
  type BackfillOrder,
  estimateOrder,
  keepBackfill,
  runBackfill,
} from '../../../src/operations/backfill.ts';
import { estimateNextSync } from '../../../src/operations/estimate.ts';
import { ALL_KINDS, run } from '../../../src/operations/run.ts';
import type { Company } from '../../../src/sandbox/company_store.ts';
import { randomProfile } from '../../../src/sandbox/random_profile.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.ts';
import type { BackfillItem } from '../../../src/warehouse/backfill.ts';
import { sandboxConfiguration } from '../../support/sandbox_configuration.ts';

/** A price that was given, and what it came to. */
export interface Priced {
  readonly price: CallRange;
  readonly truth: number;
}

/** A random sandbox registry, to be mirrored and backfilled into folders of its own. */
export interface PriceCase {
  readonly sandbox: Sandbox;
  /** Mirrors until a tenth is listed, asks the price, and mirrors to the end. */
  sync(): Promise<Priced & { readonly by: string; readonly searches: Priced }>;
  /** Asks the price of wishes in an empty mirror, and fulfils them. */
  backfill(items: readonly BackfillItem[]): Promise<Priced>;
  close(): Promise<void>;
}

export async function openPriceCase(seed: number, companies: readonly Company[]): Promise<PriceCase> {
  const sandbox = await startSandbox({ companies, profile: randomProfile(seed) });
  const folder = mkdtempSync(join(tmpdir(), 'registry-mirror-'));
  return {
    sandbox,
    sync: () =>
      inHouse(sandbox, join(folder, 'sync'), (workspace) => syncPriced(workspace, companies.length)),
    backfill: (items) =>
      inHouse(sandbox, join(folder, items[0]?.kind ?? ''), (workspace) => backfillPriced(workspace, items)),
    close: async () => {
      await sandbox.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function inHouse<T>(
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

async function syncPriced(workspace: Workspace, companies: number) {
  const { config } = workspace;
  for (;;) {
    const { coverage, ending } = await syncFor(workspace, SLICE);
    if (coverage.known >= companies / 10 || ending.ended === 'done') break;
  }
  const { estimate: price } = estimateNextSync(config, {
    nowMs: workspace.clock.now(),
    focus: config.focus,
    explain: 0,
    // Whatever else the machine does, the same registry has the same price.
    simulateMs: Number.POSITIVE_INFINITY,
  });
  const { totals } = await syncFor(workspace, MOST_CALLS);
  return {
    price: price.total,
    truth: totals.calls,
    by: price.size.by,
    searches: { price: price.search, truth: totals.callsByKind.search },
  };
}

function syncFor(workspace: Workspace, maxCalls: number) {
  return run(workspace, {
    ...{ command: 'sync', purpose: 'scheduled', kinds: ALL_KINDS, focus: workspace.config.focus },
    ...{ maxCalls, maxMinutes: Infinity, signal: new AbortController().signal },
  });
}

async function backfillPriced(workspace: Workspace, items: readonly BackfillItem[]): Promise<Priced> {
  const order: BackfillOrder = {
    ...{ title: 'a list', items, identity: 'a list', withRecords: true, freshForMs: 0 },
  };
  await syncFor(workspace, 1);
  const price = estimateOrder(workspace, order);
  const { backfill } = keepBackfill(workspace, order);
  const { run: report } = await runBackfill(workspace, {
    ...{ backfillId: backfill.backfillId, maxCalls: Infinity, maxMinutes: Infinity },
    signal: new AbortController().signal,
  });
  return { price: price.total, truth: report.totals.calls };
}

const SLICE = 4;
const MOST_CALLS = 60_000;
