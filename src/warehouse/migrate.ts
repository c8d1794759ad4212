import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { isoTime } from '../clock.ts';
import { FailedError } from '../errors.ts';
import { folded } from '../names/folding.ts';
import { indexedText } from '../names/search_index_text.ts';
import { refreshCompanyViews } from './company_views.ts';

interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
}

/**
 * Migrates the schema. Foreign keys must not be enforced yet. Runs every numbered file in `migrations/` that has not been applied yet, in order and in one
 * transaction. Migrations numbered 100 and above change the planner's state.
 *
 * @throws FailedError if a newer program wrote the warehouse.
 */
export function migrate(db: Database, nowMs: number): void {
  const known = readMigrations();
  addMigrationFunctions(db);
  db.transaction(() => {
    db.exec(
      'CREATE TABLE IF NOT EXISTS _migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL)',
    );
    const applied = refuseNewer(db, known);
    const note = db.prepare('INSERT INTO _migration (number, name, applied_at) VALUES (?, ?, ?)');
    for (const migration of known.filter(({ number }) => !applied.has(number))) {
      db.exec(migration.sql);
      note.run(migration.number, migration.name, isoTime(nowMs));
    }
    refreshCompanyViews(db);
    const schemaVersion = Math.max(...known.map(({ number }) => number));
    db.prepare(
      "INSERT INTO _meta (key, value) VALUES ('schema_version', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE value <> excluded.value",
    ).run(String(schemaVersion));
  }).immediate();
}

/** Registers the SQL functions that migrations call. */
export function addMigrationFunctions(db: Database): void {
  db.function('folded', { deterministic: true }, (text) => folded(String(text)));
  db.function('epoch_ms', { deterministic: true }, (text) =>
    text === null ? null : Date.parse(String(text)) || 0,
  );
  db.function('indexed_text', { deterministic: true }, (text) => indexedText(text as string | null));
}

/** Returns whether a migration has yet to be applied. @throws FailedError if a newer program wrote the warehouse. */
export function needsMigration(db: Database): boolean {
  const known = readMigrations();
  const applied = refuseNewer(db, known);
  return known.some(({ number }) => !applied.has(number));
}

/** A newer version of the program has migrated the warehouse. */
export class NewerWarehouseError extends FailedError {}

function refuseNewer(db: Database, known: readonly Migration[]): Set<number> {
  const hasTable = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = '_migration'").get() !== undefined;
  const applied = hasTable ? (db.prepare('SELECT number FROM _migration').pluck().all() as number[]) : [];
  const numbers = new Set(known.map(({ number }) => number));
  const newer = applied.filter((number) => !numbers.has(number));
  if (newer.length > 0)
    throw new NewerWarehouseError(
      `the warehouse ${db.name} was written by a newer version of registry-mirror (schema ${Math.max(...newer)})`,
      { hint: 'Install that version or a later one. Nothing was changed.' },
    );
  return new Set(applied);
}

function readMigrations(): Migration[] {
  const directory = join(import.meta.dirname, 'migrations');
  return readdirSync(directory)
    .flatMap((file) => {
      const [, number, name] = /^(\d{3})_(\w+)\.sql$/.exec(file) ?? [];
      return number === undefined || name === undefined
        ? []
        : [{ number: Number(number), name, sql: readFileSync(join(directory, file), 'utf8') }];
    })
    .sort((a, b) => a.number - b.number);
}
