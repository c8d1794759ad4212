import { zstdDecompressSync } from 'node:zlib';
import type { Database } from 'better-sqlite3';
import { folded } from '../names/folding.ts';
import { indexedText } from '../names/search_index_text.ts';

/**
 * Converts the content that an older version wrote. The file already has all current tables, columns and views. `applied`
 * are the numbers of the conversions that the file does not need.
 */
export function convertContent(db: Database, applied: ReadonlySet<number>): void {
  db.function('folded', { deterministic: true }, (text) => folded(String(text)));
  db.function('epoch_ms', { deterministic: true }, (text) =>
    text === null ? null : Date.parse(String(text)) || 0,
  );
  db.function('decompressed', (body) => zstdDecompressSync(body as Buffer));
  db.function('indexed_text', { deterministic: true }, (text) => indexedText(text as string | null));
  for (const { number, sql } of CONVERSIONS) if (!applied.has(number)) db.exec(sql);
}

/** The conversions, in order. Their numbers are in `_migration`, and once were those of schema versions. */
export const CONVERSIONS: readonly { readonly number: number; readonly sql: string }[] = [
  {
    // Times become integers. A time that cannot be read counts as 1970, because NULL would mean that it never happened.
    number: 450,
    sql: `
      INSERT INTO _company SELECT
        known_id, entity_id, name, former_names, identifiers,
        epoch_ms(first_seen_at), epoch_ms(listed_at), epoch_ms(asked_at), epoch_ms(fetched_at),
        epoch_ms(flagged_at), epoch_ms(missing_at), missing_shape, missing_run, missing_call,
        epoch_ms(gone_at), substr(summary_hash, 1, 8), changes, changing_days, steady_days,
        rate_class, record_added, record_version, record_touched, summary_added, summary_version, summary_touched
      FROM _known ORDER BY known_id;
      DROP TABLE _known;
      INSERT INTO _record_version (entity_id, call_id, ended_at, is_tombstone)
        SELECT entity_id, call_id, ended_at, is_tombstone FROM _version ORDER BY 1, 2;
      DROP TABLE _version;`,
  },
  {
    // For fields in lists, only a rebuild finds the columns.
    number: 310,
    sql: `
      UPDATE entity_change SET column_name = CASE path
        WHEN '_gone_at' THEN '_gone_at'
        ELSE (SELECT c.column_name FROM _column c WHERE c.table_name = 'entity' AND c.path = entity_change.path)
      END;`,
  },
  {
    // Changes have versions already. Each record and each summary gets 131,072 versions after them, because a response's
    // lists have at most 100,000 rows. The statistics and then the forgotten companies come last.
    number: 350,
    sql: `
      CREATE TEMP TABLE first AS SELECT coalesce(max(change_id), 0) AS version FROM entity_change;
      UPDATE _company SET
        record_version = iif(EXISTS (SELECT 1 FROM entity e WHERE e.entity_id = _company.entity_id),
          (SELECT version FROM first) + known_id * 2 * 131072, NULL),
        summary_version = iif(EXISTS (SELECT 1 FROM search_result s WHERE s.entity_id = _company.entity_id),
          (SELECT version FROM first) + (known_id * 2 + 1) * 131072, NULL);
      UPDATE _company SET record_added = record_version, summary_added = summary_version;
      UPDATE first SET version = version + (SELECT (max(known_id) + 1) * 2 * 131072 FROM _company)
        WHERE EXISTS (SELECT 1 FROM _company);
      INSERT INTO _feed_row (table_name, key, position, version, is_deleted)
        SELECT 'registry_stats', _call_id, 0, (SELECT version FROM first) + row_number() OVER (ORDER BY _call_id), 0
        FROM registry_stats;
      UPDATE first SET version = version + (SELECT count(*) FROM registry_stats);
      UPDATE _forgotten SET version = (SELECT version FROM first)
        + (SELECT count(*) FROM _forgotten f WHERE f.entity_id <= _forgotten.entity_id);
      UPDATE first SET version = version + (SELECT count(*) FROM _forgotten);
      INSERT INTO _meta (key, value) SELECT 'feed_version', version FROM first;
      INSERT INTO _feed_session (first_version, name) SELECT 1, lower(hex(randomblob(6))) FROM first WHERE version > 0;
      DROP TABLE first;`,
  },
  {
    // The form of the 404 for an unknown id is learned again, because it is stricter now.
    number: 400,
    sql: `
      UPDATE _query SET first_call = coalesce(
        (SELECT call_id FROM _query_page p WHERE p.query_key = _query.query_key AND p.page = 0), 0);
      DELETE FROM _meta WHERE key IN ('processed_until', 'absent_shape');`,
  },
  {
    // Only later bodies are moved to blocks. `compact` moves the earlier ones.
    number: 410,
    sql: "INSERT INTO _meta (key, value) SELECT 'packed_until', max(call_id) FROM _call;",
  },
  {
    // The id is not repeated among the identifiers. The indexes of names are filled again, because the full-text index is
    // empty now, and a killed run of schema 480 left names out.
    number: 530,
    sql: `
      DELETE FROM _name;
      INSERT INTO _name SELECT folded(name), known_id FROM _company WHERE name IS NOT NULL ORDER BY 1, 2;
      DELETE FROM _meta WHERE key = 'named_until';
      UPDATE _company SET identifiers = nullif(substr(identifiers, length(entity_id) + 2), '')
        WHERE identifiers = entity_id OR instr(identifiers, entity_id || char(10)) = 1;
      INSERT INTO entity_fts (rowid, name, identifiers, former_names, entity_id)
        SELECT known_id, indexed_text(name), indexed_text(identifiers), indexed_text(former_names), entity_id
        FROM _company ORDER BY known_id;`,
  },
  {
    // Bodies are compressed only in blocks. `compact` learns the sizes of earlier blocks by making them again.
    number: 556,
    sql: `
      UPDATE _answer SET body = decompressed(body), encoding = NULL WHERE encoding = 'zstd';
      DELETE FROM _meta WHERE key = 'compacted_until';`,
  },
  {
    // Each statement can be repeated. A request that never left the machine is no call, and a call is counted when its
    // response is processed. The planner counts words again when it needs them.
    number: 562,
    sql: `
      DELETE FROM _call WHERE outcome = 'unsent';
      DELETE FROM _call_day;
      INSERT INTO _call_day
        SELECT substr(sent_at, 1, 10), kind, outcome, count(*) FROM _call WHERE outcome <> 'received' GROUP BY 1, 2, 3;
      CREATE TABLE IF NOT EXISTS _change_estimate (class, state);
      INSERT OR REPLACE INTO _meta (key, value) SELECT 'change_estimates', state FROM _change_estimate;
      UPDATE _receiver SET delivered = delivered
        + (SELECT count(*) FROM _delivery WHERE receiver = name AND next_try_at IS NULL);
      DELETE FROM _delivery WHERE next_try_at IS NULL;
      DROP TABLE _change_estimate;
      DROP TABLE IF EXISTS _word;
      DROP TABLE IF EXISTS _word_set;
      DROP INDEX IF EXISTS _call_by_day;
      DROP INDEX IF EXISTS entity_change_by_call;
      DROP INDEX IF EXISTS _company_by_record_touched;
      DROP INDEX IF EXISTS _company_by_summary_version;
      DROP INDEX IF EXISTS _company_by_summary_touched;`,
  },
];
