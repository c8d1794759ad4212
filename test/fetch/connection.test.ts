import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { generate } from 'selfsigned';
import { describe, expect, onTestFinished, test } from 'vitest';
import { entityOf } from '../support/dialect.ts';
import {
  API_KEY,
  answerWith,
  GOOD_RECORD,
  listen,
  made,
  rigFor,
  rigOf,
  type Upstream,
  unreachable,
  upstreamOf,
} from '../support/fetch.ts';

const ENTITY = entityOf('42');
const spentBy = (rig: ReturnType<typeof rigOf>) => rig.ledger.state(Date.now()).spentEver;

interface SecureUpstream extends Upstream {
  readonly ca: string;
  /** The server name in each request's TLS handshake, or false if the handshake has none. */
  readonly serverNames: (string | false)[];
}

/** A server whose self-signed certificate covers the given names and addresses. */
async function secureUpstream(
  names: readonly string[],
  addresses: readonly string[] = [],
): Promise<SecureUpstream> {
  const { cert, key } = await certificateFor(names, addresses);
  const serverNames: (string | false)[] = [];
  const upstream = await upstreamOf(
    (request, response, index) => {
      serverNames.push((request.socket as unknown as { servername: string | false }).servername);
      answerWith(200, GOOD_RECORD)(request, response, index);
    },
    https.createServer({ key, cert }) as unknown as http.Server,
  );
  return { ...upstream, ca: cert, serverNames };
}

async function certificateFor(names: readonly string[], addresses: readonly string[] = []) {
  const { cert, private: key } = await generate([{ name: 'commonName', value: names[0] ?? 'test' }], {
    extensions: [
      { name: 'basicConstraints', cA: true },
      {
        name: 'subjectAltName',
        altNames: [
          ...names.map((value) => ({ type: 2 as const, value })),
          ...addresses.map((ip) => ({ type: 7 as const, ip })),
        ],
      },
    ],
  });
  return { cert, key };
}

describe('a TLS connection', () => {
  test('a TLS connection opens to a host if its certificate authority is configured', async () => {
    const { port, ca, arrivals, connections, serverNames } = await secureUpstream(['localhost']);
    const rig = rigOf({ baseUrl: `https://localhost:${port}/api`, connection: { ca } });
    for (let call = 0; call < 3; call++) expect(made(await rig.make(ENTITY)).verdict.is).toBe('ok');
    expect(serverNames).toEqual(['localhost', 'localhost', 'localhost']);
    expect([arrivals.length, connections(), spentBy(rig)]).toEqual([3, 1, 3]);
  });

  test('a TLS connection opens to an IP address if the certificate covers it', async () => {
    const { port, ca, serverNames } = await secureUpstream(['registry.example'], ['127.0.0.1']);
    const rig = rigOf({ baseUrl: `https://127.0.0.1:${port}/api`, connection: { ca } });
    expect(made(await rig.make(ENTITY)).verdict.is).toBe('ok');
    expect(serverNames).toEqual([false]);
  });

  test.each<[string, readonly string[], string, boolean, RegExp]>([
    ['the authority is unknown', ['localhost'], 'localhost', false, /self-signed certificate/],
    [
      'the certificate names another host',
      ['registry.example'],
      'localhost',
      true,
      /does not match|altnames/i,
    ],
    [
      'the certificate does not name the IP address',
      ['localhost'],
      '127.0.0.1',
      true,
      /does not match|altnames|not in the cert/i,
    ],
  ])(
    'a failed TLS handshake sends no request and costs nothing: %s',
    async (_what, names, host, isTrusted, why) => {
      const { port, ca, arrivals } = await secureUpstream(names);
      const rig = rigOf({
        baseUrl: `https://${host}:${port}/api`,
        connection: { ca: isTrusted ? ca : null },
      });
      expect(unreachable(await rig.make(ENTITY))).toMatch(why);
      expect([arrivals.length, spentBy(rig)]).toEqual([0, 0]);
    },
  );

  test('a call costs nothing if the server does not use TLS', async () => {
    const plain = await upstreamOf(answerWith(200, GOOD_RECORD));
    const rig = rigOf({ baseUrl: `https://127.0.0.1:${plain.port}/api` });
    expect(unreachable(await rig.make(ENTITY))).toMatch(/SSL|TLS|packet length|wrong version/i);
    expect(spentBy(rig)).toBe(0);
  });
});

