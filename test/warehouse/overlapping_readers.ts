// Runs two readers, at least one of which is always in a transaction. wal.test.ts starts this process.
import { setTimeout } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';

const [path = ''] = process.argv.slice(2);
const readers = [0, 1].map(() => new Sqlite(path, { readonly: true }));
const begin = (reader: Sqlite.Database) => {
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM _meta').get();
};
let [current, next] = readers as [Sqlite.Database, Sqlite.Database];
begin(current);
process.stdout.write('reading\n');
for (;;) {
  begin(next);
  await setTimeout(2);
  current.exec('COMMIT');
  [current, next] = [next, current];
  await setTimeout(2);
}
