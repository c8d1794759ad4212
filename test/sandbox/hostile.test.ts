import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { ask } from '../support/api_client.ts';

const HOSTILE = [
  '<script>alert(1)</script>',
  "Robert'); DROP TABLE entity;--",
  '../../etc/passwd',
  'a\u0000b',
  '💥 "quotes" \\ backslash',
  '\u202Eright to left',
  '__proto__',
  'constructor',
  'x'.repeat(1_000_000),
];

let sandbox: Sandbox;
beforeAll(async () => {
  const companies = HOSTILE.map((name, index) => ({
    id: `id ${index}: ${name.slice(0, 40)}`,
    name,
    fields: { [name.slice(0, 40)]: name.slice(0, 40) },
  }));
  sandbox = await startSandbox({
    companies,
    profile: { dialect: { search: { matches: 'substring' } }, search: { echo: { '/asked': 'query' } } },
  });
});
afterAll(() => sandbox.close());

test('hostile names, ids and keys are returned unchanged', async () => {
  for (const [index, name] of HOSTILE.entries()) {
    const key = name.slice(0, 40);
    const { status, json } = await ask(sandbox, `/api/entity/${encodeURIComponent(`id ${index}: ${key}`)}`);
    expect(status).toBe(200);
    expect(json).toMatchObject({ id: `id ${index}: ${key}`, name });
    expect(Object.getOwnPropertyDescriptor(json, key)?.value).toBe(key);
  }
});

test('hostile queries are treated as text, even if the response repeats them', async () => {
  for (const text of [
    ...HOSTILE.slice(0, 8),
    '%',
    '_',
    '*',
    '"',
    'a AND b OR (',
    '@@items@@',
    '\u0001items\u0001',
  ]) {
    const { status, json } = await ask(sandbox, `/api/search?q=${encodeURIComponent(text)}`);
    expect(status).toBe(200);
    expect(json).toMatchObject({ asked: text });
  }
});

test.each([
  '/api/entity/%',
  '/api/entity/%E0%A4%A',
  '/api/entity/%00',
  '/api/entity/..%2f..%2fetc%2fpasswd',
  `/api/entity/${'a'.repeat(5_000)}`,
  '/api/search?q=%E0%A4%A',
  `/api/search?${'q=a&'.repeat(2_000)}`,
  '/api/search?__proto__[x]=1&constructor=2&q=a',
  '//api/search?q=a',
  '/api/../api/search?q=a',
  '/api/search;x=1?q=a',
])('a request for %s causes no internal error', async (path) => {
  const { status, text } = await rawGet(path);
  expect(status).toBeGreaterThanOrEqual(200);
  expect(status).toBeLessThan(500);
  expect(text).not.toMatch(/node_modules|\bat .*:\d+:\d+/);
});

test('requests that are invalid or too large are rejected', async () => {
  expect((await rawSend('nonsense\r\n\r\n')).status).toBe(400);
  expect((await rawSend(`GET /api/search?q=${'a'.repeat(70_000)} HTTP/1.1\r\nHost: x\r\n\r\n`)).status).toBe(
    431,
  );
  const flood = Array.from({ length: 3_000 }, (_, i) => `X-${i}: ${i}`).join('\r\n');
  expect((await rawSend(`GET / HTTP/1.1\r\nHost: x\r\n${flood}\r\n\r\n`)).status).toBe(431);
  expect((await rawSend('GET / HTTP/1.1\r\n\r\n')).status).toBe(400);
});

test('many idle connections do not block a request', async () => {
  const idle = await Promise.all(Array.from({ length: 500 }, opened));
  expect((await ask(sandbox, '/api/registry/stats')).status).toBe(200);
  for (const socket of idle) socket.destroy();
});

test('the sandbox still responds after all hostile requests', async () => {
  expect((await ask(sandbox, '/api/registry/stats')).json).toMatchObject({
    companies: { total: HOSTILE.length },
  });
});

function rawGet(path: string): Promise<{ status: number; text: string }> {
  return rawSend(
    `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${sandbox.keyOf('main')}\r\nConnection: close\r\n\r\n`,
  );
}

function rawSend(request: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const socket = connectToSandbox();
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('close', () => resolve({ status: Number(text.split(' ')[1]), text }));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // The server can close the connection before the whole request is sent.
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error);
    });
    socket.write(request);
  });
}

function opened(): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connectToSandbox();
    socket.once('connect', () => resolve(socket));
    socket.once('error', reject);
  });
}

function connectToSandbox(): Socket {
  const { hostname, port } = new URL(sandbox.url);
  return connect(Number(port), hostname);
}
