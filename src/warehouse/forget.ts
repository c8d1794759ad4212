import type { Database } from 'better-sqlite3';
import { decoded } from './answer.ts';
import { eraseFromDigests } from './deliveries.ts';
import { feedVersions } from './feed/versions.ts';
import { nameIndex } from './name_index.ts';
import { live, quoted } from './table_naming.ts';

/** Returns the ids of forgotten entities, which the mirror does not load again. */
export function forgottenIds(db: Database): Set<string> {
  return new Set(forgottenCompanies(db).map(({ entityId }) => entityId));
}

export interface ForgottenCompany {
  readonly entityId: string;
  readonly forgottenAt: string;
}

/** Returns the forgotten entities, most recently forgotten first. */
export function forgottenCompanies(db: Database): ForgottenCompany[] {
  return db
    .prepare<[], ForgottenCompany>(
      `SELECT entity_id AS entityId, forgotten_at AS forgottenAt FROM _forgotten
       WHERE undone_at IS NULL ORDER BY forgotten_at DESC, entity_id`,
    )
    .all();
}

/** Allows a forgotten entity to be loaded again. Returns false if the entity is not forgotten. */
export function permitAgain(db: Database, entityId: string, undoneAt: string): boolean {
  const permit = db.prepare('UPDATE _forgotten SET undone_at = ? WHERE entity_id = ? AND undone_at IS NULL');
  return permit.run(undoneAt, entityId).changes === 1;
}

/** Deletes an entity from every table in the caller's transaction. Only its id remains, in `_forgotten`. */
export function eraseEntity(db: Database, entityId: string, forgottenAt: string): { rows: number } {
  const known = db.prepare('SELECT * FROM _known WHERE entity_id = ?').get(entityId) as
    | KnownTexts
    | undefined;
  if (known !== undefined) eraseNames(db, known);
  eraseAnswers(db, entityId);
  db.prepare("DELETE FROM _quarantine WHERE kind = 'entity' AND target = ?").run(entityId);
  db.prepare("DELETE FROM _failure WHERE kind = 'entity' AND target = ?").run(entityId);
  db.prepare(
    `UPDATE _backfill_wish SET state = 'forgotten', given = '(forgotten)', entity_id = NULL, name = NULL, candidates = NULL, note = NULL
     WHERE entity_id = @entityId OR given = @entityId`,
  ).run({ entityId });
  const rows = tablesWithEntities(db).reduce(
    (sum, table) =>
      sum + db.prepare(`DELETE FROM ${quoted(table)} WHERE entity_id = ?`).run(entityId).changes,
    0,
  );
  db.prepare(
    "DELETE FROM _feed_row WHERE key = ? AND table_name NOT IN ('registry_stats', 'entity_change')",
  ).run(entityId);
  eraseFromDigests(db, entityId);
  const feed = feedVersions(db, live);
  db.prepare('INSERT OR REPLACE INTO _forgotten (entity_id, forgotten_at, version) VALUES (?, ?, ?)').run(
    entityId,
    forgottenAt,
    feed.take(1),
  );
  feed.save();
  return { rows };
}

export interface SearchAnswerRow {
  readonly callId: number;
  readonly body: Buffer;
  readonly headers: string | null;
}

/** Reads, one by one, the stored search responses that contain `text`. */
export function* searchAnswersWith(db: Database, text: string): Generator<SearchAnswerRow> {
  const ids = db
    .prepare(
      "SELECT call_id FROM _answer JOIN _call USING (call_id) WHERE kind = 'search' AND body IS NOT NULL",
    )
    .pluck()
    .all() as number[];
  const select = db.prepare(
    'SELECT call_id AS callId, encoding, body, headers FROM _answer WHERE call_id = ?',
  );
  for (const id of ids) {
    const row = select.get(id) as SearchAnswerRow & { encoding: string | null };
    const body = decoded(row);
    if (body.includes(text)) yield { callId: row.callId, body, headers: row.headers };
  }
}

/** Replaces a stored body with `body`, which no longer mentions the forgotten entity. */
export function redactAnswer(db: Database, callId: number, body: Buffer, redactedAt: string): void {
  db.prepare('UPDATE _answer SET body = ?, encoding = NULL, redacted_at = ? WHERE call_id = ?').run(
    body,
    redactedAt,
    callId,
  );
  db.prepare('UPDATE _call SET note = NULL WHERE call_id = ?').run(callId);
}

/** Removes the bytes that deleted names leave in the full-text index and deleted rows leave in the WAL. */
export function scrub(db: Database): void {
  db.exec("INSERT INTO entity_fts (entity_fts) VALUES ('optimize')");
  db.pragma('wal_checkpoint(TRUNCATE)');
}

interface KnownTexts {
  readonly known_id: number;
  readonly entity_id: string;
  readonly name: string | null;
  readonly former_names: string | null;
  readonly identifiers: string | null;
  readonly listed_at: string | null;
  readonly fetched_at: string | null;
  readonly gone_at: string | null;
}

function eraseNames(db: Database, known: KnownTexts): void {
  const names = nameIndex(db, live);
  names.remove({
    knownId: known.known_id,
    entityId: known.entity_id,
    name: known.name,
    formerNames: known.former_names,
    identifiers: known.identifiers,
  });
  names.save();
  const isAlive = known.gone_at === null;
  const less = db.prepare('UPDATE _tally SET n = n - 1 WHERE what = ?');
  less.run('known');
  if (!isAlive) less.run('gone');
  if (isAlive && known.listed_at !== null) less.run('listed');
  if (isAlive && known.fetched_at !== null) less.run('fetched');
}

function eraseAnswers(db: Database, entityId: string): void {
  const calls = "SELECT call_id FROM _call WHERE kind = 'entity' AND target = @entityId";
  // Delete references before the bodies to which they point.
  db.prepare(`DELETE FROM _answer WHERE same_as IS NOT NULL AND call_id IN (${calls})`).run({ entityId });
  db.prepare(`DELETE FROM _answer WHERE call_id IN (${calls})`).run({ entityId });
  db.prepare("UPDATE _call SET note = NULL WHERE kind = 'entity' AND target = ?").run(entityId);
}

/** Returns all tables whose rows each belong to one entity, child tables before their parents. */
function tablesWithEntities(db: Database): string[] {
  return db
    .prepare(
      `SELECT m.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
       WHERE m.type = 'table' AND c.name = 'entity_id' AND m.sql NOT LIKE 'CREATE VIRTUAL%'
         AND m.name NOT IN ('_forgotten', '_backfill_wish') AND m.name NOT GLOB 'entity_fts_*'
       ORDER BY length(m.name) DESC`,
    )
    .pluck()
    .all() as string[];
}
