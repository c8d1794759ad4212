import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { placeFor } from './probe.ts';

interface SmallReply {
  readonly status?: number;
  readonly body?: unknown;
}

/**
 * Starts an API that a function describes, and writes a configuration for it. Both are removed after the test. With
 * `counted`, the statistics report this number of companies, so that no search looks for more.
 */
export async function startRegistry(
  replyTo: (request: { readonly pathname: string; readonly params: URLSearchParams }) => SmallReply,
  counted: number | null = null,
) {
  let calls = 0;
  const server = createServer(({ url = '' }, response) => {
    calls += 1;
    const { pathname, searchParams: params } = new URL(url, 'http://host');
    const isCount = counted !== null && pathname === '/api/registry/stats';
    const { status = 200, body = {} } = isCount
      ? { body: { companies: { total: counted } } }
      : replyTo({ pathname, params });
    response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(body === null ? '' : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const place = placeFor(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api`, 'key');
  onTestFinished(async () => {
    place.remove();
    const isClosed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await isClosed;
  });
  return { place, calls: () => calls };
}
