// The hand-written script at a limited rate, in which p-queue starts one request per interval.
import { join } from 'node:path';
import Database from 'better-sqlite3';
import got from 'got';
import PQueue from 'p-queue';
import { headers, order, recordUrl, searchUrl } from './order.js';
import { stretch } from './stretch.js';

const db = new Database(join(order.folder, 'script.db'));
db.pragma('journal_mode = WAL');
db.exec('CREATE TABLE company (id TEXT PRIMARY KEY, name TEXT, body TEXT NOT NULL)');
const insert = db.prepare(
  'INSERT INTO company (id, name, body) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET name = excluded.name, body = excluded.body',
);
const client = got.extend({ headers, retry: { limit: 0 } });
// The interval is the same as the mirror's, so both make the same number of calls.
const queue = new PQueue({
  concurrency: order.lanes,
  interval: 61_000 / order.perMinute,
  intervalCap: 1,
});
const progress = stretch(order);

const search = async () => {
  const { results } = await client(searchUrl(1)).json();
  progress.calls += 1;
  for (const { id } of results) queue.add(() => fetchRecord(id));
};
const fetchRecord = async (id) => {
  const body = await client(recordUrl(id)).text();
  insert.run(id, JSON.parse(body).name, body);
  progress.calls += 1;
  // Each finished call adds another one, so that the queue is never empty.
  queue.add(() => fetchRecord(id));
};
await queue.add(search);
