import type { Database } from 'better-sqlite3';
import { isoTime } from '../clock.ts';
import { row, value, values } from '../sqlite/statements.ts';
import { answerTable } from './answer.ts';
import { metaTable } from './meta.ts';
import { rewrite } from './scrub.ts';

interface RetentionRules {
  /** How long replaced bodies are kept, in milliseconds. */
  readonly maxAgeMs: number;
  /** How many versions of each record are kept regardless of age; at least one. */
  readonly versions: number;
}

interface Pruned {
  readonly answers: number;
  readonly bytes: number;
}

/**
 * Deletes replaced bodies that are older than the rules permit: earlier versions of records, search pages and
 * statistics, and responses to failed calls. The last body for each record, page and statistics remains, and so does
 * every quarantined body. Rows and changes also remain, but rows that depend on deleted bodies can no longer be
 * rebuilt.
 */
export function pruneAnswers(db: Database, rules: RetentionRules, nowMs: number): Pruned {
  const before = isoTime(nowMs - rules.maxAgeMs);
  const pruned = db.transaction(() => choosePrunable(db, before, rules.versions)).immediate();
  // Transactions are small, so that no other writer waits for long. References are deleted before the bodies to which
  // they point.
  const answers = answerTable(db);
  for (const references of ['IS NOT NULL', 'IS NULL']) {
    const sql = `SELECT call_id FROM prunable JOIN _answer USING (call_id) WHERE same_as ${references} ORDER BY call_id`;
    const callIds = values<number>(db, sql);
    while (callIds.length > 0) db.transaction(() => answers.remove(callIds.splice(0, BATCH))).immediate();
  }
  db.exec('DROP TABLE prunable');
  return pruned;
}

/**
 * Returns how many bytes of the file hold responses that a later response has replaced. Compressed responses count with
 * their block's average compression.
 */
export function replacedBytes(db: Database): number {
  const measure = db.transaction(() => {
    keepAnswers(db, '9999', 1);
    const bytes = value<number>(
      db,
      `SELECT coalesce(sum(coalesce(body_bytes * length(content) / nullif(plain_bytes, 0), length(body))), 0)
       FROM _answer a LEFT JOIN _block USING (block_id)
       WHERE a.same_as IS NULL AND a.call_id NOT IN (SELECT call_id FROM kept)`,
    );
    db.exec('DROP TABLE kept');
    return bytes ?? 0;
  });
  return measure();
}

const BATCH = 5000;

function choosePrunable(db: Database, before: string, versions: number): Pruned {
  keepAnswers(db, before, versions);
  db.exec(
    `CREATE TEMP TABLE prunable AS
     SELECT call_id, coalesce(body_bytes, length(body)) AS bytes FROM _answer WHERE call_id NOT IN (SELECT call_id FROM kept)`,
  );
  db.exec('DROP TABLE kept');
  const sql = 'SELECT count(*) AS answers, coalesce(sum(bytes), 0) AS bytes FROM prunable';
  const pruned = row<Pruned>(db, sql) as Pruned;
  if (pruned.answers > 0) metaTable(db).set('pruned_until', before);
  return pruned;
}

/** Collects the ids of the responses to keep in the table `kept`. */
function keepAnswers(db: Database, before: string, versions: number): void {
  db.exec('CREATE TEMP TABLE kept (call_id INTEGER PRIMARY KEY)');
  for (const sql of KEPT) db.prepare(sql).run({ before, versions: Math.max(1, versions) });
  // A kept row can be a reference to an older body, which must then be kept too.
  db.exec(
    'INSERT OR IGNORE INTO kept SELECT same_as FROM _answer JOIN kept USING (call_id) WHERE same_as IS NOT NULL',
  );
}

const KEPT = [
  `INSERT OR IGNORE INTO kept
   SELECT a.call_id FROM _answer a JOIN _call c USING (call_id) WHERE c.sent_at >= @before`,
  `INSERT OR IGNORE INTO kept
   SELECT call_id FROM (
     SELECT call_id, row_number() OVER (PARTITION BY entity_id, is_tombstone ORDER BY call_id DESC) AS newest
     FROM _record_version
   ) WHERE newest <= @versions`,
  'INSERT OR IGNORE INTO kept SELECT _call_id FROM entity',
  'INSERT OR IGNORE INTO kept SELECT call_id FROM _query_page',
  'INSERT OR IGNORE INTO kept SELECT earlier_call FROM _query_page WHERE earlier_call IS NOT NULL',
  'INSERT OR IGNORE INTO kept SELECT max(_call_id) FROM registry_stats HAVING max(_call_id) IS NOT NULL',
  "INSERT OR IGNORE INTO kept SELECT call_id FROM _quarantine WHERE state = 'open'",
] as const;

/** Rewrites the file without its free pages, and updates the statistics for SQLite's query planner. */
export function vacuum(db: Database): void {
  rewrite(db);
  db.exec('ANALYZE');
  db.pragma('wal_checkpoint(TRUNCATE)');
}
