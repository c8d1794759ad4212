// Copies the change feed over HTTP into a SQLite file until it is killed. Each transaction writes one page and its
// cursor.
import Sqlite from 'better-sqlite3';
import { type JsonObject, parseJson, stringifyJson } from '../../../src/json/json.ts';

const [path = '', url = '', key = ''] = process.argv.slice(2);
const db = new Sqlite(path);
db.pragma('journal_mode = WAL');
db.exec(`CREATE TABLE IF NOT EXISTS copied (name TEXT, key TEXT, entity_id TEXT, body TEXT, PRIMARY KEY (name, key));
         CREATE TABLE IF NOT EXISTS position (id INTEGER PRIMARY KEY CHECK (id = 1), cursor TEXT NOT NULL);
         INSERT OR IGNORE INTO position VALUES (1, '0')`);
const cursor = db.prepare<[], string>('SELECT cursor FROM position').pluck();
const moveTo = db.prepare('UPDATE position SET cursor = ?');
const write = db.prepare('INSERT OR REPLACE INTO copied VALUES (?, ?, ?, ?)');
const remove = db.prepare('DELETE FROM copied WHERE name = ? AND key = ?');
const forget = db.prepare('DELETE FROM copied WHERE entity_id = ?');

interface Change {
  readonly op: string;
  readonly table: string;
  readonly key: { readonly entity_id?: string };
  readonly row?: JsonObject;
}

const apply = db.transaction((page: { cursor: string; changes: readonly Change[] }) => {
  for (const { op, table, key: id, row } of page.changes) {
    if (op === 'forget') forget.run(id.entity_id);
    else if (op === 'delete') remove.run(table, JSON.stringify(id));
    else write.run(table, JSON.stringify(id), row?.entity_id ?? null, stringifyJson(row ?? null));
  }
  moveTo.run(page.cursor);
});

for (;;) {
  const response = await fetch(`${url}/changes?since=${cursor.get()}&limit=50&wait=5`, {
    headers: { authorization: `Bearer ${key}` },
  });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  apply(parseJson(await response.text()) as unknown as { cursor: string; changes: Change[] });
}
