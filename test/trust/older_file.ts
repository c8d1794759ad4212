import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import Sqlite from 'better-sqlite3';

export const OLDER_VERSION = 201;
export const CALLS = 20;

/**
 * Writes a warehouse that an early version made: 60 companies of its sandbox, all fetched twice, half of them changed, and
 * one forgotten.
 */
export function writeOlderMirror(path: string): void {
  writeFileSync(
    path,
    zstdDecompressSync(readFileSync(resolve(import.meta.dirname, 'older_warehouse.db.zst'))),
  );
}

/** Writes a warehouse of the same version with no companies, but with some calls and their responses. */
export function writeOlderWarehouse(path: string): void {
  writeOlderMirror(path);
  const db = new Sqlite(path);
  db.pragma('journal_mode = WAL');
  db.pragma('foreign_keys = OFF');
  const tables = db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'entity_fts*'")
    .pluck()
    .all() as string[];
  for (const table of tables)
    if (!['_migration', '_meta', '_table', '_column'].includes(table)) db.exec(`DELETE FROM ${table}`);
  db.exec("INSERT INTO entity_fts (entity_fts) VALUES ('delete-all')");
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

/** Returns the schema's version, and the number of unchanged responses in a file that `writeOlderWarehouse` wrote. */
export function readOlderWarehouse(path: string): { readonly version: number; readonly answers: number } {
  const db = new Sqlite(path);
  try {
    const version = db.prepare('SELECT max(number) FROM _migration').pluck().get() as number;
    const bodies = db.prepare('SELECT call_id AS nth, body FROM _answer WHERE call_id <= ?').all(CALLS) as {
      nth: number;
      body: Buffer;
    }[];
    return { version, answers: bodies.filter(({ nth, body }) => body.equals(bodyOf(nth))).length };
  } finally {
    db.close();
  }
}

function bodyOf(nth: number): Buffer {
  return Buffer.from(JSON.stringify({ id: `C${nth}`, name: `Company ${nth}` }));
}

const AT = '2026-01-05T08:00:00.000Z';