interface Proxy {
  readonly url: URL;
  readonly tunnels: { readonly target: string; readonly credentials: string | undefined }[];
  /** All bytes that passed through the proxy. */
  readonly seen: Buffer[];
}

async function proxyOf(
  answer: (target: string) => string = () => '200 Connection established',
  server: http.Server = http.createServer((_request, response) => void response.writeHead(405).end()),
): Promise<Proxy> {
  const tunnels: Proxy['tunnels'] = [];
  const seen: Buffer[] = [];
  server.on('connect', (request, client: net.Socket) => {
    const target = request.url ?? '';
    tunnels.push({ target, credentials: request.headers['proxy-authorization'] });
    const status = answer(target);
    client.write(`HTTP/1.1 ${status}\r\n\r\n`);
    if (!status.startsWith('200')) return void client.end();
    const upstream = net.connect(Number(target.split(':').at(-1)), '127.0.0.1');
    client.on('data', (chunk) => seen.push(chunk));
    client.pipe(upstream).pipe(client);
    for (const socket of [client, upstream]) socket.on('error', () => socket.destroy());
  });
  const port = await listen(server);
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const scheme = 'setSecureContext' in server ? 'https' : 'http';
  return { url: new URL(`${scheme}://127.0.0.1:${port}`), tunnels, seen };
}

describe('a proxy', () => {
  test('a proxy can be reached over TLS', async () => {
    const { cert, key } = await certificateFor(['proxy.example'], ['127.0.0.1']);
    const upstream = await upstreamOf(answerWith(200, GOOD_RECORD));
    const proxy = await proxyOf(undefined, https.createServer({ key, cert }) as unknown as http.Server);
    const rig = rigFor(upstream, { connection: { ca: cert, proxy: proxy.url } });
    expect(made(await rig.make(ENTITY)).verdict.is).toBe('ok');
    expect(proxy.tunnels).toMatchObject([{ target: `127.0.0.1:${upstream.port}` }]);
  });

  test('a proxy carries many calls through one tunnel', async () => {
    const upstream = await upstreamOf(answerWith(200, GOOD_RECORD));
    const proxy = await proxyOf();
    const rig = rigFor(upstream, { connection: { proxy: proxy.url } });
    for (let call = 0; call < 3; call++) expect(made(await rig.make(ENTITY)).verdict.is).toBe('ok');
    expect(proxy.tunnels).toEqual([{ target: `127.0.0.1:${upstream.port}`, credentials: undefined }]);
    expect(upstream.arrivals).toHaveLength(3);
  });

  test('a proxy resolves the host name and never sees the key, which is sent over TLS', async () => {
    const { port, ca } = await secureUpstream(['registry.example']);
    const proxy = await proxyOf();
    const rig = rigOf({
      baseUrl: `https://registry.example:${port}/api`,
      connection: { ca, proxy: proxy.url },
    });
    expect(made(await rig.make(ENTITY)).verdict.is).toBe('ok');
    expect(proxy.tunnels).toMatchObject([{ target: `registry.example:${port}` }]);
    expect(Buffer.concat(proxy.seen).includes(API_KEY)).toBe(false);
  });

  test('a proxy receives its credentials', async () => {
    const upstream = await upstreamOf(answerWith(200, GOOD_RECORD));
    const proxy = await proxyOf();
    proxy.url.username = 'user';
    proxy.url.password = 'p@ss:word';
    made(await rigFor(upstream, { connection: { proxy: proxy.url } }).make(ENTITY));
    expect(proxy.tunnels[0]?.credentials).toBe(`Basic ${Buffer.from('user:p@ss:word').toString('base64')}`);
  });

  test.each(['407 Proxy Authentication Required', '403 Forbidden', '502 Bad Gateway'])(
    "a call costs nothing if the proxy returns %s, and the error does not contain the proxy's password",
    async (status) => {
      const upstream = await upstreamOf(answerWith(200, GOOD_RECORD));
      const proxy = await proxyOf(() => status);
      proxy.url.username = 'user';
      proxy.url.password = 'secret';
      const rig = rigFor(upstream, { connection: { proxy: proxy.url } });
      const why = unreachable(await rig.make(ENTITY));
      expect(why).toMatch(new RegExp(`refused the connection .* HTTP ${status.slice(0, 3)}`));
      expect(why).not.toContain('secret');
      expect([upstream.arrivals.length, spentBy(rig)]).toEqual([0, 0]);
    },
  );

  test('a call costs nothing if the proxy cannot be reached', async () => {
    const upstream = await upstreamOf(answerWith(200, GOOD_RECORD));
    const rig = rigFor(upstream, { connection: { proxy: new URL('http://127.0.0.1:1') } });
    expect(unreachable(await rig.make(ENTITY))).toMatch(/ECONNREFUSED/);
    expect([upstream.arrivals.length, spentBy(rig)]).toEqual([0, 0]);
  });
});

