import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import {
  brotliCompressSync,
  constants,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { Secret } from '../../src/config/secret.ts';
import type { SendSlot } from '../../src/fetch/fetch.ts';
import { SLOT_TOLERANCE_MS } from '../../src/fetch/rate_limiter.ts';
import { dialectOf, entityOf, searchDialect, searchFor } from '../support/dialect.ts';
import {
  API_KEY,
  answerWith,
  GOOD_RECORD,
  type Handler,
  listen,
  made,
  rigFor,
  rigOf,
  unreachable,
  upstreamOf,
} from '../support/fetch.ts';

const ENTITY = entityOf('42');
const spentBy = (rig: ReturnType<typeof rigOf>) => rig.ledger.state(Date.now()).spentEver;

/** A server that handles raw connections without HTTP. */
async function rawUpstream(onConnection: (socket: net.Socket) => void): Promise<string> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    onConnection(socket);
  });
  const port = await listen(server);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${port}/api`;
}

describe('one call', () => {
  test('a call sends one request with the key and spends one unit', async () => {
    const upstream = await upstreamOf(answerWith(200, GOOD_RECORD));
    const rig = rigFor(upstream);
    const startMs = Date.now();
    const outcome = made(await rig.make(ENTITY));
    expect(outcome).toMatchObject({
      call: ENTITY,
      status: 200,
      verdict: { is: 'ok', answer: { entityId: '42' } },
    });
    expect(outcome.body?.toString()).toBe(GOOD_RECORD);
    expect(Date.parse(outcome.sentAt)).toBeGreaterThanOrEqual(startMs);
    expect(upstream.arrivals).toMatchObject([{ url: '/api/entity/42', authorization: `Bearer ${API_KEY}` }]);
    expect(spentBy(rig)).toBe(1);
  });

  test.each([
    ['user-without-a-password', 'user-without-a-password:', []],
    ['user:long-password', 'user:long-password', ['long-password']],
  ])('a call sends %s with Basic authentication', async (key, sent, secrets) => {
    const received: (string | undefined)[] = [];
    const upstream = await upstreamOf((request, response, index) => {
      received.push(request.headers.authorization);
      answerWith(200, JSON.stringify({ id: '42', name: `heard ${key} and ${secrets}` }))(
        request,
        response,
        index,
      );
    });
    const credentials = { api_key: new Secret(key), key_header: 'Authorization: Basic {key:basic}' };
    const outcome = made(await rigFor(upstream, { credentials }).make(ENTITY));
    expect(received).toEqual([`Basic ${Buffer.from(sent).toString('base64')}`]);
    for (const secret of [key, ...secrets]) expect(String(outcome.body)).not.toContain(secret);
  });

  test('a call sends the key as a query parameter, which no outcome contains', async () => {
    const upstream = await upstreamOf((request, response, index) =>
      answerWith(200, JSON.stringify({ id: '42', self: request.url }))(request, response, index),
    );
    const credentials = { key_param: 'api_token' };
    const outcome = made(await rigFor(upstream, { credentials }).make(ENTITY));
    expect(upstream.arrivals).toMatchObject([
      { url: `/api/entity/42?api_token=${encodeURIComponent(API_KEY)}`, authorization: undefined },
    ]);
    expect(String(outcome.body)).toBe('{"id":"42","self":"/api/entity/42?api_token=[key]"}');
    expect(JSON.stringify(outcome)).not.toContain(API_KEY);
  });

  test('a short key is removed from a link that repeats it, and the link works', async () => {
    const paging = { style: 'next_url', next: '/next' };
    const upstream = await upstreamOf((request, response, index) =>
      answerWith(200, JSON.stringify({ results: [], next: `${request.url}&after=1` }))(
        request,
        response,
        index,
      ),
    );
    const rig = rigFor(upstream, {
      dialect: searchDialect({ paging }),
      credentials: { api_key: new Secret('a-1'), key_param: 'api_token' },
    });
    const first = made(await rig.make(searchFor('acme')));
    expect(String(first.body)).not.toContain('a-1');
    const next =
      first.verdict.is === 'ok' && first.verdict.answer.kind === 'search' ? first.verdict.answer.next : null;
    made(await rig.make(searchFor('acme', 'name', { index: 1, next })));
    const sent = upstream.arrivals.map(({ url }) =>
      Object.fromEntries(new URL(url, upstream.origin).searchParams),
    );
    expect(sent).toEqual([
      { ...sent[0], api_token: 'a-1' },
      { ...sent[0], api_token: 'a-1', after: '1' },
    ]);
  });

  test.each<[string, Handler]>([
    ['500', answerWith(500, '{}')],
    ['503 with Retry-After', answerWith(503, '', { 'retry-after': '0' })],
    ['429', answerWith(429, '')],
    ['408', answerWith(408, '')],
    ['404', answerWith(404, '')],
    ['301', answerWith(301, '', { location: '/api/entity/43' })],
    ['307', answerWith(307, '', { location: '/api/entity/43' })],
    ['HTML', answerWith(200, '<html>')],
    ['a connection reset before the headers', (request) => request.socket.resetAndDestroy()],
    ['a closed connection', (request) => request.socket.destroy()],
  ])('a call sends one request and spends one unit even if the response is %s', async (_what, handler) => {
    const upstream = await upstreamOf(handler);
    const rig = rigFor(upstream);
    made(await rig.make(ENTITY));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(upstream.arrivals).toHaveLength(1);
    expect(spentBy(rig)).toBe(1);
  });

  test("a call is counted at the upstream's time if the clock is days behind", async () => {
    const realMs = Date.now() + 3 * 86_400_000;
    const upstream = await upstreamOf(answerWith(200, GOOD_RECORD, { date: new Date(realMs).toUTCString() }));
    const rig = rigFor(upstream, { allowance: { perDay: 5 } });
    made(await rig.make(ENTITY));
    expect(rig.ledger.state(realMs).windows).toMatchObject([{ name: 'day', spent: 1 }]);
  });

  test('a call uses a new connection if the upstream closes each connection', async () => {
    const upstream = await upstreamOf(answerWith(200, GOOD_RECORD, { connection: 'close' }));
    const rig = rigFor(upstream);
    for (let call = 0; call < 5; call++) expect(made(await rig.make(ENTITY)).verdict.is).toBe('ok');
    expect(upstream.connections()).toBe(5);
  });
});

describe('a request that is never sent', () => {
  test('an unsent request costs nothing if the connection is refused', async () => {
    const server = net.createServer();
    const port = await listen(server);
    server.close();
    await once(server, 'close');
    const rig = rigOf({ baseUrl: `http://127.0.0.1:${port}/api` });
    expect(unreachable(await rig.make(ENTITY))).toMatch(/ECONNREFUSED/);
    expect(spentBy(rig)).toBe(0);
  });

  test('a request that misses its slot returns the unit and uses the next slot', async () => {
    const upstream = await upstreamOf(answerWith(200, GOOD_RECORD));
    let stalls = 2;
    const beforeSending = async () => {
      if (stalls-- > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
    };
    const rig = rigFor(upstream, { beforeSending });
    expect(made(await rig.make(ENTITY)).verdict.is).toBe('ok');
    expect(stalls).toBe(-1);
    expect(upstream.arrivals).toHaveLength(1);
    expect(spentBy(rig)).toBe(1);
  });

  test.each([
    [0, { status: 200 }, 1],
    [1, { why: null }, 0],
  ])('a request is sent at the end of its slot but not %d ms later', async (lateMs, result, arrivals) => {
    const upstream = await upstreamOf(answerWith(200, GOOD_RECORD));
    let setMs: number | null = null;
    const clock = { ...systemClock, now: () => setMs ?? Date.now() };
    const rig = rigFor(upstream, { clock });
    const [slot] = (await rig.fetch.slots(1, new AbortController().signal)) as [SendSlot];
    setMs = slot.atMs + SLOT_TOLERANCE_MS + lateMs;
    expect(await rig.fetch.attempt(ENTITY, slot)).toMatchObject({ call: ENTITY, ...result });
    expect([upstream.arrivals.length, rig.ledger.state(setMs).spentEver]).toEqual([arrivals, arrivals]);
  });

  test('a request is sent in a later slot if its connection is lost after the first slot is taken', async () => {
    let losses = 2;
    const server = http.createServer();
    const upstream = await upstreamOf(answerWith(200, GOOD_RECORD), server);
    const beforeSending = async () => {
      if (losses-- <= 0) return;
      server.closeAllConnections();
      await new Promise((resolve) => setTimeout(resolve, 50));
    };
    const rig = rigFor(upstream, { beforeSending });
    expect(made(await rig.make(ENTITY)).verdict.is).toBe('ok');
    expect([upstream.arrivals.length, upstream.connections(), spentBy(rig)]).toEqual([1, 3, 1]);
  });

  test('a request costs nothing if every connection is lost after its slot is taken', async () => {
    const server = http.createServer();
    const upstream = await upstreamOf(answerWith(200, GOOD_RECORD), server);
    const beforeSending = async () => {
      server.closeAllConnections();
      await new Promise((resolve) => setTimeout(resolve, 50));
    };
    const rig = rigFor(upstream, { beforeSending });
    expect(await rig.make(ENTITY)).toEqual({
      call: ENTITY,
      why: expect.stringMatching(/connection was lost/),
    });
    expect([upstream.arrivals.length, spentBy(rig)]).toEqual([0, 0]);
  });
});

