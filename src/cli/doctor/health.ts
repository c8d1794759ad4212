import { existsSync } from 'node:fs';
import { healthSettings } from '../../../jobs/schedules.ts';
import type { Config } from '../../config/config.ts';
import { MirrorError } from '../../errors.ts';
import { openLedgerOf } from '../../operations/configured_ledger.ts';
import { localTime } from '../../report/figures.ts';
import type { CauseName } from '../../report/health.ts';
import { readAllowance, readHealth, readMirror } from '../../report/mirror_snapshot.ts';
import { openWarehouse } from '../../warehouse/warehouse.ts';
import { type Finding, warning } from './finding.ts';

/** The problems that `status` and the status page show. Checks of the key and the terms report the others. */
export function checkHealth(config: Config, nowMs: number): Finding[] {
  if (!existsSync(config.warehouse) || !existsSync(config.ledger)) return [];
  try {
    const ledger = openLedgerOf(config);
    const warehouse = openWarehouse({ path: config.warehouse, readonly: true, nowMs });
    try {
      const { problems } = readHealth({
        nowMs,
        mirror: { db: warehouse.db, snapshot: readMirror(warehouse.db, nowMs) },
        allowance: readAllowance(ledger, nowMs).scheduled,
        settings: healthSettings(config),
        formatTime: localTime,
      });
      return problems
        .filter(({ name }) => !REPORTED_ELSEWHERE.has(name))
        .map(({ cause, remedy }) => warning('health', cause.replace(/\.$/, ''), remedy));
    } finally {
      warehouse.close();
      ledger.close();
    }
  } catch (error) {
    // The checks of the files report a file that cannot be opened.
    if (error instanceof MirrorError) return [];
    throw error;
  }
}

const REPORTED_ELSEWHERE: ReadonlySet<CauseName> = new Set<CauseName>(['key_refused', 'licence_ends']);
