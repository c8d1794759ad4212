import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import Sqlite from 'better-sqlite3';
import { addMigrationFunctions } from '../../src/warehouse/migrate.ts';

const folder = resolve(import.meta.dirname, '../../src/warehouse/migrations');
const MIGRATIONS = readdirSync(folder)
  .filter((file) => file.endsWith('.sql'))
  .sort();

/** How many migrations exist. */
export const STEPS = MIGRATIONS.length;
export const CALLS = 20;

/** How many migrations come before the one with this number. */
export function stepsBefore(number: number): number {
  return MIGRATIONS.filter((file) => Number(file.slice(0, 3)) < number).length;
}

/**
 * Creates a warehouse as an earlier version would have left it, with the first `steps` migrations and some calls with
 * responses.
 */
export function writeOlderWarehouse(path: string, steps: number): void {
  const db = new Sqlite(path);
  addMigrationFunctions(db);
  db.pragma('page_size = 8192');
  db.pragma('journal_mode = WAL');
  // "RMIR"
  db.pragma(`application_id = ${0x52_4d_49_52}`);
  db.exec(
    'CREATE TABLE _migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL)',
  );
  const note = db.prepare('INSERT INTO _migration VALUES (?, ?, ?)');
  for (const file of MIGRATIONS.slice(0, steps)) {
    db.exec(readFileSync(join(folder, file), 'utf8'));
    note.run(Number(file.slice(0, 3)), file.slice(4, -4), AT);
  }
  db.prepare(
    "INSERT OR REPLACE INTO _meta (key, value) SELECT 'schema_version', max(number) FROM _migration",
  ).run();
  db.prepare("INSERT INTO _run (run_id, command, started_at) VALUES (1, 'sync', ?)").run(AT);
  const call = db.prepare(
    `INSERT INTO _call (call_id, run_id, kind, target, reason, expected, sent_at, ms, outcome, bytes)
     VALUES (?, 1, 'entity', ?, 'due', 1, ?, 5, 'broken', ?)`,
  );
  const answer = db.prepare('INSERT INTO _answer (call_id, body) VALUES (?, ?)');
  for (let nth = 1; nth <= CALLS; nth++) {
    call.run(nth, `C${nth}`, AT, bodyOf(nth).length);
    answer.run(nth, bodyOf(nth));
  }
  db.close();
}

/** Returns the number of applied migrations and of unchanged responses. */
export function readOlderWarehouse(path: string): { readonly steps: number; readonly answers: number } {
  const db = new Sqlite(path);
  try {
    const steps = db.prepare('SELECT count(*) FROM _migration').pluck().get() as number;
    const bodies = db.prepare('SELECT call_id AS nth, body FROM _answer WHERE call_id <= ?').all(CALLS) as {
      nth: number;
      body: Buffer;
    }[];
    return { steps, answers: bodies.filter(({ nth, body }) => body.equals(bodyOf(nth))).length };
  } finally {
    db.close();
  }
}

function bodyOf(nth: number): Buffer {
  return Buffer.from(JSON.stringify({ id: `C${nth}`, name: `Company ${nth}` }));
}

const AT = '2026-01-05T08:00:00.000Z';
