import { existsSync } from 'node:fs';
import type { Config } from '../config/config.ts';
import type { Health } from '../report/health.ts';
import {
  type AllowanceSnapshot,
  type HealthSources,
  type MirrorSnapshot,
  readAllowance,
  readHealth,
  readMirror,
} from '../report/mirror_snapshot.ts';
import { openWarehouse, type Warehouse } from '../warehouse/warehouse.ts';
import { openLedgerOf } from './configured_ledger.ts';
import { ledgerReadingOf, lostCalls } from './ledger_loss.ts';

/** The state of a mirror and its account at one time. */
export interface MirrorReading {
  readonly nowMs: number;
  /** The warehouse and its snapshot; null if there is no mirror yet. */
  readonly mirror: { readonly db: Warehouse['db']; readonly snapshot: MirrorSnapshot } | null;
  readonly allowance: AllowanceSnapshot;
  readonly health: Health;
}

/**
 * Opens the ledger and the warehouse for reading, calls `use` with their state, and closes the files, even if the
 * warehouse cannot be opened.
 */
export async function withMirrorReading<Result>(
  config: Config,
  { nowMs, ...rest }: Pick<HealthSources, 'nowMs' | 'settings' | 'formatTime'>,
  use: (reading: MirrorReading) => Result | Promise<Result>,
): Promise<Result> {
  const ledger = openLedgerOf(config);
  let warehouse: Warehouse | null = null;
  try {
    if (existsSync(config.warehouse))
      warehouse = openWarehouse({ path: config.warehouse, readonly: true, nowMs });
    const mirror = warehouse && { db: warehouse.db, snapshot: readMirror(warehouse.db, nowMs) };
    const lost = warehouse && lostCalls(ledgerReadingOf({ config, warehouse, ledger }), nowMs);
    const allowance = readAllowance(ledger, nowMs);
    const health = readHealth({
      ...{ nowMs, mirror, allowance: allowance.scheduled, lostCalls: lost ?? 0, ...rest },
    });
    return await use({ nowMs, mirror, allowance, health });
  } finally {
    warehouse?.close();
    ledger.close();
  }
}
