import type { Database } from 'better-sqlite3';
import { FIRST_PROVISIONAL_ID } from '../change.ts';
import { metaTable } from '../meta.ts';
import { live, type Naming, shadow } from '../table_naming.ts';
import { lastVersion, startSession } from './versions.ts';

/**
 * Assigns change feed versions to a complete rebuild's rows before the shadow tables replace the live tables. Unchanged
 * rows keep their versions, changed rows get new ones, and deleted rows are recorded. The caller replaces the tables in
 * the same transaction.
 */
export function carryOverVersions(db: Database): void {
  const comparison = openComparison(db);
  db.exec(CREATE_CHANGED);
  db.exec(COPY_VERSIONS);
  for (const { part, root } of PARTS) {
    comparison.compare(root, part, ['entity_id']);
    for (const list of listsBelow(db, root))
      comparison.compare(list, `${part}_lists`, ['entity_id', 'position']);
  }
  comparison.compare('registry_stats', 'registry_stats', ['_call_id']);
  comparison.run(NOTE_OVERVIEWS);
  comparison.run(NOTE_DELETED_COMPANIES);
  for (const { part, root } of PARTS) {
    db.exec(clearMissing(part, root));
    comparison.take(assignWritten(part), VERSIONS_OF_COMPANY);
    for (const list of listsBelow(db, root, shadow)) comparison.noteGained(list, part);
  }
  for (const { part } of PARTS) comparison.take(assignTouched(part), 2);
  comparison.take(ASSIGN_OVERVIEWS, 2);
  comparison.take(ASSIGN_STATISTICS, 1);
  comparison.numberChanges();
  db.exec('DROP TABLE temp.feed_changed');
  comparison.save();
}

const PARTS = [
  { part: 'record', root: 'entity' },
  { part: 'summary', root: 'search_result' },
] as const;

type Part = (typeof PARTS)[number]['part'];

/**
 * The number of versions reserved for each company. This is always enough, because a response's lists have at most
 * 100,000 rows in total.
 */
const VERSIONS_OF_COMPANY = 131_072;
/** The maximum number of terms in one condition. SQLite limits an expression's depth to 1,000. */
const TERMS = 200;

const CREATE_CHANGED =
  'CREATE TEMP TABLE feed_changed (what TEXT, key TEXT, PRIMARY KEY (what, key)) WITHOUT ROWID';

const NEW_KNOWN = shadow('_known');

const COPY_VERSIONS = `
  UPDATE ${NEW_KNOWN} AS n
  SET record_added = o.record_added, record_version = o.record_version, record_touched = o.record_touched,
      summary_added = o.summary_added, summary_version = o.summary_version, summary_touched = o.summary_touched
  FROM _known o WHERE o.entity_id = n.entity_id`;

const NOTE_OVERVIEWS = `
  INSERT INTO temp.feed_changed (what, key)
  SELECT 'overview', n.entity_id FROM ${NEW_KNOWN} n LEFT JOIN _known o ON o.entity_id = n.entity_id
  WHERE o.entity_id IS NULL OR o.name IS NOT n.name OR o.first_seen_at IS NOT n.first_seen_at
    OR o.last_seen_at IS NOT n.last_seen_at OR o.fetched_at IS NOT n.fetched_at
    OR (o.gone_at IS NULL) <> (n.gone_at IS NULL)`;

const SAVE_ROW =
  'ON CONFLICT (table_name, key, position) DO UPDATE SET version = excluded.version, is_deleted = excluded.is_deleted';

const NOTE_DELETED_COMPANIES = `
  INSERT INTO _feed_row (table_name, key, position, version, is_deleted)
  SELECT 'entity_overview', o.entity_id, 0, @last + row_number() OVER (ORDER BY o.known_id), 1
  FROM _known o LEFT JOIN ${NEW_KNOWN} n ON n.entity_id = o.entity_id WHERE n.entity_id IS NULL ${SAVE_ROW}`;

function clearMissing(part: Part, root: string): string {
  return `UPDATE ${NEW_KNOWN} SET ${part}_added = NULL, ${part}_version = NULL
          WHERE ${part}_version IS NOT NULL AND entity_id NOT IN (SELECT entity_id FROM ${shadow(root)})`;
}

