import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type House, openHouse } from '../../src/assemble.ts';
import { type BackfillOrder, keepBackfill, priceOrder, runBackfill } from '../../src/backfill.ts';
import { configFrom } from '../../src/config.ts';
import type { CallRange } from '../../src/plan/price_range.ts';
import { priceNextSync } from '../../src/price_sync.ts';
import { ALL_KINDS, run } from '../../src/run.ts';
import type { Company } from '../../src/server/company_store.ts';
import { type Sandbox, startSandbox } from '../../src/server/sandbox.ts';
import { randomShape } from '../../src/server/shape/random_shape.ts';
import type { Wish } from '../../src/warehouse/backfill.ts';
import { sandboxConfiguration } from '../e2e/sandbox_configuration.ts';

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
  backfill(wishes: readonly Wish[]): Promise<Priced>;
  close(): Promise<void>;
}

export async function openPriceCase(seed: number, companies: readonly Company[]): Promise<PriceCase> {
  const sandbox = await startSandbox({ companies, shape: randomShape(seed) });
  const folder = mkdtempSync(join(tmpdir(), 'registry-mirror-'));
  return {
    sandbox,
    sync: () => inHouse(sandbox, join(folder, 'sync'), (house) => syncPriced(house, companies.length)),
    backfill: (wishes) =>
      inHouse(sandbox, join(folder, wishes[0]?.kind ?? ''), (house) => backfillPriced(house, wishes)),
    close: async () => {
      await sandbox.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function inHouse<T>(sandbox: Sandbox, folder: string, work: (house: House) => Promise<T>): Promise<T> {
  const house = openHouse(configFrom(sandboxConfiguration(sandbox, folder)));
  try {
    return await work(house);
  } finally {
    house.close();
  }
}

async function syncPriced(house: House, companies: number) {
  const { config } = house;
  for (;;) {
    const { coverage, ending } = await syncFor(house, SLICE);
    if (coverage.known >= companies / 10 || ending.ended === 'done') break;
  }
  const { price } = priceNextSync(config, {
    nowMs: house.clock.now(),
    focus: config.focus,
    explain: 0,
    // Whatever else the machine does, the same registry has the same price.
    simulateMs: Number.POSITIVE_INFINITY,
  });
  const { tally } = await syncFor(house, MOST_CALLS);
  return {
    price: price.total,
    truth: tally.calls,
    by: price.size.by,
    searches: { price: price.search, truth: tally.callsByKind.search },
  };
}

function syncFor(house: House, maxCalls: number) {
  return run(house, {
    ...{ command: 'sync', purpose: 'scheduled', kinds: ALL_KINDS, focus: house.config.focus },
    ...{ maxCalls, maxMinutes: Infinity, signal: new AbortController().signal },
  });
}

async function backfillPriced(house: House, wishes: readonly Wish[]): Promise<Priced> {
  const order: BackfillOrder = {
    ...{ title: 'a list', wishes, identity: 'a list', withRecords: true, freshForMs: 0 },
  };
  await syncFor(house, 1);
  const price = priceOrder(house, order);
  const { backfill } = keepBackfill(house, order);
  const { run: report } = await runBackfill(house, {
    ...{ backfillId: backfill.backfillId, maxCalls: Infinity, maxMinutes: Infinity },
    signal: new AbortController().signal,
  });
  return { price: price.total, truth: report.tally.calls };
}

const SLICE = 4;
const MOST_CALLS = 60_000;
