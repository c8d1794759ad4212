// A typical hand-written script with got, p-queue and better-sqlite3. It stores each record's body and two columns.
import http from 'node:http';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import got from 'got';
import PQueue from 'p-queue';
import { headers, order, recordUrl, report, searchUrl } from './order.js';

await report(async () => {
  const db = new Database(join(order.folder, 'script.db'));
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = NORMAL');
  db.exec('CREATE TABLE company (id TEXT PRIMARY KEY, name TEXT, body TEXT NOT NULL)');
  const insert = db.prepare(
    'INSERT INTO company (id, name, body) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET name = excluded.name, body = excluded.body',
  );
  const agent = { http: new http.Agent({ keepAlive: true, maxSockets: order.lanes }) };
  const client = got.extend({ headers, agent, retry: { limit: 0 } });
  const queue = new PQueue({ concurrency: order.lanes });
  let calls = 0;

  const search = async (page) => {
    calls += 1;
    const { total, results } = await client(searchUrl(page)).json();
    for (const { id } of results) queue.add(() => fetchRecord(id));
    return total;
  };
  const fetchRecord = async (id) => {
    calls += 1;
    const body = await client(recordUrl(id)).text();
    insert.run(id, JSON.parse(body).name, body);
  };

  const total = await queue.add(() => search(1));
  const pages = Math.ceil(total / 100);
  for (let page = 2; page <= pages; page++) queue.add(() => search(page), { priority: 1 });
  await queue.onIdle();
  const records = db.prepare('SELECT count(*) FROM company').pluck().get();
  db.close();
  agent.http.destroy();
  return { calls, records };
});