/**
 * Returns the SQL that assigns versions to new rows and to rows with changed lists. Each row gets enough versions for
 * itself and its lists.
 */
function assignWritten(part: Part): string {
  return `
    UPDATE ${NEW_KNOWN} AS n
    SET ${part}_version = @last + 1 + c.number * ${VERSIONS_OF_COMPANY}, ${part}_touched = NULL,
        ${part}_added = coalesce(${part}_added, @last + 1 + c.number * ${VERSIONS_OF_COMPANY})
    FROM (
      SELECT k.entity_id, row_number() OVER (ORDER BY k.known_id) - 1 AS number FROM ${NEW_KNOWN} k
      WHERE (k.${part}_version IS NULL AND ('${part}', k.entity_id) IN (SELECT what, key FROM temp.feed_changed))
         OR (k.${part}_version IS NOT NULL AND ('${part}_lists', k.entity_id) IN (SELECT what, key FROM temp.feed_changed))
    ) c
    WHERE c.entity_id = n.entity_id`;
}

/**
 * Returns the SQL that assigns two versions to changed rows with unchanged lists, just as a fetch without changes does.
 */
function assignTouched(part: Part): string {
  return `
    UPDATE ${NEW_KNOWN} AS n SET ${part}_touched = @last + 1 + c.number * 2
    FROM (
      SELECT k.entity_id, row_number() OVER (ORDER BY k.known_id) - 1 AS number
      FROM temp.feed_changed f JOIN ${NEW_KNOWN} k ON k.entity_id = f.key
      WHERE f.what = '${part}' AND k.${part}_version <= @before
    ) c
    WHERE c.entity_id = n.entity_id`;
}

const ASSIGN_OVERVIEWS = `
  UPDATE ${NEW_KNOWN} AS n SET record_touched = @last + 1 + c.number * 2
  FROM (
    SELECT k.entity_id, row_number() OVER (ORDER BY k.known_id) - 1 AS number
    FROM temp.feed_changed f JOIN ${NEW_KNOWN} k ON k.entity_id = f.key
    WHERE f.what = 'overview'
      AND max(coalesce(record_version, 0), coalesce(record_touched, 0), coalesce(summary_version, 0),
              coalesce(summary_touched, 0)) <= @before
  ) c
  WHERE c.entity_id = n.entity_id`;

const ASSIGN_STATISTICS = `
  INSERT INTO _feed_row (table_name, key, position, version, is_deleted)
  SELECT what, key, 0, @last + row_number() OVER (ORDER BY CAST(key AS INTEGER)), 0
  FROM temp.feed_changed WHERE what = 'registry_stats' ${SAVE_ROW}`;