describe('an idle connection', () => {
  test('an idle connection that the upstream closes costs neither units nor slots', async () => {
    const server = http.createServer({ keepAliveTimeout: 1, keepAliveTimeoutBuffer: 0 });
    // With this header, Node omits the keep-alive hint that would tell the client the timeout.
    const upstream = await upstreamOf(answerWith(200, GOOD_RECORD, { connection: 'keep-alive' }), server);
    const perMinute = 240;
    const rig = rigFor(upstream, { allowance: { perMinute } });
    for (let call = 0; call < 8; call++) {
      expect(made(await rig.make(ENTITY)).verdict.is).toBe('ok');
      await expect.poll(() => rig.connections[0]?.isReady, { interval: 5 }).toBe(false);
    }
    expect(spentBy(rig)).toBe(8);
    const [first, last] = [upstream.arrivals[0], upstream.arrivals[7]];
    const slots = ((last?.atMs ?? 0) - (first?.atMs ?? 0)) / (61_000 / perMinute);
    expect(upstream.connections()).toBe(8);
    expect(slots).toBeLessThan(7.8);
  });

  test.each([
    ['before the first request', 0],
    ['after the first response', 1],
  ])('an idle connection is closed by a response %s, which no call requested', async (_, requests) => {
    const reply = `HTTP/1.1 200 OK\r\ncontent-length: ${GOOD_RECORD.length}\r\n\r\n${GOOD_RECORD}`;
    let seen = 0;
    const server = net.createServer((socket) => {
      socket
        .on('error', () => {})
        .on('data', () => {
          seen += 1;
          socket.write(
            seen === 1 && requests === 1 ? reply : 'HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n',
          );
        });
      sockets.push(socket);
    });
    const sockets: net.Socket[] = [];
    const port = await listen(server);
    onTestFinished(() => void server.close());
    // The connection must not be closed because it is idle for too long.
    const rig = rigOf({ baseUrl: `http://127.0.0.1:${port}/api`, connection: { maxIdleMs: 60_000 } });
    const [connection] = rig.connections;
    if (requests === 0) await connection?.connect();
    else expect(made(await rig.make(ENTITY)).verdict.is).toBe('ok');
    await expect.poll(() => sockets.length).toBe(1);
    sockets[0]?.write(reply);
    await expect.poll(() => connection?.isReady).toBe(false);
    expect(made(await rig.make(ENTITY)).verdict.is).toBe('absent');
    expect([seen, sockets.length]).toEqual([requests + 1, 2]);
  });

  test('an idle connection is replaced before the upstream closes it', async () => {
    const upstream = await upstreamOf(answerWith(200, GOOD_RECORD));
    const rig = rigFor(upstream, { connection: { maxIdleMs: 200 } });
    const [connection] = rig.connections;
    const isReady = () => connection?.isReady;
    made(await rig.make(ENTITY));
    await expect.poll(isReady).toBe(false);
    await connection?.connect();
    expect(isReady()).toBe(true);
    await expect.poll(isReady).toBe(false);
    made(await rig.make(ENTITY));
    // On a busy machine, a connection can also be idle too long before its call.
    expect(upstream.connections()).toBeGreaterThanOrEqual(3);
  });

  test('an idle connection is not confused with one that waits for a slow response', async () => {
    const upstream = await upstreamOf(
      (request, response, index) =>
        void setTimeout(() => answerWith(200, GOOD_RECORD)(request, response, index), index === 0 ? 0 : 300),
    );
    const rig = rigFor(upstream, { connection: { maxIdleMs: 50 } });
    for (let call = 0; call < 3; call++) expect(made(await rig.make(ENTITY)).verdict.is).toBe('ok');
    expect(upstream.arrivals).toHaveLength(3);
  });
});
