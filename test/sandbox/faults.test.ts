import { connect } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { ask } from '../support/api_client.ts';
import { type Fault, faulty } from '../support/faults.ts';

const COMPANIES = [{ id: '1', name: 'Ångström', fields: { status: 'active' } }];
const RECORD = '{"id":"1","name":"Ångström","status":"active"}';

const opened: Sandbox[] = [];
afterEach(async () => {
  for (const sandbox of opened.splice(0)) await sandbox.close();
});

async function failing(fault: Fault): Promise<Sandbox> {
  const sandbox = await startSandbox({
    companies: COMPANIES,
    faults: faulty(({ kind }) => (kind === 'entity' ? fault : null)),
  });
  opened.push(sandbox);
  return sandbox;
}

interface Raw {
  readonly head: string;
  readonly body: Buffer;
  /** How the connection ended: the server closed or reset it, or it was still open when the test stopped reading. */
  readonly ended: 'closed' | 'reset' | 'open';
}

interface Reading {
  /** Closes the connection after this many milliseconds. */
  readonly openMs?: number;
  /** Closes the connection after this many bytes of the body have arrived. */
  readonly bodyBytes?: number;
}

/** Sends a request and returns the raw response and how the connection ended. */
function rawAnswer(
  sandbox: Sandbox,
  { openMs = 60_000, bodyBytes = Number.POSITIVE_INFINITY }: Reading = {},
): Promise<Raw> {
  return new Promise((resolve) => {
    const { hostname, port, host } = new URL(sandbox.url);
    const socket = connect(Number(port), hostname);
    let all = Buffer.alloc(0);
    const parts = () => {
      const border = all.indexOf('\r\n\r\n');
      const at = border === -1 ? all.length : border;
      return { head: all.toString('latin1', 0, at), body: all.subarray(at + 4) };
    };
    const finish = (ended: Raw['ended']) => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ ...parts(), ended });
    };
    const timer = setTimeout(() => finish('open'), openMs);
    socket.on('data', (chunk) => {
      all = Buffer.concat([all, chunk]);
      if (parts().body.length >= bodyBytes) finish('open');
    });
    socket.on('error', () => finish('reset'));
    socket.on('end', () => finish('closed'));
    const key = sandbox.keyOf('main');
    socket.write(
      `GET /api/entity/1 HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`,
    );
  });
}

describe('a fault in the response', () => {
  test.each<[Fault, number, string | RegExp, RegExp | null]>([
    [{ kind: 'status', status: 503, body: 'busy', headers: { 'retry-after': '7' } }, 503, 'busy', null],
    [{ kind: 'html' }, 200, /^<!DOCTYPE html>/, /text\/html/],
    [{ kind: 'empty' }, 200, '', /json/],
    [{ kind: 'not_json' }, 200, /^\{"results": \[,/, /json/],
    [{ kind: 'wrong_content_type' }, 200, RECORD, /text\/plain/],
    [{ kind: 'truncated', bytes: 10 }, 200, RECORD.slice(0, 10), /json/],
    [
      { kind: 'altered', body: (text) => text.replace('"id"', '"uid"') },
      200,
      RECORD.replace('"id"', '"uid"'),
      /json/,
    ],
    [{ kind: 'redirect', to: 'https://elsewhere.example/api' }, 302, '', null],
  ])('the sandbox responds with the fault %o', async (fault, status, body, type) => {
    const reply = await ask(await failing(fault), '/api/entity/1');
    expect(reply.status).toBe(status);
    if (typeof body === 'string') expect(reply.text).toBe(body);
    else expect(reply.text).toMatch(body);
    if (type !== null) expect(reply.headers.get('content-type')).toMatch(type);
    if (fault.kind === 'status') expect(reply.headers.get('retry-after')).toBe('7');
    if (fault.kind === 'redirect') expect(reply.headers.get('location')).toBe(fault.to);
  });

  test('a fault can put a byte order mark before the body', async () => {
    const { body } = await rawAnswer(await failing({ kind: 'bom' }));
    expect(body.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]));
    expect(body.subarray(3).toString()).toBe(RECORD);
  });

  test('a fault can put invalid UTF-8 into the body', async () => {
    const { body } = await rawAnswer(await failing({ kind: 'invalid_utf8' }));
    expect(() => new TextDecoder('utf-8', { fatal: true }).decode(body)).toThrow(TypeError);
  });
});

