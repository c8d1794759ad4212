import type { Database } from 'better-sqlite3';
import { quoted } from './quoted.ts';

/** The tables that a view such as `company__officers` reads. At least one of them exists. */
export interface CompanyList {
  readonly view: string;
  /** The table made from the list in the record, such as `entity__officers`. */
  readonly record: string | null;
  /** The table made from the list in the summary, such as `search_result__officers`. */
  readonly summary: string | null;
}

/** Returns the lists that records or summaries contain, with the names of their views. */
export function companyLists(db: Database): CompanyList[] {
  const tables = db
    .prepare(
      `SELECT t.table_name FROM _table t JOIN sqlite_schema s ON s.type = 'table' AND s.name = t.table_name
       WHERE t.table_name LIKE 'entity\\_\\_%' ESCAPE '\\' OR t.table_name LIKE 'search\\_result\\_\\_%' ESCAPE '\\'`,
    )
    .pluck()
    .all() as string[];
  const existing = (table: string) => (tables.includes(table) ? table : null);
  const lists = new Set(tables.map((table) => table.replace(/^(entity|search_result)__/, '')));
  return [...lists].sort().map((list) => ({
    view: `company__${list}`,
    record: existing(`entity__${list}`),
    summary: existing(`search_result__${list}`),
  }));
}

/**
 * Creates a view such as `company__officers` for each list, and recreates it if its columns have changed. It has the
 * record's elements of companies with a record, and the summary's elements of the others. If the user created a view
 * with this name, it stays unchanged.
 */
export function refreshCompanyListViews(db: Database): void {
  const lists = companyLists(db);
  const wanted = new Map(lists.map((list) => [list.view, viewOf(db, list)]));
  const own = db
    .prepare("SELECT name, sql FROM sqlite_schema WHERE name LIKE 'company\\_\\_%' ESCAPE '\\'")
    .all() as { name: string; sql: string }[];
  const users = new Set(
    own.filter(({ name, sql }) => !sql.startsWith(prefixOf(name))).map(({ name }) => name),
  );
  db.transaction(() => {
    for (const { name, sql } of own)
      if (!users.has(name) && wanted.get(name) !== sql) db.exec(`DROP VIEW ${quoted(name)}`);
    for (const [name, sql] of wanted)
      if (!users.has(name) && !own.some((view) => view.name === name && view.sql === sql)) db.exec(sql);
  })();
}

function prefixOf(view: string): string {
  return `CREATE VIEW ${quoted(view)} AS\nSELECT l."entity_id", l."position", `;
}

function viewOf(db: Database, { view, record, summary }: CompanyList): string {
  const columns = [...new Set([record, summary].flatMap((table) => columnNames(db, table)))];
  const payload = columns.filter((name) => !OWN.includes(name));
  const selected = (table: string, source: string) => {
    const existing = columnNames(db, table);
    const values = payload.map((name) =>
      existing.includes(name) ? `l.${quoted(name)}` : `NULL AS ${quoted(name)}`,
    );
    return [...values, `'${source}' AS "_source"`, 'l."_call_id"'].join(', ');
  };
  // If records never contain the list, the summary's elements are also the best known ones of fetched companies.
  const isElsewhere = record === null ? "o.state <> 'gone'" : "o.state = 'listed'";
  const parts = [
    ...(record === null ? [] : [{ table: record, source: 'record', condition: "o.state = 'fetched'" }]),
    ...(summary === null ? [] : [{ table: summary, source: 'summary', condition: isElsewhere }]),
  ];
  const selects = parts.map(
    ({ table, source, condition }) =>
      `SELECT l."entity_id", l."position", ${selected(table, source)}
FROM ${quoted(table)} l JOIN entity_overview o USING (entity_id)
WHERE ${condition}`,
  );
  return `CREATE VIEW ${quoted(view)} AS\n${selects.join('\nUNION ALL\n')}`;
}

function columnNames(db: Database, table: string | null): string[] {
  return db.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(table) as string[];
}

const OWN: readonly string[] = ['entity_id', 'position', '_call_id'];
