import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command } from '@commander-js/extra-typings';
import type { Clock } from '../clock.ts';
import { MirrorError } from '../errors.ts';
import { takeLock } from '../operations/locked_run.ts';
import { counted } from '../report/figures.ts';
import { prepareReplacement } from '../warehouse/backup.ts';
import { readCoverage } from '../warehouse/coverage_counts.ts';
import { forgottenIds } from '../warehouse/forget.ts';
import { releaseLock } from '../warehouse/lock.ts';
import { emptyWal } from '../warehouse/wal.ts';
import { openWarehouse, type Warehouse } from '../warehouse/warehouse.ts';
import { define } from './command.ts';
import { lines, type Result } from './output.ts';

/** `restore FILE`: replaces the warehouse with a backup. */
export default () =>
  define(
    'config',
    new Command('restore')
      .description(
        'Checks a backup and replaces the warehouse with it. The old file is kept in the same folder under another ' +
          'name. The ledger is never restored, so it still counts every call. A warehouse cannot be restored while a ' +
          'run holds its lock.',
      )
      .argument('<file>', 'a file written by `backup`'),
    ({ config, clock }, file) => restore(resolve(file), config.warehouse, clock),
  );

function restore(file: string, path: string, clock: Clock): Result {
  const replacement = prepareReplacement(file, path, clock.now());
  try {
    const forgotten = lockAndClose(path, clock);
    const replaced = replacement.replace(clock.now());
    const { companies, forgottenSince } = contents(path, forgotten, clock.now());
    const { bytes } = replacement;
    return {
      data: { file, warehouse: path, replaced, bytes, companies, forgotten_since: forgottenSince },
      text: lines(
        `${path} is restored from ${file}: ${counted(companies, 'company', 'companies')}.`,
        replaced !== null && `The old file is now ${replaced}. Delete it when you no longer need it.`,
        'The ledger was not restored, so it still counts every call. Restart `worker` if it is running. `serve` reads the new file without a restart.',
        forgottenSince.length > 0 &&
          `Some entities were forgotten after this backup. Erase them again: registry-mirror forget ${forgottenSince.join(' ')}`,
      ),
    };
  } finally {
    replacement.discard();
  }
}

/**
 * Locks the old warehouse, so that no run starts before the file is replaced, and closes the warehouse. The lock is not
 * released, because it disappears with the file. Returns the forgotten ids.
 */
function lockAndClose(path: string, clock: Clock): string[] {
  const warehouse = openIfSound(path, clock.now());
  if (warehouse === null) return [];
  try {
    const owner = takeLock(warehouse.db, clock);
    try {
      // The file is replaced in several steps. If the program is killed between them, the old file is complete.
      emptyWal(warehouse.db);
    } catch (error) {
      releaseLock(warehouse.db, owner);
      throw error;
    }
    return [...forgottenIds(warehouse.db)];
  } finally {
    // An open connection would later delete the new file's WAL.
    warehouse.close();
  }
}

/** Opens the warehouse. Returns null if it is missing or cannot be opened, for example because it is corrupt. */
function openIfSound(path: string, nowMs: number): Warehouse | null {
  if (!existsSync(path)) return null;
  try {
    return openWarehouse({ path, nowMs });
  } catch (error) {
    if (error instanceof MirrorError) return null;
    throw error;
  }
}

/** Counts the companies in the restored warehouse, and lists the ids in `forgotten` that are not forgotten there. */
function contents(path: string, forgotten: readonly string[], nowMs: number) {
  using warehouse = openWarehouse({ path, readonly: true, nowMs });
  const again = forgottenIds(warehouse.db);
  const forgottenSince = forgotten.filter((id) => !again.has(id));
  return { companies: readCoverage(warehouse.db).known, forgottenSince };
}
