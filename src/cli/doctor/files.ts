import { existsSync, statSync } from 'node:fs';
import { type LedgerState, LOST_LEDGER_REMEDY } from '../../allowance/ledger.ts';
import type { Config } from '../../config/config.ts';
import { secretFilesOf } from '../../config/references.ts';
import type { Dialect } from '../../dialect/dialect.ts';
import { MirrorError } from '../../errors.ts';
import { proposeVolatile } from '../../load/volatile_proposals.ts';
import { openLedgerOf } from '../../operations/configured_ledger.ts';
import { checkStored } from '../../operations/dialect_check.ts';
import { callsWithoutLedger, lostCalls } from '../../operations/ledger_loss.ts';
import { type LockState, readFacts, readLock } from '../../report/facts.ts';
import { byteSize, localTime, percent } from '../../report/figures.ts';
import { type CauseName, type Problem, USUAL_UNNAMED } from '../../report/problems.ts';
import { latestAnswers } from '../../warehouse/answered_calls.ts';
import { integrityFault, readFileFacts } from '../../warehouse/file_facts.ts';
import { countUnnamed } from '../../warehouse/known.ts';
import { longWal } from '../../warehouse/wal.ts';
import { openWarehouse, type Warehouse } from '../../warehouse/warehouse.ts';
import {
  checkAllowance,
  checkClockFault,
  checkCount,
  checkKey,
  checkRate,
  checkSecrecy,
  checkUsers,
} from './account.ts';
import { type CheckResult, findingOf, note, ok, problem, warning } from './check_result.ts';
import { checkAccess, checkDisk, diskFacts } from './machine.ts';
import { checkMapping } from './mapping.ts';

/**
 * Checks the warehouse, the ledger, the key, the remaining quota, the problems that `status` shows, and the stored
 * responses. Opens each file once, and creates and changes nothing.
 */
export function checkFiles(config: Config, configPath: string, nowMs: number): CheckResult[] {
  const { warehouse: path, dialect, upstream } = config;
  const opened = existsSync(path) ? attempt(() => openWarehouse({ path, readonly: true, nowMs })) : null;
  using warehouse = opened instanceof MirrorError ? null : opened;
  const fault = warehouse === null ? null : faultIn(warehouse);
  const readable = fault === null ? warehouse : null;
  const read = existsSync(config.ledger) ? attempt(() => readLedger(config, readable, nowMs)) : null;
  const account = read instanceof MirrorError ? null : read;
  const lost = account?.lost ?? (readable === null ? 0 : callsWithoutLedger(config, readable));
  const access = checkAccess('warehouse', path);
  const disk = diskFacts(path, { count: upstream.concurrency, maxBodyBytes: upstream.max_body.bytes });
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
    ...(account === null ? [] : checkAccount(account, config.allowance.per_minute, path)),
    ...(readable === null || dialect === undefined ? [] : checkStoredResponses(readable, dialect)),
    ...(readable === null ? [] : checkMapping(readable.db, config.mapping)),
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
  const { allowance, health } = readFacts({ ...sources, config });
  const problems = warehouse === null ? [] : health.problems;
  return { state: allowance.scheduled, users: ledger.warehouses(nowMs), lost, problems };
}

function checkAccount(
  { state, users, problems }: CheckedAccount,
  perMinute: number | null,
  path: string,
): CheckResult[] {
  return [
    ...checkAllowance(state),
    ...checkRate(state, perMinute),
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

function checkWarehouse({ db, path }: Warehouse, fault: string | null, nowMs: number): CheckResult[] {
  const { bytes, walBytes } = readFileFacts(db);
  const wal = longWal(walBytes);
  return [
    fault === null
      ? ok('warehouse', `${path}, ${byteSize(bytes)}, intact`)
      : problem(
          'warehouse',
          `${path} is corrupt: ${fault}`,
          'Restore a backup (docs/reliability.md). Later runs fetch what the backup lacks.',
        ),
    ...(wal === null ? [] : [findingOf('warehouse', 'note', wal)]),
    ...lockFindings(readLock(db, nowMs)),
  ];
}

function lockFindings({ holder, isHeld }: LockState): CheckResult[] {
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

/**
 * Reports keys of the dialect that the last stored responses contradict. Also reports many companies without a name, and
 * fields that differ in nearly every response and are not in `dialect.volatile`.
 */
export function checkStoredResponses(warehouse: Warehouse, dialect: Dialect): CheckResult[] {
  return [
    ...checkStored(dialect, latestAnswers(warehouse.db, RESPONSES))
      .contradictions.filter(({ why }) => why.startsWith('dialect.'))
      .map(({ why }) =>
        warning('dialect', why, 'Correct the dialect, then run `registry-mirror probe --check`.'),
      ),
    ...(dialect.search.name === null ? [] : checkNames(countUnnamed(warehouse.db))),
    ...proposeVolatile(warehouse, dialect).map(({ pointer, refreshes, share }) =>
      note(
        'volatile field',
        `${pointer} differed in ${percent(share)} of ${refreshes} refreshes, so each of them counts as a change`,
        'If the field shows only when the response was made, add it to `dialect.volatile`, then run `registry-mirror reprocess`.',
      ),
    ),
  ];
}

/** The other names are often at other paths. */
function checkNames({ companies, unnamed }: ReturnType<typeof countUnnamed>): CheckResult[] {
  if (unnamed <= companies * USUAL_UNNAMED) return [];
  const what = `${unnamed} of ${companies} companies have no name`;
  const remedy =
    'If their names are at other paths, set `dialect.search.name_fallbacks` and `dialect.entity.name_fallbacks`, then run `registry-mirror reprocess`.';
  return [warning('names', what, remedy)];
}

const RESPONSES = 50;
