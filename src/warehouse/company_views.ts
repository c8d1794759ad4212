import type { Database } from 'better-sqlite3';
import { quoted, rows, value, values } from '../sqlite/statements.ts';
import { COMPANY_ROLES, type CompanyRole, columnOfRole, isDate } from './payload_role.ts';
import { type PayloadColumn, payloadColumns } from './payload_table.ts';
import { settledMapping } from './settled_mapping.ts';
import { isoTimeOf } from './table.ts';

/**
 * Creates the view `company`, and a view such as `company__officers` for each list. Recreates a view if its columns have
 * changed. If the user created a view with one of these names, it stays unchanged.
 */
export function refreshCompanyViews(db: Database): void {
  const wanted = new Map([
    ['company', companyView(companyColumns(db))],
    ...companyLists(db).map((list) => [list.view, listView(db, list)] as const),
  ]);
  const existing = rows<{ name: string; sql: string }>(
    db,
    "SELECT name, sql FROM sqlite_schema WHERE name = 'company' OR name GLOB 'company__*'",
  );
  const kept = new Set(
    existing.filter(({ name, sql }) => !isOwn(name, sql) || wanted.get(name) === sql).map(({ name }) => name),
  );
  db.transaction(() => {
    for (const { name } of existing) if (!kept.has(name)) db.exec(`DROP VIEW ${quoted(name)}`);
    for (const [name, sql] of wanted) if (!kept.has(name)) db.exec(sql);
  })();
}

/** Returns whether this program created the view. */
function isOwn(name: string, sql: string): boolean {
  return sql.startsWith(
    name === 'company'
      ? `CREATE VIEW company AS\n${COMPANY_COLUMNS}`
      : `CREATE VIEW ${quoted(name)} AS\n${LIST_COLUMNS}`,
  );
}

const COMPANY_COLUMNS = 'SELECT k.entity_id, k.name, ';
const LIST_COLUMNS = 'SELECT l."entity_id", l."position", ';

/** A payload column that the view `company` reads. */
interface RoleColumn extends PayloadColumn {
  readonly table: 'entity' | 'search_result';
}

/** Returns the payload columns that the view `company` reads, at most one in the record and then one in the summary. */
export function companyColumns(db: Database): Readonly<Record<CompanyRole, readonly RoleColumn[]>> {
  const roles = settledMapping(db)?.company;
  const seen = (['entity', 'search_result'] as const).map((table) => ({
    table,
    columns: payloadColumns(db, table).filter(({ types }) => types !== ''),
  }));
  const columnsOf = (role: CompanyRole) =>
    seen.flatMap(({ table, columns }) => {
      const found = columnOfRole(role, columns, roles?.[role] ?? null);
      return found === null ? [] : [{ table, ...found }];
    });
  const columns = COMPANY_ROLES.map((role) => [role, columnsOf(role)]);
  return Object.fromEntries(columns) as Record<CompanyRole, RoleColumn[]>;
}

/** Returns the columns of the view `company` that are NULL in all rows, because no field was found for them. */
export function emptyCompanyColumns(db: Database): CompanyRole[] {
  if (value(db, 'SELECT 1 FROM _company LIMIT 1') === undefined) return [];
  const columns = companyColumns(db);
  return COMPANY_ROLES.filter((role) => columns[role].length === 0);
}

function companyView(columns: Readonly<Record<CompanyRole, readonly RoleColumn[]>>): string {
  const roles = COMPANY_ROLES.map((role) => {
    const texts = columns[role].map(textOf);
    return `${texts.length > 1 ? `coalesce(${texts.join(', ')})` : (texts[0] ?? 'NULL')} AS ${role}`;
  });
  return `CREATE VIEW company AS\n${COMPANY_COLUMNS}${roles.join(', ')}, ${isoTimeOf('k.fetched_at')} AS fetched_at
FROM _company k
LEFT JOIN "entity" e USING (entity_id)
LEFT JOIN "search_result" s USING (entity_id)
WHERE k.gone_at IS NULL`;
}

/** Returns the SQL expression for the value as text. Times are shortened to dates, and an empty text becomes NULL. */
function textOf({ table, column, types }: RoleColumn): string {
  const value = `${table === 'entity' ? 'e' : 's'}.${quoted(column)}`;
  return `nullif(${isDate(types) ? `substr(${value}, 1, 10)` : `CAST(${value} AS TEXT)`}, '')`;
}

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
  const tables = values<string>(
    db,
    `SELECT t.table_name FROM _table t JOIN sqlite_schema s ON s.type = 'table' AND s.name = t.table_name
     WHERE t.table_name GLOB 'entity__*' OR t.table_name GLOB 'search_result__*'`,
  );
  const existing = (table: string) => (tables.includes(table) ? table : null);
  const lists = new Set(tables.map((table) => table.replace(/^(entity|search_result)__/, '')));
  return [...lists].sort().map((list) => ({
    view: `company__${list}`,
    record: existing(`entity__${list}`),
    summary: existing(`search_result__${list}`),
  }));
}

function listView(db: Database, { view, record, summary }: CompanyList): string {
  // If records never contain the list, the summary's elements are also the best known ones of fetched companies.
  const isElsewhere = record === null ? "o.state <> 'gone'" : "o.state = 'listed'";
  const parts = [
    { table: record, source: 'record', condition: "o.state = 'fetched'" },
    { table: summary, source: 'summary', condition: isElsewhere },
  ].flatMap(({ table, ...part }) =>
    table === null ? [] : [{ table, names: columnNames(db, table), ...part }],
  );
  const payload = new Set(parts.flatMap(({ names }) => names).filter((name) => !OWN.includes(name)));
  const selects = parts.map(({ table, names, source, condition }) => {
    const values = [...payload].map((name) => `${names.includes(name) ? 'l.' : 'NULL AS '}${quoted(name)}`);
    return `${LIST_COLUMNS}${[...values, `'${source}' AS "_source"`, 'l."_call_id"'].join(', ')}
FROM ${quoted(table)} l JOIN entity_overview o USING (entity_id)
WHERE ${condition}`;
  });
  return `CREATE VIEW ${quoted(view)} AS\n${selects.join('\nUNION ALL\n')}`;
}

function columnNames(db: Database, table: string): string[] {
  return values(db, 'SELECT name FROM pragma_table_info(?)', table);
}

const OWN: readonly string[] = ['entity_id', 'position', '_call_id'];
