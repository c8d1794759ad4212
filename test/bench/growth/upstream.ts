import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { FIRST_ID, recordBody, searchBody, statsBody } from './registry.ts';

/**
 * Serves the synthetic registry's statistics, searches and records in its own process, which ends with the benchmark.
 */
const companies = Number(process.argv[2]);
const server = http.createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://upstream');
  const body = answer(pathname, searchParams);
  response.writeHead(body === null ? 404 : 200, { 'content-type': 'application/json' }).end(body ?? '{}');
});

function answer(path: string, query: URLSearchParams): string | null {
  if (path === '/api/registry/stats') return statsBody(companies);
  if (path === '/api/search')
    return searchBody(companies, query.get('q') ?? '', Number(query.get('page') ?? 1) - 1);
  const id = Number(path.slice('/api/entity/'.length));
  return id >= FIRST_ID && id < FIRST_ID + companies ? recordBody(id) : null;
}

server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('disconnect', () => process.exit());