/** Compares the live tables with their shadow tables and assigns versions to the differences. */
function openComparison(db: Database) {
  const before = lastVersion(db);
  let last = before;
  /** Runs a statement that takes `versions` consecutive versions for each row that it writes. */
  const take = (sql: string, versions: number): void => {
    last += db.prepare(sql).run({ last, before }).changes * versions;
  };
  return {
    take,
    run: (sql: string): void => take(sql, 1),
    /**
     * Collects the keys of new and changed rows, and records deleted rows. A column that exists in only one of the two
     * tables is compared with NULL.
     */
    compare(table: string, what: string, keys: readonly string[]): void {
      const old = columnsOf(db, live, table);
      const current = columnsOf(db, shadow, table);
      const on = keys.map((key) => `o.${key} = n.${key}`).join(' AND ');
      const first = keys[0];
      const position = keys[1] === undefined ? '0' : `o.${keys[1]}`;
      const both = current.size === 0 ? '' : `LEFT JOIN ${shadow(table)} n ON ${on} WHERE n.${first} IS NULL`;
      if (old.size > 0) {
        const deleted = `FROM ${live(table)} o ${both === '' ? 'WHERE true' : both}`;
        take(
          `INSERT INTO _feed_row (table_name, key, position, version, is_deleted)
           SELECT ${text(table)}, o.${first}, ${position}, @last + row_number() OVER (), 1 ${deleted} ${SAVE_ROW}`,
          1,
        );
        // Deleting a row from a list lowers the versions of the company's later list rows. A consumer that has applied
        // only some of the company's rows would then miss the later ones, so the company gets new versions.
        if (keys.length > 1)
          db.exec(
            `INSERT OR IGNORE INTO temp.feed_changed (what, key) SELECT ${text(what)}, o.${first} ${deleted}`,
          );
      }
      if (current.size === 0) return;
      for (const condition of old.size === 0 ? ['true'] : differences(old, current, `o.${first} IS NULL`))
        db.exec(
          `INSERT OR IGNORE INTO temp.feed_changed (what, key)
           SELECT ${text(what)}, n.${first} FROM ${shadow(table)} n
           ${old.size === 0 ? '' : `LEFT JOIN ${live(table)} o ON ${on}`} WHERE ${condition}`,
        );
    },
    /** Records list rows that were added to companies that already had a record (or summary). */
    noteGained(list: string, part: Part): void {
      const isNew = columnsOf(db, live, list).size === 0;
      db.prepare(
        `INSERT INTO _feed_row (table_name, key, position, version, is_deleted)
         SELECT ${text(list)}, n.entity_id, n.position, k.${part}_version, 0
         FROM ${shadow(list)} n JOIN ${NEW_KNOWN} k ON k.entity_id = n.entity_id
         ${isNew ? '' : `LEFT JOIN ${live(list)} o ON o.entity_id = n.entity_id AND o.position = n.position`}
         WHERE k.${part}_version > @before AND k.${part}_added <= @before ${isNew ? '' : 'AND o.entity_id IS NULL'}
         ${SAVE_ROW}`,
      ).run({ before });
    },
    /** Assigns ids to new rows of `entity_change` and records deleted rows. */
    numberChanges(): void {
      const changes = shadow('entity_change');
      take(
        `UPDATE ${changes} SET change_id = @last + 1 + change_id - ${FIRST_PROVISIONAL_ID}
         WHERE change_id >= ${FIRST_PROVISIONAL_ID}`,
        1,
      );
      last = Math.max(last, Number(db.prepare(`SELECT max(change_id) FROM ${changes}`).pluck().get() ?? 0));
      take(
        `INSERT INTO _feed_row (table_name, key, position, version, is_deleted)
         SELECT 'entity_change', change_id, 0, @last + row_number() OVER (ORDER BY change_id), 1
         FROM entity_change WHERE change_id NOT IN (SELECT change_id FROM ${changes}) ${SAVE_ROW}`,
        1,
      );
    },
    save(): void {
      if (last === before) return;
      startSession(db, before + 1);
      metaTable(db).set('feed_version', String(last));
    },
  };
}

function listsBelow(db: Database, root: string, ...namings: Naming[]): string[] {
  const names = (namings.length === 0 ? [live, shadow] : namings).flatMap(
    (naming) =>
      db
        .prepare(`SELECT table_name FROM ${naming('_table')} WHERE parent_table IS NOT NULL`)
        .pluck()
        .all() as string[],
  );
  return [...new Set(names)].filter((name) => name.startsWith(`${root}__`)).sort();
}

/** Returns a table's columns, or an empty set if the table does not exist. */
function columnsOf(db: Database, naming: Naming, table: string): Set<string> {
  const name = naming(table).slice(1, -1).replaceAll('""', '"');
  return new Set(db.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(name) as string[]);
}

/**
 * Returns SQL conditions. At least one of them is true for a changed row. The `+` removes the column's affinity, so
 * that the text "7" differs from the number 7.
 */
function differences(old: ReadonlySet<string>, current: ReadonlySet<string>, isNew: string): string[] {
  const terms = [...new Set([...old, ...current])].map((name) => {
    const column = live(name);
    if (!current.has(name)) return `o.${column} IS NOT NULL`;
    return old.has(name) ? `+o.${column} IS NOT +n.${column}` : `n.${column} IS NOT NULL`;
  });
  return Array.from({ length: Math.ceil(terms.length / TERMS) }, (_, at) =>
    [isNew, ...terms.slice(at * TERMS, (at + 1) * TERMS)].join(' OR '),
  );
}

function text(name: string): string {
  return `'${name.replaceAll("'", "''")}'`;
}
