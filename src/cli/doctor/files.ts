import { existsSync, statSync } from 'node:fs';
import { type LedgerState, LOST_LEDGER_REMEDY } from '../../allowance/ledger.ts';
import type { Config } from '../../config/config.ts';
import { assertWritable } from '../../config/paths.ts';
import { secretFilesOf } from '../../config/secret_files.ts';
import { MirrorError } from '../../errors.ts';
import { openLedgerOf } from '../../operations/configured_ledger.ts';
import { lostCalls } from '../../operations/ledger_loss.ts';
import { type LockState, readLock } from '../../report/facts.ts';
import { byteSize, localTime } from '../../report/figures.ts';
import { integrityFault, readFileFacts } from '../../warehouse/health.ts';
import { spentCallsAfter } from '../../warehouse/spent_calls.ts';
import { openWarehouse, type Warehouse } from '../../warehouse/warehouse.ts';
import {
  checkAllowance,
  checkClockFault,
  checkCount,
  checkKey,
  checkSecrecy,
  checkUsers,
} from './account.ts';
import { type Finding, note, ok, problem } from './finding.ts';
import { checkAccess, checkDisk, diskFacts } from './machine.ts';

/** Checks the warehouse, the ledger, the key and the remaining quota, without creating or changing anything. */
export function checkFiles(config: Config, configPath: string, nowMs: number): Finding[] {
  const disk = diskFacts(config.warehouse);
  const warehouse = checkWarehouse(config, nowMs);
  const { state, findings } = checkLedger(config, nowMs);
  return [
    ...(disk === null ? [] : checkDisk(disk)),
    ...warehouse,
    checkAccess(accessTo('ledger', config.ledger)),
    ...findings,
    checkKey(config.upstream, state),
    ...secretFilesOf(config, configPath)
      .filter((path) => existsSync(path))
      .flatMap((path) => checkSecrecy({ path, mode: statSync(path).mode })),
    ...(state === null
      ? []
      : [
          ...checkAllowance(state),
          ...checkClockFault(state),
          ...checkUsers(state.warehouses, config.warehouse),
        ]),
  ];
}

interface CheckedLedger {
  /** The ledger's state, or null if the ledger is missing or unreadable. */
  readonly state: (LedgerState & { readonly warehouses: readonly string[] }) | null;
  readonly findings: readonly Finding[];
}

/** Compares the ledger with the calls in the warehouse, if both files can be read. */
function checkLedger(config: Config, nowMs: number): CheckedLedger {
  if (!existsSync(config.ledger))
    return { state: null, findings: checkCount(callsWithoutLedger(config, nowMs)) };
  try {
    using ledger = openLedgerOf(config);
    const state = { ...ledger.state(nowMs), warehouses: ledger.warehouses(nowMs) };
    const lost = readWarehouse(config, nowMs, (warehouse) => lostCalls({ config, warehouse, ledger }, nowMs));
    return { state, findings: checkCount(lost ?? 0) };
  } catch (error) {
    if (!(error instanceof MirrorError)) throw error;
    return { state: null, findings: [problem('ledger', error.message, error.hint ?? LOST_LEDGER_REMEDY)] };
  }
}

function callsWithoutLedger(config: Config, nowMs: number): number {
  if (config.allowance.unlimited) return 0;
  return readWarehouse(config, nowMs, ({ db }) => spentCallsAfter(db, 0)) ?? 0;
}

/** Reads the warehouse. Returns null if it cannot be read, which `checkWarehouse` reports. */
export function readWarehouse<T>(
  { warehouse: path }: Pick<Config, 'warehouse'>,
  nowMs: number,
  read: (warehouse: Warehouse) => T,
): T | null {
  if (!existsSync(path)) return null;
  try {
    using warehouse = openWarehouse({ path, readonly: true, nowMs });
    return read(warehouse);
  } catch (error) {
    if (error instanceof MirrorError) return null;
    throw error;
  }
}

function checkWarehouse(config: Config, nowMs: number): Finding[] {
  const access = accessTo('warehouse', config.warehouse);
  if (!access.exists || access.fault !== null) return [checkAccess(access)];
  try {
    using warehouse = openWarehouse({ path: config.warehouse, readonly: true, nowMs });
    const health = readFileFacts(warehouse.db);
    const fault = health.bytes > LARGE_BYTES ? null : integrityFault(warehouse.db);
    const lock = readLock(warehouse.db, nowMs);
    return [
      fault === null
        ? ok('warehouse', `${config.warehouse}, ${byteSize(health.bytes)}, intact`)
        : problem(
            'warehouse',
            `${config.warehouse} is corrupt: ${fault}`,
            'Restore a backup (docs/reliability.md). Later runs fetch what the backup lacks.',
          ),
      ...(health.walBytes > LARGE_WAL_BYTES
        ? [
            note(
              'warehouse',
              `the WAL has grown to ${byteSize(health.walBytes)}, because a reader has been open for a long time`,
              'Close that reader. The next run then empties the WAL.',
            ),
          ]
        : []),
      ...lockFindings(lock),
    ];
  } catch (error) {
    if (!(error instanceof MirrorError)) throw error;
    return [
      problem('warehouse', error.message, error.hint ?? 'Restore a backup, or configure another file.'),
    ];
  }
}

function lockFindings({ holder, isHeld }: LockState): Finding[] {
  if (holder === null) return [];
  const owner = `process ${holder.pid} on ${holder.host}, since ${localTime(Date.parse(holder.takenAt))}`;
  return [
    isHeld
      ? note('runs', `a run is in progress (${owner})`)
      : note('runs', `a run was killed (${owner}); the next run takes over its lock`),
  ];
}

function accessTo(what: 'warehouse' | 'ledger', path: string) {
  const exists = existsSync(path);
  try {
    assertWritable(path);
    return { what, path, exists, fault: null };
  } catch (error) {
    if (!(error instanceof MirrorError)) throw error;
    return { what, path, exists, fault: error.message.replace(/^.*?cannot be written: /, '') };
  }
}

const GB = 1_000_000_000;
// Larger files are not checked for corruption, because that takes too long for an interactive command.
const LARGE_BYTES = 2 * GB;
const LARGE_WAL_BYTES = GB / 4;
