import { existsSync, statSync } from 'node:fs';
import { factSettings } from '../../../jobs/schedules.ts';
import { type LedgerState, LOST_LEDGER_REMEDY } from '../../allowance/ledger.ts';
import type { Config } from '../../config/config.ts';
import { secretFilesOf } from '../../config/secret_files.ts';
import { MirrorError } from '../../errors.ts';
import { openLedgerOf } from '../../operations/configured_ledger.ts';
import { callsWithoutLedger, lostCalls } from '../../operations/ledger_loss.ts';
import { type LockState, readFacts, readLock } from '../../report/facts.ts';
import { byteSize, localTime } from '../../report/figures.ts';
import type { CauseName, Problem } from '../../report/problems.ts';
import { integrityFault, readFileFacts } from '../../warehouse/health.ts';
import { openWarehouse, type Warehouse } from '../../warehouse/warehouse.ts';
import {
  checkAllowance,
  checkClockFault,
  checkCount,
  checkKey,
  checkSecrecy,
  checkUsers,
} from './account.ts';
import { type Finding, findingOf, note, ok, problem } from './finding.ts';
import { checkAccess, checkDisk, diskFacts } from './machine.ts';
import { checkStoredResponses } from './stored_responses.ts';

/**
 * Checks the warehouse, the ledger, the key, the remaining quota, the problems that `status` shows, and the stored
 * responses. Opens each file once, and creates and changes nothing.
 */
export function checkFiles(config: Config, configPath: string, nowMs: number): Finding[] {
  const { warehouse: path, dialect } = config;
  const opened = existsSync(path) ? attempt(() => openWarehouse({ path, readonly: true, nowMs })) : null;
  using warehouse = opened instanceof MirrorError ? null : opened;
  const fault = warehouse === null ? null : faultIn(warehouse);
  const readable = fault === null ? warehouse : null;
  const read = existsSync(config.ledger) ? attempt(() => readLedger(config, readable, nowMs)) : null;
  const account = read instanceof MirrorError ? null : read;
  const lost = account?.lost ?? (readable === null ? 0 : callsWithoutLedger(config, readable));
  const access = checkAccess('warehouse', path);
  const disk = diskFacts(path);
  return [
    ...(disk === null ? [] : checkDisk(disk)),
    ...(warehouse === null ? [] : checkWarehouse(warehouse, fault, nowMs)),
    ...(opened instanceof MirrorError
      ? [problem('warehouse', opened.message, opened.hint ?? 'Restore a backup, or configure another file.')]
      : []),
    ...(opened === null || access.status === 'problem' ? [access] : []),
    checkAccess('ledger', config.ledger),
    ...(read instanceof MirrorError
      ? [problem('ledger', read.message, read.hint ?? LOST_LEDGER_REMEDY)]
      : checkCount(lost)),
    checkKey(config.upstream, account?.state ?? null),
    ...secretFilesOf(config, configPath)
      .filter((file) => existsSync(file))
      .flatMap((file) => checkSecrecy({ path: file, mode: statSync(file).mode })),
    ...(account === null ? [] : checkAccount(account, path)),
    ...(readable === null || dialect === undefined ? [] : checkStoredResponses(readable, dialect)),
  ];
}

/** Returns a file's content, or the error that explains why the file cannot be read. */
function attempt<Content>(read: () => Content): Content | MirrorError {
  try {
    return read();
  } catch (error) {
    if (error instanceof MirrorError) return error;
    throw error;
  }
}

interface CheckedAccount {
  readonly state: LedgerState;
  /** The warehouses that spend the account's allowance. */
  readonly users: readonly string[];
  readonly lost: number;
  /** The problems that `status` and the status page show. */
  readonly problems: readonly Problem[];
}

/** Compares the ledger with the calls in the warehouse, if that can be read. */
function readLedger(config: Config, warehouse: Warehouse | null, nowMs: number): CheckedAccount {
  using ledger = openLedgerOf(config);
  const lost = warehouse === null ? 0 : lostCalls({ config, warehouse, ledger }, nowMs);
  const sources = { nowMs, db: warehouse?.db ?? null, ledger, lostCalls: lost, formatTime: localTime };
  const { allowance, health } = readFacts({ ...sources, settings: factSettings(config) });
  const problems = warehouse === null ? [] : health.problems;
  return { state: allowance.scheduled, users: ledger.warehouses(nowMs), lost, problems };
}

function checkAccount({ state, users, problems }: CheckedAccount, path: string): Finding[] {
  return [
    ...checkAllowance(state),
    ...checkClockFault(state),
    ...checkUsers(users, path),
    ...problems
      .filter(({ name }) => !REPORTED_ELSEWHERE.has(name))
      .map((one) => findingOf('health', 'warning', one)),
  ];
}

const REPORTED_ELSEWHERE: ReadonlySet<CauseName> = new Set<CauseName>([
  'key_refused',
  'ledger_lost',
  'licence_ends',
  'allowance_used_up',
]);

/** Returns the first fault in the file; null if it is intact or too large to check. */
function faultIn({ db }: Warehouse): string | null {
  return readFileFacts(db).bytes > LARGE_BYTES ? null : integrityFault(db);
}

function checkWarehouse({ db, path }: Warehouse, fault: string | null, nowMs: number): Finding[] {
  const { bytes, walBytes } = readFileFacts(db);
  return [
    fault === null
      ? ok('warehouse', `${path}, ${byteSize(bytes)}, intact`)
      : problem(
          'warehouse',
          `${path} is corrupt: ${fault}`,
          'Restore a backup (docs/reliability.md). Later runs fetch what the backup lacks.',
        ),
    ...(walBytes > LARGE_WAL_BYTES
      ? [
          note(
            'warehouse',
            `the WAL has grown to ${byteSize(walBytes)}, because a reader has been open for a long time`,
            'Close that reader. The next run then empties the WAL.',
          ),
        ]
      : []),
    ...lockFindings(readLock(db, nowMs)),
  ];
}

function lockFindings({ holder, isHeld }: LockState): Finding[] {
  if (holder === null) return [];
  const owner = `process ${holder.pid} on ${holder.host}, since ${localTime(holder.takenAt)}`;
  return [
    isHeld
      ? note('runs', `a run is in progress (${owner})`)
      : note('runs', `a run was killed (${owner}); the next run takes over its lock`),
  ];
}

const GB = 1_000_000_000;
// Larger files are not checked for corruption, because that takes too long for an interactive command.
const LARGE_BYTES = 2 * GB;
const LARGE_WAL_BYTES = GB / 4;
