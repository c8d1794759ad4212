import { randomBytes } from 'node:crypto';
import type { Database } from 'better-sqlite3';
import type { Call } from '../call.ts';
import { folded } from '../names/folding.ts';
import { quoted, rows, run, value, values } from '../sqlite/statements.ts';
import { answerTable } from './answer.ts';
import { eraseFromDigests } from './deliveries.ts';
import { KnownCompanies } from './known.ts';

/** Returns the ids of forgotten entities, which the mirror does not load again. */
export function forgottenIds(db: Database): Set<string> {
  return new Set(forgottenCompanies(db).map(({ entityId }) => entityId));
}

/** Counts the forgotten entities. The registry still has them. */
export function countForgotten(db: Database): number {
  return value<number>(db, 'SELECT count(*) FROM _forgotten WHERE undone_at IS NULL') ?? 0;
}

interface ForgottenCompany {
  readonly entityId: string;
  readonly forgottenAt: string;
}

/** Returns the forgotten entities, most recently forgotten first. */
export function forgottenCompanies(db: Database): ForgottenCompany[] {
  return rows(
    db,
    `SELECT entity_id AS entityId, forgotten_at AS forgottenAt FROM _forgotten
     WHERE undone_at IS NULL ORDER BY forgotten_at DESC, entity_id`,
  );
}

/** Allows a forgotten entity to be loaded again. Returns false if the entity is not forgotten. */
export function permitAgain(db: Database, entityId: string, undoneAt: string): boolean {
  const sql = 'UPDATE _forgotten SET undone_at = ? WHERE entity_id = ? AND undone_at IS NULL';
  return run(db, sql, undoneAt, entityId).changes === 1;
}

/**
 * Deletes an entity from every table in the caller's transaction. Only its id remains, in `_forgotten`. `names` are the
 * names under which the entity was known.
 */
export function eraseEntity(
  db: Database,
  entityId: string,
  { names, forgottenAt }: { readonly names: readonly string[]; readonly forgottenAt: string },
): { rows: number } {
  const companies = new KnownCompanies(db);
  const known = companies.find(entityId);
  if (known !== undefined) companies.remove(known);
  eraseAnswers(db, entityId);
  run(db, "DELETE FROM _quarantine WHERE kind = 'entity' AND target = ?", entityId);
  run(db, "DELETE FROM _failure WHERE kind = 'entity' AND target = ?", entityId);
  eraseFromBackfills(db, entityId, names);
  const erased = tablesWithEntities(db).reduce(
    (sum, table) =>
      sum + db.prepare(`DELETE FROM ${quoted(table)} WHERE entity_id = ?`).run(entityId).changes,
    known === undefined ? 0 : 1,
  );
  run(
    db,
    "DELETE FROM _feed_row WHERE key = ? AND table_name NOT IN ('registry_stats', 'entity_change')",
    entityId,
  );
  eraseFromDigests(db, entityId);
  const forget = 'INSERT OR REPLACE INTO _forgotten (entity_id, forgotten_at, version) VALUES (?, ?, ?)';
  run(db, forget, entityId, forgottenAt, companies.feed.next());
  companies.save();
  return { rows: erased };
}

/** Returns an entity's current and former names. */
export function namesOf(db: Database, entityId: string): string[] {
  const known = new KnownCompanies(db).find(entityId);
  const names = [known?.name ?? '', ...(known?.formerNames ?? '').split('\n')];
  return [...new Set(names)].filter((name) => name !== '');
}

/** The target of a call whose request named a forgotten entity. */
export const FORGOTTEN = '(forgotten)';

