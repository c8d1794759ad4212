// A reader that keeps one transaction open. load.ts starts it as a separate process while the loader runs.
import Sqlite from 'better-sqlite3';

const [path = '', seconds = '60'] = process.argv.slice(2);
const db = new Sqlite(path, { readonly: true });
db.exec('BEGIN');
const first = db.prepare('SELECT count(*) FROM entity').pluck().get();
process.stdout.write('reading\n');
let longestMs = 0;
let queries = 0;
const until = Date.now() + Number(seconds) * 1000;
while (Date.now() < until) {
  const startedMs = performance.now();
  const now = db.prepare('SELECT count(*) FROM entity').pluck().get();
  longestMs = Math.max(longestMs, performance.now() - startedMs);
  queries += 1;
  if (now !== first) throw new Error(`the snapshot changed from ${first} to ${now} rows`);
  await new Promise((resolve) => setTimeout(resolve, 100));
}
db.exec('COMMIT');
db.close();
process.stdout.write(`${JSON.stringify({ queries, longestMs })}\n`);
