// The throughput's upper limit. It uses got alone, which requests the same pages and records from URLs known in
// advance, and discards the bodies.
import { readFileSync } from 'node:fs';
import http from 'node:http';
import got from 'got';
import { headers, order, recordUrl, report, searchUrl } from './order.js';

const ids = readFileSync(order.idsPath, 'utf8').split('\n');
const pages = Math.ceil(ids.length / 100);
const urls = [...Array.from({ length: pages }, (_, index) => searchUrl(index + 1)), ...ids.map(recordUrl)];

await report(async () => {
  const agent = { http: new http.Agent({ keepAlive: true, maxSockets: order.lanes }) };
  const client = got.extend({ headers, agent, retry: { limit: 0 }, responseType: 'buffer' });
  let next = 0;
  const connection = async () => {
    while (next < urls.length) await client(urls[next++]);
  };
  await Promise.all(Array.from({ length: order.lanes }, connection));
  agent.http.destroy();
  return { calls: urls.length, records: ids.length };
});
