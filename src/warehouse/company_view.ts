import type { Database } from 'better-sqlite3';
import { refreshCompanyListViews } from './company_list_views.ts';
import { COMPANY_ROLES, type CompanyRole, columnOfRole, type PayloadColumn } from './company_role.ts';
import { quoted } from './quoted.ts';
import { settledMapping } from './settled_mapping.ts';
import { isoTimeOf } from './table.ts';

/** A role's payload columns, one in the record and one in the summary. */
export interface RoleColumns {
  readonly entity: PayloadColumn | null;
  readonly search_result: PayloadColumn | null;
}

/** Returns the payload columns that the view `company` reads. */
export function companyColumns(db: Database): Readonly<Record<CompanyRole, RoleColumns>> {
  const roles = settledMapping(db)?.company;
  const columns = (table: string) =>
    db
      .prepare<[string], PayloadColumn>(
        `SELECT column_name AS "column", path, types FROM _column
         WHERE table_name = ? AND column_name IS NOT NULL AND types <> '' ORDER BY path`,
      )
      .all(table);
  const [entity, summary] = [columns('entity'), columns('search_result')];
  return Object.fromEntries(
    COMPANY_ROLES.map((role) => {
      const configured = roles?.[role] ?? null;
      return [
        role,
        {
          entity: columnOfRole(role, entity, configured),
          search_result: columnOfRole(role, summary, configured),
        },
      ];
    }),
  ) as Record<CompanyRole, RoleColumns>;
}

/** Creates or recreates the view `company`, and the views of companies' lists, such as `company__officers`. */
export function refreshCompanyViews(db: Database): void {
  refreshCompanyView(db);
  refreshCompanyListViews(db);
}

/**
 * Creates the view `company`, or recreates it if its payload columns have changed. If the user created a view with this
 * name, it stays unchanged.
 */
function refreshCompanyView(db: Database): void {
  const present = db.prepare("SELECT sql FROM sqlite_schema WHERE name = 'company'").pluck().get() as
    | string
    | undefined;
  const sql = viewOf(companyColumns(db));
  if (present === sql || (present !== undefined && !present.startsWith(OWN_PREFIX))) return;
  db.transaction(() => {
    db.exec('DROP VIEW IF EXISTS company');
    db.exec(sql);
  })();
}

const OWN_PREFIX = 'CREATE VIEW company AS\nSELECT k.entity_id, k.name, ';

function viewOf(columns: Readonly<Record<CompanyRole, RoleColumns>>): string {
  const roles = COMPANY_ROLES.map((role) => `${expressionOf(columns[role])} AS ${role}`);
  return `${OWN_PREFIX}${roles.join(', ')}, ${isoTimeOf('k.fetched_at')} AS fetched_at
FROM _company k
LEFT JOIN "entity" e USING (entity_id)
LEFT JOIN "search_result" s USING (entity_id)
WHERE k.gone_at IS NULL`;
}

function expressionOf({ entity, search_result }: RoleColumns): string {
  const values = [
    ...(entity === null ? [] : [textOf('e', entity)]),
    ...(search_result === null ? [] : [textOf('s', search_result)]),
  ];
  return values.length === 2 ? `coalesce(${values.join(', ')})` : (values[0] ?? 'NULL');
}

/** Returns the SQL expression for the value as text. Times are shortened to dates. */
function textOf(table: 'e' | 's', { column, types }: PayloadColumn): string {
  const value = `${table}.${quoted(column)}`;
  return isDate(types) ? `substr(${value}, 1, 10)` : `CAST(${value} AS TEXT)`;
}

/** Returns whether all values of these types are dates or times. */
export function isDate(types: string): boolean {
  return types.split(' ').every((type) => type === 'date' || type === 'datetime');
}

/** The question that the demo answers. */
export const COMPANIES_BY_STATUS =
  'SELECT status, count(*) AS companies FROM company GROUP BY status ORDER BY companies DESC';

export interface StatusCount {
  readonly status: string | null;
  readonly companies: number;
}

export function companiesByStatus(db: Database): StatusCount[] {
  return db.prepare<[], StatusCount>(COMPANIES_BY_STATUS).all();
}
