import type { Database } from 'better-sqlite3';

/** Typical queries of analysts, for the mirror and for hand-made tables with the same columns and indexes. */
export const QUESTIONS: readonly { readonly question: string; readonly sql: (table: Tables) => string }[] = [
  {
    question: 'companies by status',
    sql: ({ entity }) => `SELECT status, count(*) FROM ${entity} GROUP BY status ORDER BY 2 DESC`,
  },
  {
    question: 'active companies founded per year',
    sql: ({ entity }) =>
      `SELECT substr(incorporated_on, 1, 4), count(*), sum(employees) FROM ${entity} WHERE status = 'active' GROUP BY 1 ORDER BY 1`,
  },
  {
    question: 'directors with the most companies',
    sql: ({ officers }) =>
      `SELECT name, count(*) FROM ${officers} WHERE role = 'director' GROUP BY name ORDER BY 2 DESC, 1 LIMIT 20`,
  },
  {
    question: 'officers of companies in one town',
    sql: ({ entity, officers }) =>
      `SELECT count(*) FROM ${entity} e JOIN ${officers} o ON o.entity_id = e.entity_id WHERE e.registered_address__locality = 'kalo'`,
  },
  {
    question: 'one company, by its number',
    sql: ({ entity }) => `SELECT * FROM ${entity} WHERE entity_id = '10004711'`,
  },
];

interface Tables {
  readonly entity: string;
  readonly officers: string;
}

export const MIRRORED: Tables = { entity: 'entity', officers: 'entity__officers' };
export const HANDMADE: Tables = { entity: 'hand.company', officers: 'hand.officer' };

/** Copies the companies into tables that a developer who knows the payload would design, with the same indexes. */
export function makeByHand(db: Database, path: string): void {
  db.exec(`ATTACH '${path}' AS hand`);
  db.exec('PRAGMA hand.journal_mode = OFF');
  const columns = db
    .prepare(
      "SELECT name, type FROM pragma_table_info('entity') WHERE substr(name, 1, 1) <> '_' AND name <> 'entity_id'",
    )
    .all() as { name: string; type: string }[];
  const names = columns.map(({ name }) => `"${name}"`).join(', ');
  db.exec(
    `CREATE TABLE hand.company (entity_id TEXT PRIMARY KEY NOT NULL, ${columns.map(({ name, type }) => `"${name}" ${type}`).join(', ')})`,
  );
  db.exec(`INSERT INTO hand.company SELECT entity_id, ${names} FROM entity`);
  db.exec(
    `CREATE TABLE hand.officer (entity_id TEXT NOT NULL, position INTEGER NOT NULL, name TEXT, role TEXT,
       appointed_on TEXT, nationality TEXT, birth_year INTEGER, PRIMARY KEY (entity_id, position)) WITHOUT ROWID`,
  );
  db.exec(
    'INSERT INTO hand.officer SELECT entity_id, position, name, role, appointed_on, nationality, birth_year FROM entity__officers',
  );
}
