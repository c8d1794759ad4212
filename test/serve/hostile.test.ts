import { createConnection, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Mirrored, openMirrored, type Served, serve } from '../support/served_mirror.ts';

const HOSTILE_NAME = `<script>alert(1)</script> ' OR 1=1; DROP TABLE entity; -- \u202Eevil\u0000 🏴‍☠️`;
// The words in the hostile name.
const INJECTION = "' OR '1'='1";
const HOSTILE_ID = `../../etc/passwd?x=%2F&y='"<`;

let mirror: Mirrored;
let served: Served;
beforeAll(async () => {
  mirror = await openMirrored({
    companies: [
      { id: '1', name: 'AND OR NOT NEAR Ltd', fields: {} },
      { id: '2', name: 'Star* "Quoted" Ltd', fields: {} },
      { id: HOSTILE_ID, name: HOSTILE_NAME, fields: { __proto__x: 1 } },
    ],
  });
  await mirror.sync();
  served = await serve(mirror);
});
afterAll(async () => {
  // No request causes an internal error, and the server still responds.
  expect((await served.ask('/api/entity/1')).status).toBe(200);
  expect(served.failures).toEqual([]);
  await served.close();
  await mirror.close();
});

describe('full-text syntax in a query', () => {
  test.each([
    'NEAR(a b, 1)',
    'name:x',
    '^qq',
    'a NOT b',
    '{a b}:c',
    INJECTION,
    "'; DROP TABLE _company; --",
    '%',
    '_',
    '\\',
    '\u0000',
    '\uFEFF',
    '\u202E',
    '((((((((((',
    '*'.repeat(1_999),
    '𐍈'.repeat(900),
  ])('full-text syntax such as %j is treated as text', async (text) => {
    const { status, json } = await search(text);
    if (text.trim() === '') expect({ status, json }).toMatchObject({ status: 400 });
    else expect({ status, json }).toMatchObject({ status: 200, json: { total: text === INJECTION ? 1 : 0 } });
  });
});

test('a hostile name and a hostile id are returned unchanged', async () => {
  expect((await search('drop table')).json).toMatchObject({
    results: [{ id: HOSTILE_ID, name: HOSTILE_NAME }],
  });
  const { status, json } = await served.ask(`/api/entity/${encodeURIComponent(HOSTILE_ID)}`);
  expect(status).toBe(200);
  expect(json).toMatchObject({ id: HOSTILE_ID, name: HOSTILE_NAME });
});

describe('a hostile path', () => {
  test.each([
    '/api/entity/%2e%2e%2f%2e%2e%2fetc%2fpasswd',
    '/api/entity/..%2F..%2Fdata%2Fwarehouse.db',
    '/api/entity/%00',
    '/api/entity/%ff%fe',
    '/api/entity/%',
    '/api/entity/%zz',
    '/api/entity/__proto__',
    '/api/entity/constructor',
    `/api/entity/${'a'.repeat(5_000)}`,
    '/api//entity/1',
    '/api/entity/1/',
    '/api/entity/1;x=y',
    '//etc/passwd',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/api/search/../entity/1',
  ])('the path %s is rejected or not found', async (path) => {
    const answer = await raw(
      `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${served.key}\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 (400|404) /);
    expect(answer).not.toMatch(/node_modules|\.ts:\d|SQLITE|Error:/);
  });
});

describe('a request that exceeds the limits', () => {
  test.each([
    ['a 64 KB query', `GET /api/search?q=${'a'.repeat(65_536)} HTTP/1.1\r\nHost: x\r\n\r\n`],
    [
      '500 headers',
      `GET /api/search HTTP/1.1\r\nHost: x\r\n${Array.from({ length: 500 }, (_, i) => `X-${i}: ${'y'.repeat(40)}\r\n`).join('')}\r\n`,
    ],
    ['a 100 KB header', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(100_000)}\r\n\r\n`],
  ])('a request is rejected with 431 because of %s', async (_what, request) => {
    expect(await raw(request)).toMatch(/^HTTP\/1\.1 431 /);
  });

  test.each([
    ['no HTTP', 'hello\r\n\r\n'],
    ['two lengths', 'GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'],
    [
      'both a Content-Length and chunks',
      'POST /api/search HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['no host', 'GET /api/search HTTP/1.1\r\n\r\n'],
    ['a control character in a header', 'GET / HTTP/1.1\r\nHost: x\r\nX: a\u0001b\r\n\r\n'],
  ])('a request is rejected with 400 because of %s', async (_what, request) => {
    expect(await raw(request)).toMatch(/^HTTP\/1\.1 400 /);
  });

  test('a request is rejected before its large body is read', async () => {
    const { status } = await served
      .ask('/api/search?q=a', { method: 'POST', body: 'x'.repeat(1_000_000) })
      .catch(() => ({ status: 0 }));
    expect([0, 405, 413]).toContain(status);
  });
});

test('a slow client and 5,000 idle connections do not delay other clients', async () => {
  const idle = await Promise.all(Array.from({ length: 5_000 }, () => connect()));
  const slow = await connect();
  slow.write('GET /api/entity/1 HTTP/1.1\r\nHost: x\r\n');
  const startedMs = performance.now();
  for (let i = 0; i < 20; i++) expect((await served.ask('/api/entity/1')).status).toBe(200);
  expect(performance.now() - startedMs).toBeLessThan(5_000);
  slow.write('X-Drip: 1\r\n');
  await sleep(10);
  expect(slow.destroyed).toBe(false);
  for (const socket of [...idle, slow]) socket.destroy();
});

const search = (text: string) => served.ask(`/api/search?q=${encodeURIComponent(text)}`);

function connect(): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ port: Number(new URL(served.service.url).port), host: '127.0.0.1' });
    socket.once('connect', () => resolve(socket));
    socket.once('error', reject);
  });
}

/** Sends raw bytes and returns everything that the server sends before it closes the connection. */
async function raw(bytes: string): Promise<string> {
  const socket = await connect();
  let received = '';
  socket.setEncoding('latin1').on('data', (text) => {
    received += text;
  });
  const ended = new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
    // The bytes received before a reset are a response too.
    socket.once('error', () => resolve());
  });
  socket.write(bytes);
  await ended;
  return received;
}