describe('a fault in the transmission', () => {
  test('a fault can reset the connection before any byte is sent', async () => {
    expect(await rawAnswer(await failing({ kind: 'reset_before_headers' }))).toMatchObject({
      head: '',
      ended: 'reset',
    });
  });

  test('a fault can reset the connection after the headers and part of the body', async () => {
    const raw = await rawAnswer(await failing({ kind: 'reset_after_headers', bytes: 5 }));
    expect(raw.head).toMatch(/^HTTP\/1.1 200 /);
    expect(raw.body.toString()).toBe(RECORD.slice(0, 5));
    expect(raw.ended).toBe('reset');
  });

  test('a fault can leave the connection open without sending a byte, and logs no status', async () => {
    const sandbox = await failing({ kind: 'hang' });
    const raw = await rawAnswer(sandbox, { openMs: 300 });
    expect(raw).toEqual({ head: '', body: Buffer.alloc(0), ended: 'open' });
    await expect
      .poll(() => sandbox.arrivals())
      .toMatchObject([{ kind: 'entity', status: null, fault: 'hang' }]);
  });

  test('a fault can delay a response that is otherwise correct', async () => {
    const sandbox = await failing({ kind: 'delay', ms: 120 });
    const startedMs = performance.now();
    expect((await ask(sandbox, '/api/entity/1')).text).toBe(RECORD);
    expect(performance.now() - startedMs).toBeGreaterThan(110);
  });

  test('a fault can send a body byte by byte', async () => {
    const raw = await rawAnswer(await failing({ kind: 'slow_drip', everyMs: 40 }), { bodyBytes: 3 });
    expect(raw.ended).toBe('open');
    expect(raw.head).toMatch(/content-length: 48/i);
    expect(raw.body.length).toBeGreaterThan(0);
    expect(raw.body.length).toBeLessThan(12);
  });

  test.each([10, -10])('a fault can make the Content-Length differ from the body by %i bytes', async (by) => {
    const raw = await rawAnswer(await failing({ kind: 'wrong_content_length', by }));
    expect(raw.head).toMatch(new RegExp(`content-length: ${48 + by}`, 'i'));
    expect(raw.body.toString()).toBe(RECORD);
    expect(raw.ended).toBe('closed');
  });

  test('a fault can send a huge body, which is valid JSON of the given size', async () => {
    const { text, json } = await ask(await failing({ kind: 'huge_body', bytes: 5_000_000 }), '/api/entity/1');
    expect(Buffer.byteLength(text)).toBe(5_000_000);
    // A regular expression can exceed the stack on a text of this size.
    const { padding } = json as { padding: string };
    expect([Object.keys(json as object), padding.trim()]).toEqual([['padding'], '']);
  });

  test('a fault can send a gzip bomb, which is small while compressed', async () => {
    const raw = await rawAnswer(await failing({ kind: 'gzip_bomb', bytes: 20_000_000 }));
    expect(raw.head).toMatch(/content-encoding: gzip/i);
    expect(raw.body.length).toBeLessThan(40_000);
    expect(gunzipSync(unchunked(raw.body)).length).toBe(20_000_000);
  });
});

test('a fault can depend on the request, and the arrival log names the fault', async () => {
  let asked = 0;
  const sandbox = await startSandbox({
    companies: COMPANIES,
    faults: faulty(() => (++asked % 2 === 0 ? { kind: 'status', status: 500 } : null)),
  });
  opened.push(sandbox);
  const statuses = [];
  for (let i = 0; i < 4; i++) statuses.push((await ask(sandbox, '/api/entity/1')).status);
  expect(statuses).toEqual([200, 500, 200, 500]);
  expect(sandbox.arrivals().map(({ fault }) => fault)).toEqual([null, 'status', null, 'status']);
});

test('a configured latency delays every response', async () => {
  const sandbox = await startSandbox({ companies: COMPANIES, latencyMs: 80 });
  opened.push(sandbox);
  const startedMs = performance.now();
  await ask(sandbox, '/api/registry/stats');
  expect(performance.now() - startedMs).toBeGreaterThan(75);
  expect(sandbox.arrivals()).toMatchObject([{ status: 200, fault: null }]);
});

/** Decodes a chunked body. */
function unchunked(body: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const line = body.indexOf('\r\n', at);
    const size = Number.parseInt(body.toString('latin1', at, line), 16);
    if (!(size > 0)) return Buffer.concat(parts);
    parts.push(body.subarray(line + 2, line + 2 + size));
    at = line + 2 + size + 2;
  }
}
