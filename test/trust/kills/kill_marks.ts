import { rmSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { Upstream } from '../../support/upstream.ts';

/** The checks after each kill, each of which describes a fault in one sentence. */
export interface Marks {
  after(): string[];
  /** The test itself deleted the warehouse. */
  forgetLoaded(): void;
}

/** Finds a corrupt file, a response without its call, a lost call, or a call that the ledger did not count. */
export function watchFiles(upstream: Upstream, concurrency: number): Marks {
  let lastLoaded = 0;
  let kills = 0;
  const inWarehouse = (db: Sqlite.Database): string[] => {
    const check = db.pragma('quick_check', { simple: true });
    if (check !== 'ok') return [`quick_check: ${check}`];
    if (!hasTable(db, '_call')) return [];
    const loaded = db.prepare('SELECT count(*) FROM _call').pluck().get() as number;
    const orphans = db
      .prepare('SELECT count(*) FROM entity WHERE _call_id NOT IN (SELECT call_id FROM _answer)')
      .pluck()
      .get();
    const faults = [
      ...(orphans === 0 ? [] : [`${orphans} records without their response`]),
      ...(loaded >= lastLoaded ? [] : [`${lastLoaded} calls were loaded, but only ${loaded} remain`]),
    ];
    lastLoaded = loaded;
    return faults;
  };
  return {
    after: () => {
      kills += 1;
      const arrived = upstream.sandbox.arrivals().length;
      const spent = spentIn(upstream);
      const db = openIfThere(join(upstream.folder, 'warehouse.db'));
      const faults = db === null || !hasTable(db, 'entity') ? [] : inWarehouse(db);
      db?.close();
      if (spent < arrived) faults.push(`${arrived} calls arrived, but the ledger counted ${spent}`);
      if (spent - arrived > kills * concurrency)
        faults.push(`${spent} units for ${arrived} calls after ${kills} kills`);
      return faults;
    },
    forgetLoaded: () => {
      lastLoaded = 0;
    },
  };
}

export function spentIn(upstream: Upstream): number {
  const db = openIfThere(join(upstream.folder, 'ledger.db'));
  if (db === null) return 0;
  const spent = hasTable(db, 'account') ? db.prepare('SELECT sum(spent_ever) FROM account').pluck().get() : 0;
  db.close();
  return (spent as number | null) ?? 0;
}

export function removeFile(upstream: Upstream, file: string): void {
  for (const end of ['', '-wal', '-shm']) rmSync(join(upstream.folder, `${file}${end}`), { force: true });
}

/** Opens the file as the next process would, which recovers the WAL. */
function openIfThere(path: string): Sqlite.Database | null {
  try {
    return new Sqlite(path, { fileMustExist: true });
  } catch {
    return null;
  }
}

function hasTable(db: Sqlite.Database, name: string): boolean {
  return db.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(name) !== undefined;
}
