import { existsSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import type { Config } from '../config/config.ts';
import { type FactSources, type Facts, readFacts } from '../report/facts.ts';
import { openWarehouse } from '../warehouse/warehouse.ts';
import { openLedgerOf } from './configured_ledger.ts';
import { lostCalls } from './ledger_loss.ts';

type FactOptions = Pick<FactSources, 'nowMs' | 'settings' | 'formatTime'>;

/**
 * Opens the warehouse for reading, calls `use` with the facts and the warehouse, and closes it. The warehouse is null if
 * there is no mirror yet.
 */
export async function withFacts<Result>(
  config: Config,
  options: FactOptions,
  use: (facts: Facts, db: Database | null) => Result | Promise<Result>,
): Promise<Result> {
  const { nowMs } = options;
  using warehouse = existsSync(config.warehouse)
    ? openWarehouse({ path: config.warehouse, readonly: true, nowMs })
    : null;
  const db = warehouse?.db ?? null;
  return await use(factsOf(config, db, options), db);
}

/** Reads the facts from the configured ledger and an open warehouse. */
export function factsOf(config: Config, db: Database | null, options: FactOptions): Facts {
  using ledger = openLedgerOf(config);
  const lost = db === null ? 0 : lostCalls({ config, warehouse: { db }, ledger }, options.nowMs);
  return readFacts({ ...options, db, ledger, lostCalls: lost });
}
