import { existsSync, type StatsFs, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { nearestFolder, writeFault } from '../../config/paths.ts';
import { messageOf } from '../../errors.ts';
import { byteSize } from '../../report/figures.ts';
import { sqliteVersion } from '../../warehouse/file_facts.ts';
import { bytesToSpare, type ResponseLimits } from '../../warehouse/free_space.ts';
import { type CheckResult, note, ok, problem, warning } from './check_result.ts';

/** Checks of the runtime, SQLite and the disk. */

/** Shows the runtime. `bin.js` rejects a Node that is too old. */
export function checkRuntime(): CheckResult {
  const { platform, arch, versions } = process;
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return ok('runtime', `Node ${versions.node} on ${platform} ${arch}; times are shown in ${timeZone}`);
}

/** Checks that SQLite works and includes full-text search with trigrams. */
export function checkSqlite(): CheckResult {
  try {
    return ok('SQLite', `${sqliteVersion()}, with full-text search`);
  } catch (error) {
    const message = messageOf(error);
    return problem('SQLite', message, 'Reinstall the packages for this runtime: npm ci');
  }
}

export interface DiskFacts {
  readonly folder: string;
  readonly freeBytes: number;
  /** The warehouse's size in bytes, or 0 if it does not exist. */
  readonly fileBytes: number;
  /** The free space in bytes without which a run sends no call. */
  readonly neededBytes: number;
  /** The file system type from statfs(2), or null if the system is not Linux. */
  readonly fileSystem: number | null;
}

export function diskFacts(warehousePath: string, limits: ResponseLimits): DiskFacts | null {
  const folder = nearestFolder(dirname(warehousePath));
  if (!statSync(folder).isDirectory()) return null;
  const stats: StatsFs = statfsSync(folder);
  return {
    folder,
    freeBytes: stats.bavail * stats.bsize,
    fileBytes: statSync(warehousePath, { throwIfNoEntry: false })?.size ?? 0,
    neededBytes: bytesToSpare(limits),
    fileSystem: process.platform === 'linux' ? stats.type : null,
  };
}

/**
 * Checks the free space. A run sends no call if the responses in flight may not fit. `compact` and `reprocess` write a
 * second copy of the warehouse. They need as much free space as the warehouse occupies.
 */
export function checkDisk(facts: DiskFacts): CheckResult[] {
  const { folder, freeBytes, fileBytes, neededBytes, fileSystem } = facts;
  const what = `${byteSize(freeBytes)} free at ${folder}`;
  const remedy = 'Free some space, or move `warehouse:` to another folder.';
  const findings: CheckResult[] = [];
  if (freeBytes < neededBytes)
    findings.push(problem('disk', `only ${what}, but a run needs ${byteSize(neededBytes)}`, remedy));
  else if (freeBytes < Math.max(FREE_BYTES, fileBytes))
    findings.push(
      warning(
        'disk',
        `only ${what}; compact and reprocess need as much space as the warehouse occupies (${byteSize(fileBytes)})`,
        remedy,
      ),
    );
  else findings.push(ok('disk', what));
  const kind = fileSystem === null ? undefined : SHARED_FILE_SYSTEMS.get(fileSystem >>> 0);
  if (kind !== undefined)
    findings.push(
      warning(
        'file system',
        `${folder} is on ${kind}, which does not support SQLite's locks reliably`,
        'Move the warehouse and the ledger to a local disk.',
      ),
    );
  return findings;
}

/** Checks that a database can be written at the path. */
export function checkAccess(what: 'warehouse' | 'ledger', path: string): CheckResult {
  const fault = writeFault(path);
  if (fault !== null)
    return problem(
      what,
      `${path} cannot be written: ${fault}`,
      `Correct its permissions or the path in \`${what}:\`.`,
    );
  return existsSync(path)
    ? ok(what, `${path} can be read and written`)
    : note(what, `${path} does not exist yet; the first run creates it`);
}

/** Network file systems, by the type numbers of statfs(2). */
const SHARED_FILE_SYSTEMS = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x01021997, '9P'],
  [0x00c36400, 'Ceph'],
  [0x5346414f, 'AFS'],
]);
const MB = 1_000_000;
const FREE_BYTES = 500 * MB;