describe('a request without a usable response', () => {
  test.each<[string, (socket: net.Socket) => void, RegExp, number | null]>([
    ['a connection reset before the headers', (socket) => socket.resetAndDestroy(), /ECONNRESET/, null],
    [
      'a connection reset after the headers',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{"id');
        setTimeout(() => socket.resetAndDestroy(), 20);
      },
      /ECONNRESET|aborted|CONTENT_LENGTH_MISMATCH/,
      200,
    ],
    [
      'a body that ends too early',
      (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{"id":"42"'),
      /ECONNRESET|aborted|CONTENT_LENGTH_MISMATCH/,
      200,
    ],
    [
      'a chunked body that ends too early',
      (socket) => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"id"\r\n'),
      /ECONNRESET|aborted|CONTENT_LENGTH_MISMATCH/,
      200,
    ],
    ['a response that hangs before the headers', () => {}, /no complete response in time/, null],
    [
      'a response that hangs after the headers',
      (socket) => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{'),
      /no complete response in time/,
      200,
    ],
    [
      'a slow drip',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n');
        const drip = setInterval(() => socket.write(' '), 20);
        socket.once('close', () => clearInterval(drip));
      },
      /no complete response in time/,
      200,
    ],
    ['text that is not HTTP', (socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'), /HPE_|Parse Error/, null],
  ])('a call is broken after %s, and its unit is spent', async (_what, respond, why, status) => {
    const baseUrl = await rawUpstream((socket) => void socket.once('data', () => respond(socket)));
    const rig = rigOf({ baseUrl, responseTimeoutMs: 300 });
    const startMs = Date.now();
    const outcome = made(await rig.make(ENTITY));
    const elapsedMs = Date.now() - startMs;
    expect(outcome).toMatchObject({
      status,
      verdict: { is: 'broken', why: expect.stringMatching(why) },
    });
    expect(outcome.durationMs).toBeGreaterThanOrEqual(0);
    expect(outcome.durationMs).toBeLessThanOrEqual(elapsedMs);
    expect(elapsedMs).toBeLessThan(10_000);
    expect(spentBy(rig)).toBe(1);
  });

  test('a broken call closes its connection, and the next call uses a new one', async () => {
    const upstream = await upstreamOf((request, response, index) =>
      index === 0
        ? void response.writeHead(200).write('{')
        : answerWith(200, GOOD_RECORD)(request, response, index),
    );
    const rig = rigFor(upstream, { responseTimeoutMs: 200 });
    expect(made(await rig.make(ENTITY)).verdict.is).toBe('broken');
    expect(made(await rig.make(ENTITY)).verdict.is).toBe('ok');
    expect(upstream.connections()).toBe(2);
  });

  test.each<[string, string]>([
    [
      'a body that is longer than its content-length',
      `HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n${GOOD_RECORD}`,
    ],
    [
      'a second response to one request',
      `HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n[]HTTP/1.1 200 OK\r\ncontent-length: ${GOOD_RECORD.length}\r\n\r\n${GOOD_RECORD}`,
    ],
  ])('the next call is not affected by %s', async (_what, bytes) => {
    let requests = 0;
    const baseUrl = await rawUpstream(
      (socket) =>
        void socket.on('data', () => {
          requests += 1;
          socket.write(requests === 1 ? bytes : `HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n`);
        }),
    );
    const rig = rigOf({ baseUrl });
    expect(made(await rig.make(ENTITY)).verdict.is).toBe('broken');
    expect(made(await rig.make(ENTITY)).verdict.is).toBe('absent');
    expect(requests).toBe(2);
  });
});

describe('a response body', () => {
  const big = JSON.stringify({ id: '42', name: 'A', pad: 'x'.repeat(5000) });
  test.each([
    ['gzip', gzipSync(big)],
    ['deflate', deflateSync(big)],
    ['br', brotliCompressSync(big)],
    ['zstd', zstdCompressSync(big)],
  ])('a response body is stored decompressed if its encoding is %s', async (encoding, bytes) => {
    const upstream = await upstreamOf(answerWith(200, bytes, { 'content-encoding': encoding }));
    const outcome = made(await rigFor(upstream).make(ENTITY));
    expect(outcome.verdict.is).toBe('ok');
    expect(outcome.body?.toString()).toBe(big);
  });

  test.each([
    ['gzip', {}, gzipSync(big)],
    ['deflate', {}, deflateSync(big)],
    ['gzip twice', { 'content-encoding': 'gzip' }, gzipSync(gzipSync(big))],
    ['gzip, although it names br', { 'content-encoding': 'br' }, gzipSync(big)],
    ['gzip without its trailer', { 'content-encoding': 'gzip' }, gzipSync(big).subarray(0, -8)],
    ['gzip before other bytes', {}, Buffer.concat([gzipSync(big), Buffer.from('\r\nNotice')])],
    ['raw deflate', { 'content-encoding': 'deflate' }, deflateRawSync(big)],
    ['none, although it names gzip', { 'content-encoding': 'gzip' }, Buffer.from(big)],
  ])(
    'a response body is decompressed if the header omits or mistakes the encoding: %s',
    async (_what, headers, bytes) => {
      const upstream = await upstreamOf(answerWith(200, bytes, headers));
      const outcome = made(await rigFor(upstream).make(ENTITY));
      expect(outcome.body?.toString()).toBe(big);
      const limited = rigFor(upstream, { maxBodyBytes: big.length - 1 });
      expect(made(await limited.make(ENTITY)).verdict).toMatchObject({
        why: expect.stringMatching(/larger than/),
      });
    },
  );

  test('the key is removed from a body that the upstream compressed without a header', async () => {
    const echo = gzipSync(JSON.stringify({ id: '42', name: 'A', sent: API_KEY }));
    const upstream = await upstreamOf(answerWith(200, echo));
    const outcome = made(await rigFor(upstream).make(ENTITY));
    expect(outcome.body?.toString()).toContain('"sent":"[key]"');
  });

  test('a body that only begins like compressed data is stored unchanged', async () => {
    for (const bytes of [Buffer.from([0x1f, 0x8b, 1, 2, 3]), Buffer.from('x\u009c{}', 'latin1')]) {
      const upstream = await upstreamOf(answerWith(200, bytes));
      const outcome = made(await rigFor(upstream).make(ENTITY));
      expect(outcome.body).toEqual(bytes);
    }
  });

  test.each([
    ['truncated', gzipSync(big).subarray(0, 60)],
    ['corrupt', Buffer.concat([gzipSync(big).subarray(0, 40), Buffer.alloc(20, 7)])],
    ['without a valid checksum', Buffer.concat([gzipSync(big).subarray(0, -8), Buffer.alloc(12, 7)])],
  ])('a response is broken if its compression is %s', async (_what, bytes) => {
    const upstream = await upstreamOf(answerWith(200, bytes, { 'content-encoding': 'gzip' }));
    const rig = rigFor(upstream);
    expect(made(await rig.make(ENTITY)).verdict.is).toBe('broken');
  });

  test.each<[string, Buffer, http.OutgoingHttpHeaders]>([
    ['plain', Buffer.from(big), {}],
    ['compressed', gzipSync(big, { level: 0 }), { 'content-encoding': 'gzip' }],
  ])('the first bytes of a %s response that is cut are kept', async (_what, bytes, headers) => {
    const upstream = await upstreamOf((_request, response) => {
      response.writeHead(200, { ...headers, 'content-length': bytes.length });
      response.write(bytes.subarray(0, 4000), () => setTimeout(() => response.socket?.resetAndDestroy(), 20));
    });
    const outcome = made(await rigFor(upstream).make(ENTITY));
    expect(outcome).toMatchObject({ status: 200, verdict: { is: 'broken' } });
    expect(outcome.failure).toMatch(/^only the first bytes of the response arrived \(/);
    const kept = outcome.body?.toString() ?? '';
    expect(kept.length).toBeGreaterThan(3900);
    expect(big.startsWith(kept)).toBe(true);
  });

  test.each<[string, http.OutgoingHttpHeaders, string | Buffer, string]>([
    ['whose last chunk is missing', {}, big, 'ok'],
    ['that is shorter than its Content-Length', { 'content-length': big.length + 9 }, big, 'ok'],
    ['whose last chunk is missing', { 'content-encoding': 'gzip' }, gzipSync(big), 'ok'],
    ['whose last chunk is missing', {}, '417', 'broken'],
    ['whose last chunk is missing', {}, '', 'broken'],
  ])('a response %s is read if it is a whole JSON object: %j', async (_what, headers, body, verdict) => {
    const upstream = await upstreamOf((_request, response) => {
      response.writeHead(200, headers).flushHeaders();
      response.write(body, () => setTimeout(() => response.socket?.end(), 20));
    });
    const rig = rigFor(upstream);
    expect(made(await rig.make(ENTITY)).verdict.is).toBe(verdict);
    expect(made(await rig.make(ENTITY)).verdict.is).toBe(verdict);
  });

  test('a response is broken if its body is larger than the limit', async () => {
    const upstream = await upstreamOf(answerWith(200, big));
    const fits = rigFor(upstream, { maxBodyBytes: big.length });
    const exceeds = rigFor(upstream, { maxBodyBytes: big.length - 1 });
    expect(made(await fits.make(ENTITY)).verdict.is).toBe('ok');
    expect(made(await exceeds.make(ENTITY))).toMatchObject({
      status: 200,
      body: Buffer.from(big).subarray(0, big.length - 1),
      verdict: {
        isLasting: true,
        why: `the body is larger than ${big.length - 1} bytes (upstream.max_body)`,
      },
    });
  });

  test.each([
    [50, { is: 'ok' }],
    [300, { is: 'broken', isLasting: true, why: 'the headers are larger than 262144 bytes' }],
  ])('%i KB of response headers are read, or fail once', async (kilobytes, verdict) => {
    const policies = Object.fromEntries(
      Array.from({ length: kilobytes }, (_, at) => [`x-policy-${at}`, 'p'.repeat(1000)]),
    );
    const upstream = await upstreamOf(answerWith(200, GOOD_RECORD, policies));
    const rig = rigFor(upstream);
    expect(made(await rig.make(ENTITY))).toMatchObject({ verdict });
  });

  test.each(['gzip', 'br'])('a %s bomb needs no more memory than the limit on the body', async (encoding) => {
    const zeros = Buffer.alloc(128 * 1024 * 1024);
    const fast = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
    const bomb = encoding === 'gzip' ? gzipSync(zeros) : brotliCompressSync(zeros, fast);
    const upstream = await upstreamOf(answerWith(200, bomb, { 'content-encoding': encoding }));
    const rig = rigFor(upstream, { maxBodyBytes: 1_000_000, responseTimeoutMs: 10_000 });
    let mostBytes = 0;
    const beforeBytes = process.memoryUsage().arrayBuffers;
    const watch = setInterval(() => {
      mostBytes = Math.max(mostBytes, process.memoryUsage().arrayBuffers - beforeBytes);
    }, 1);
    const { verdict } = made(await rig.make(ENTITY));
    clearInterval(watch);
    expect(verdict).toMatchObject({ is: 'broken', why: expect.stringMatching(/larger than/) });
    expect(mostBytes).toBeLessThan(30_000_000);
  });
});

describe('the key', () => {
  test("the key is not sent to a redirect's target", async () => {
    const other = await upstreamOf(answerWith(200, GOOD_RECORD));
    for (const status of [301, 302, 303, 307, 308]) {
      const upstream = await upstreamOf(
        answerWith(status, '', { location: `${other.origin}/api/entity/42` }),
      );
      const rig = rigFor(upstream);
      expect(made(await rig.make(ENTITY)).verdict).toMatchObject({
        is: status === 301 || status === 308 ? 'refused' : 'broken',
        why: expect.stringMatching(/redirects to/),
      });
      expect(upstream.arrivals).toHaveLength(1);
    }
    expect(other.arrivals).toHaveLength(0);
  });

  test('the key is removed from a response that repeats it', async () => {
    const forms = [API_KEY, API_KEY.replaceAll('/', '\\/'), encodeURIComponent(API_KEY)];
    for (const [status, form] of [401, 200, 500, 302].flatMap((code) =>
      forms.map((text) => [code, text] as const),
    )) {
      const body = `{"error":"the key ${form} is not known","name":"Bodø"}`;
      const upstream = await upstreamOf(
        answerWith(status, body, { location: `/login?key=${encodeURIComponent(form)}` }),
      );
      const outcome = made(await rigFor(upstream).make(ENTITY));
      const shown = JSON.stringify(outcome) + outcome.body?.toString();
      for (const text of [form, API_KEY, encodeURIComponent(API_KEY)]) expect(shown).not.toContain(text);
      expect(outcome.body?.toString()).toBe('{"error":"the key [key] is not known","name":"Bodø"}');
    }
  });

  test.each<[string, Handler, boolean]>([
    ['200', answerWith(200, GOOD_RECORD), true],
    ['404', answerWith(404, '{}'), true],
    ['410', answerWith(410, ''), true],
    ['500', answerWith(500, ''), false],
    ['429', answerWith(429, ''), false],
  ])('after status %s, the key counts as accepted: %3$s', async (status, handler, isAccepted) => {
    const upstream = await upstreamOf(handler);
    const rig = rigFor(upstream, { keyHasWorked: false });
    made(await rig.make(ENTITY));
    expect(rig.fetch.isKeyAccepted).toBe(isAccepted);
    // The next process trusts the key only after a successful call.
    expect(rig.ledger.keyState(`fingerprint of ${API_KEY.length}`).hasWorked).toBe(status === '200');
  });
});

describe('a limit that the upstream reports', () => {
  test("a limit that the upstream reports pauses all of the account's calls until the date in the response", async () => {
    const upstream = await upstreamOf(answerWith(429, '', { 'retry-after': '30' }));
    const rig = rigFor(upstream);
    const { verdict } = made(await rig.make(ENTITY));
    expect(verdict.is).toBe('throttled');
    const { pausedUntilMs } = rig.ledger.state(Date.now());
    expect(pausedUntilMs).toBe(verdict.is === 'throttled' ? verdict.untilMs : null);
    expect((pausedUntilMs ?? 0) - Date.now()).toBeGreaterThan(25_000);
  });

  test("calls pause if a successful response's rate headers report that no call is left", async () => {
    const upstream = await upstreamOf((request, response, index) =>
      answerWith(200, GOOD_RECORD, {
        'ratelimit-remaining': index === 0 ? '5' : '0',
        'ratelimit-reset': '30',
      })(request, response, index),
    );
    const rig = rigFor(upstream);
    expect(made(await rig.make(ENTITY)).verdict.is).toBe('ok');
    expect(rig.ledger.state(Date.now()).pausedUntilMs).toBeNull();
    expect(made(await rig.make(ENTITY)).verdict.is).toBe('ok');
    expect((rig.ledger.state(Date.now()).pausedUntilMs ?? 0) - Date.now()).toBeGreaterThan(25_000);
  });

  test('while the upstream throttles every call, the pause doubles up to 15 minutes', async () => {
    const upstream = await upstreamOf(answerWith(429, '', { 'retry-after': '0' }));
    let nowMs = Date.parse('2026-03-01T12:00:00Z');
    const clock = {
      now: () => nowMs,
      sleep: async (delayMs: number) => {
        nowMs += Math.max(delayMs, 1);
      },
    };
    const rig = rigFor(upstream, { clock });
    const waits: number[] = [];
    for (let call = 0; call < 13; call++) {
      let result = await rig.make(ENTITY);
      if ('because' in result && result.because.is === 'paused') {
        // The pause is longer than a run would wait, so the next run starts after it.
        expect(result.because.untilMs - nowMs).toBeGreaterThan(600_000);
        nowMs = result.because.untilMs;
        result = await rig.make(ENTITY);
      }
      const { verdict } = made(result);
      waits.push(verdict.is === 'throttled' ? (verdict.untilMs - nowMs) / 1000 : Number.NaN);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900]);
  });

  test('an exhausted allowance stops all calls', async () => {
    const upstream = await upstreamOf(answerWith(402, ''));
    const rig = rigFor(upstream, { allowance: { perDay: 100 } });
    expect(made(await rig.make(ENTITY)).verdict.is).toBe('exhausted');
    expect(await rig.make(ENTITY)).toMatchObject({ because: { is: 'spent', window: 'upstream' } });
    expect(upstream.arrivals).toHaveLength(1);
  });
});

describe('limits in responses', () => {
  const limits = [{ window: 'day', remaining: 'X-Calls-Left', limit: null, reset: '/quota/reset' }] as const;

  test('quotas reported in a header and in the body both limit further calls', async () => {
    const record = JSON.stringify({ ...JSON.parse(GOOD_RECORD), quota: { reset: 3600 } });
    const upstream = await upstreamOf(answerWith(200, record, { 'x-calls-left': '7' }));
    const dialect = { ...dialectOf(), limits: [...limits] };
    const rig = rigFor(upstream, { dialect });
    expect(made(await rig.make(ENTITY)).verdict.is).toBe('ok');
    await rig.fetch.reported();
    const { left, reported } = rig.ledger.state(Date.now());
    expect(left).toBe(7);
    expect((reported?.untilMs ?? 0) - Date.now()).toBeGreaterThan(3_500_000);
  });
});