/** A stored response that can contain a forgotten entity, although its call did not request the entity's record. */
export interface SuspectAnswer {
  readonly callId: number;
  readonly kind: Call['kind'] | 'probe';
  readonly target: string;
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** Reads, one by one, all stored responses except other companies' records and responses to the entity's own calls. */
export function answersThatMayMention(db: Database, entityId: string): Generator<SuspectAnswer> {
  return answersWhere(db, "NOT (kind = 'entity' AND (outcome = 'ok' OR target = ?))", entityId);
}

/** Reads, one by one, the stored responses to searches and to the entity's own calls. */
export function answersAbout(db: Database, entityId: string): Generator<SuspectAnswer> {
  return answersWhere(db, "(kind = 'search' OR (kind = 'entity' AND target = ?))", entityId);
}

function* answersWhere(db: Database, condition: string, entityId: string): Generator<SuspectAnswer> {
  const calls = rows<Omit<SuspectAnswer, 'body' | 'headers'>>(
    db,
    `SELECT call_id AS callId, kind, target FROM _answer JOIN _call USING (call_id)
     WHERE body IS NOT NULL AND ${condition}`,
    entityId,
  );
  const answers = answerTable(db);
  for (const call of calls) {
    const answer = answers.read(call.callId);
    if (answer !== null) yield { ...call, ...answer };
  }
}

/** Erases a probe's request and response. Only the row in `_call` remains, which counts the call. */
export function eraseProbe(db: Database, callId: number): void {
  const references = values<number>(db, 'SELECT call_id FROM _answer WHERE same_as = ?', callId);
  answerTable(db).remove([...references, callId]);
  run(db, "UPDATE _call SET target = ?, reason = '', note = NULL WHERE call_id = ?", FORGOTTEN, callId);
}

/**
 * Renames the searches for a forgotten entity's names. Their listings remain, because they can contain other companies.
 */
export function eraseSearchesFor(db: Database, names: readonly string[]): void {
  const erased = new Set(names.map(folded));
  const searches = rows<{ key: string; text: string }>(db, 'SELECT query_key AS key, text FROM _query');
  for (const { key, text } of searches.filter((search) => erased.has(folded(search.text)))) {
    const substitute = `${FORGOTTEN} ${randomBytes(4).toString('hex')}`;
    const newKey = key.slice(0, key.length - text.length) + substitute;
    const rename = 'UPDATE _query SET query_key = ?, text = ?, next = NULL WHERE query_key = ?';
    run(db, rename, newKey, substitute, key);
    run(db, 'UPDATE _query_page SET query_key = ?, next = NULL WHERE query_key = ?', newKey, key);
    for (const table of ['_call', '_failure', '_quarantine'])
      db.prepare(
        `UPDATE ${table} SET target = @newKey || substr(target, length(@key) + 1)
         WHERE kind = 'search' AND (target = @key OR substr(target, 1, length(@key) + 1) = @key || '#')`,
      ).run({ key, newKey });
  }
}

/** Erases the messages that mention a forgotten entity. Messages can quote the upstream's responses. */
export function eraseMessages(db: Database, isMentioned: (message: string) => boolean): void {
  for (const [table, column, set = `${column} = ?`] of MESSAGES) {
    const messages = db.prepare<[], string>(`SELECT DISTINCT ${column} FROM ${table} WHERE ${column} <> ''`);
    const update = db.prepare(`UPDATE ${table} SET ${set} WHERE ${column} = ?`);
    for (const message of messages.pluck().all().filter(isMentioned)) update.run(FORGOTTEN, message);
  }
}

/** The columns with messages, or parts of them with the way to set them. */
const MESSAGES: readonly (readonly [table: string, column: string, set?: string])[] = [
  ['_call', 'note'],
  ['_query', 'note'],
  ['_failure', 'why'],
  ['_quarantine', 'reason'],
  ['_run', 'error'],
  ['_receiver', 'why'],
  ['_delivery', 'error'],
  ['_backfill', 'title'],
  ['_backfill_wish', 'note'],
  // The reason for a failed run in an undelivered digest.
  ['_delivery', "body ->> '$.data.health.why'", "body = json_set(body, '$.data.health.why', ?)"],
];

/** Returns the queries of backfills that are a part of one of these names. They can find other companies too. */
export function backfillQueriesIn(db: Database, names: readonly string[]): string[] {
  const given = values<string>(
    db,
    "SELECT DISTINCT given FROM _backfill_wish WHERE kind IN ('query', 'prefix', 'name')",
  );
  return given.filter((text) => names.some((name) => folded(name).includes(folded(text))));
}

/** Removes an entity from the items of backfills, and from the candidates for other items. */
function eraseFromBackfills(db: Database, entityId: string, names: readonly string[]): void {
  const erased = new Set(names.map(folded));
  const given = values<string>(db, "SELECT DISTINCT given FROM _backfill_wish WHERE kind <> 'entity'");
  const searches = given.filter((text) => erased.has(folded(text)));
  db.prepare(
    `UPDATE _backfill_wish
     SET state = 'forgotten', given = '${FORGOTTEN}', entity_id = NULL, name = NULL, candidates = NULL, note = NULL
     WHERE entity_id = @entityId OR given = @entityId OR given IN (SELECT value FROM json_each(@searches))`,
  ).run({ entityId, searches: JSON.stringify(searches) });
  db.prepare(
    `UPDATE _backfill_wish SET candidates = (
       SELECT json_group_array(json(value)) FROM json_each(candidates) WHERE value ->> '$.entity_id' <> @entityId
     ), note = NULL
     WHERE EXISTS (SELECT 1 FROM json_each(candidates) WHERE value ->> '$.entity_id' = @entityId)`,
  ).run({ entityId });
}

/** Replaces a stored response with one that no longer mentions the forgotten entity. */
export function redactAnswer(
  db: Database,
  callId: number,
  redacted: { body: Buffer; headers: string | null; redactedAt: string },
): void {
  answerTable(db).redact(callId, redacted);
  // A message quotes only the first characters of a response, and can break a name off.
  const note = value<string | null>(db, 'SELECT note FROM _call WHERE call_id = ?', callId);
  if (note) eraseMessages(db, (message) => message.includes(note));
}

function eraseAnswers(db: Database, entityId: string): void {
  const ofEntity = "WHERE kind = 'entity' AND target = ?";
  answerTable(db).remove(values(db, `SELECT call_id FROM _call ${ofEntity}`, entityId));
  run(db, `UPDATE _call SET note = NULL ${ofEntity}`, entityId);
}

/** Returns all tables whose rows each belong to one entity, child tables before their parents. */
function tablesWithEntities(db: Database): string[] {
  return values(
    db,
    `SELECT m.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
     WHERE m.type = 'table' AND c.name = 'entity_id' AND m.sql NOT LIKE 'CREATE VIRTUAL%'
       AND m.name NOT IN ('_forgotten', '_backfill_wish') AND m.name NOT GLOB 'entity_fts_*'
     ORDER BY length(m.name) DESC`,
  );
}
