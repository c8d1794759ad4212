import { existsSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import type { Config } from '../config/config.ts';
import { type FactSources, type Facts, readFacts } from '../report/facts.ts';
import { openWarehouse, type Warehouse } from '../warehouse/warehouse.ts';
import { openLedgerOf } from './configured_ledger.ts';
import { ledgerReadingOf, lostCalls } from './ledger_loss.ts';

/**
 * Opens the ledger and the warehouse for reading, calls `use` with the facts and the warehouse, and closes the files,
 * even if the warehouse cannot be opened. The warehouse is null if there is no mirror yet.
 */
export async function withFacts<Result>(
  config: Config,
  options: Pick<FactSources, 'nowMs' | 'settings' | 'formatTime'>,
  use: (facts: Facts, db: Database | null) => Result | Promise<Result>,
): Promise<Result> {
  const { nowMs } = options;
  const ledger = openLedgerOf(config);
  let warehouse: Warehouse | null = null;
  try {
    if (existsSync(config.warehouse))
      warehouse = openWarehouse({ path: config.warehouse, readonly: true, nowMs });
    const lost = warehouse === null ? 0 : lostCalls(ledgerReadingOf({ config, warehouse, ledger }), nowMs);
    const db = warehouse?.db ?? null;
    return await use(readFacts({ ...options, db, ledger, lostCalls: lost }), db);
  } finally {
    warehouse?.close();
    ledger.close();
  }
}
