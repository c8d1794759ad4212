import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { Clock } from '../../src/clock.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { faulty } from '../support/faults.ts';
import { type Place, placeFor, probeAt } from '../support/probe.ts';

const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

describe('a probe', () => {
  it('a probe asks the user for the address if every path returns HTML', async () => {
    const { place, arrivals } = await upstream((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html><title>Welcome</title></html>');
    });
    const { draft, questions } = await probeAt(place);
    expect(draft).toBeNull();
    expect(questions.map(({ about }) => about)).toEqual(['address']);
    expect(arrivals()).toBeLessThanOrEqual(8);
  });

  it.each([
    ['{"total": 3,}', 'text that is not valid JSON: {"total": 3,}'],
    ['<?xml version="1.0"?><total>3</total>', 'with XML'],
    ['', 'the body is empty'],
    [Buffer.from('{"name":"Å"}', 'latin1'), 'not valid text in its character set (default: UTF-8)'],
  ])('a probe describes the body %s', async (body, description) => {
    const { place } = await upstream((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    });
    const { questions } = await probeAt(place);
    expect(questions[0]?.text).toContain(description);
  });

  it('a probe says where a path is redirected to', async () => {
    const { place } = await upstream(({ url = '' }, response) => {
      response.writeHead(301, { location: url.replace(/(\?|$)/, '/$1') }).end();
    });
    const { questions } = await probeAt(place);
    expect(questions[0]?.text).toMatch(/: HTTP 301, redirected to \S+\/[?;)]/);
  });

  it('a probe learns the paths to which the API redirects, with the query and at the same origin', async () => {
    const companies = [31, 32, 33].map((id) => ({ id, name: `Company ${id}` }));
    const { place } = await upstream(({ url = '' }, response) => {
      const { pathname, search } = new URL(url, 'http://host');
      if (!pathname.endsWith('/'))
        return response.writeHead(301, { location: `${pathname}/${search}` }).end();
      const company = companies.find(({ id }) => pathname === `/api/entity/${id}/`);
      return json(response, company ?? { companies });
    });
    const { beliefs } = await probeAt(place);
    expect(beliefs.addresses.value).toMatchObject({ search: '/api/search/', entity: '/api/entity/{id}/' });
  });

  it('a probe reports that only searches return no JSON', async () => {
    const { place } = await upstream(({ url }, response) => {
      if (url?.includes('stats')) return json(response, { companies: 3 });
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"results":[NaN]}');
    });
    const { questions } = await probeAt(place);
    expect(questions[0]?.text).toMatch(/^The search does not return JSON .*NaN/);
  });

  it('a probe ends after one call if the upstream rejects the key', async () => {
    const { place, arrivals } = await upstream((_request, response) => {
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":"Invalid key"}');
    });
    const { run } = await probeAt(place);
    expect(run.ending.ended).toBe('unauthorised');
    expect(arrivals()).toBe(1);
  });

  it('a probe ends after at most three throttled calls and waits as long as Retry-After requests', async () => {
    const clock = skippingClock();
    const { place, arrivals } = await upstream((_request, response) => {
      response.writeHead(429, { 'retry-after': '30' }).end();
    });
    const { run, draft } = await probeAt(place, { clock });
    expect(draft).toBeNull();
    expect(run.ending.ended).not.toBe('failed');
    expect(arrivals()).toBeLessThanOrEqual(3);
    // A small part of the 30 seconds passes while the response is processed.
    expect(clock.sleptMs()).toBeGreaterThanOrEqual(29_000);
  });

  it('a probe spends no quota if the upstream is unreachable', async () => {
    const server = createServer();
    const address = await listening(server);
    await closed(server);
    const place = placeFor(`${address}/api`, 'key');
    closing.push(place.remove);
    const { run, draft } = await probeAt(place, { clock: skippingClock() });
    expect(draft).toBeNull();
    expect(run.totals.calls).toBe(0);
  });

  it('a probe asks the user for the query parameter if every query returns the same page', async () => {
    const rows = Array.from({ length: 20 }, (_, index) => ({
      id: `R${1000 + index}`,
      name: `${NAMES[index]} Holdings`,
    }));
    const { place, arrivals } = await upstream((request, response) => {
      const isSearch = (request.url ?? '').startsWith('/api/search');
      json(response, isSearch ? { total: 4000, results: rows } : { companies: { total: 4000 } });
    });
    const { draft, questions } = await probeAt(place);
    expect(draft).toBeNull();
    expect(questions.map(({ about }) => about)).toEqual(['query_param']);
    expect(arrivals()).toBeLessThanOrEqual(16);
  });

  it('a probe retries a request after a server error', async () => {
    let calls = 0;
    const sandbox = await startSandbox({
      faults: faulty(() => (calls++ % 3 === 1 ? { kind: 'status', status: 503 } : null)),
    });
    closing.push(() => sandbox.close());
    const place = placeFor(sandbox.baseUrl, sandbox.keyOf('main'));
    closing.push(place.remove);
    const { draft } = await probeAt(place, { clock: skippingClock() });
    expect(draft?.dialect.search).toMatchObject({ query_param: 'q', results: '/results', id: '/id' });
  });

  it.each([
    ['requires three letters', { dialect: { search: { min_length: 3 } } }, { min_length: 3 }],
    [
      'returns no rows for fewer than three letters',
      { dialect: { search: { min_length: 3 } }, search: { too_short: 'empty' } },
      { query_param: 'q' },
    ],
    [
      'refuses broad queries',
      { search: { broad_above: 300 } },
      { query_param: 'q', matches: 'token_prefix' },
    ],
    [
      'refuses unknown parameters',
      { search: { unknown_params: 'refuse' } },
      { query_param: 'q', results: '/results' },
    ],
  ] as const)('a probe finds the dialect of an upstream that %s', async (_behaviour, profile, expected) => {
    const sandbox = await startSandbox({ profile });
    closing.push(() => sandbox.close());
    const place = placeFor(sandbox.baseUrl, sandbox.keyOf('main'));
    closing.push(place.remove);
    const { draft, run } = await probeAt(place);
    expect(draft?.dialect.search).toMatchObject(expected);
    expect(run.totals.calls).toBeLessThanOrEqual(16);
  });

  it('a probe uses the query parameter that the user gives', async () => {
    const sandbox = await startSandbox({
      profile: {
        dialect: { search: { query_param: 'zoekterm', min_length: 3 } },
        search: { unknown_params: 'refuse' },
        errors: { body: 'empty' },
      },
    });
    closing.push(() => sandbox.close());
    const place = placeFor(sandbox.baseUrl, sandbox.keyOf('main'));
    closing.push(place.remove);
    const first = await probeAt(place);
    expect(first.draft).toBeNull();
    expect(first.questions.map(({ about }) => about)).toEqual(['query_param']);
    const second = await probeAt(place, { hints: { queryParam: 'zoekterm', examples: [] } });
    expect(second.draft?.dialect.search.query_param).toBe('zoekterm');
  });
});

describe('a probe whose guesses fail', () => {
  it('a probe whose guesses fail spends all its calls while no search returns rows', async () => {
    const sandbox = await startSandbox({
      profile: {
        dialect: { search: { query_param: 'zoekterm' } },
        search: { unknown_params: 'refuse' },
        errors: { body: 'empty' },
      },
    });
    closing.push(() => sandbox.close());
    const place = placeFor(sandbox.baseUrl, sandbox.keyOf('main'));
    closing.push(place.remove);
    const { exchanges } = await probeAt(place, { maxCalls: 12 });
    const guesses = exchanges.filter(({ request }) => request.kind === 'search');
    expect(exchanges).toHaveLength(12);
    expect(guesses.length).toBeGreaterThan(8);
  });

  it('a probe whose guesses fail uses the parameter name from an error message', async () => {
    const sandbox = await startSandbox({
      profile: { dialect: { search: { query_param: 'zoekterm' } }, search: { unknown_params: 'refuse' } },
    });
    closing.push(() => sandbox.close());
    const place = placeFor(sandbox.baseUrl, sandbox.keyOf('main'));
    closing.push(place.remove);
    const { draft } = await probeAt(place);
    expect(draft?.dialect.search.query_param).toBe('zoekterm');
  });
});

const NAMES = [...'ABCDEFGHIJKLMNOPQRST'].map((letter) => `${letter}${letter.toLowerCase()}rden`);

interface Upstream {
  readonly place: Place;
  arrivals(): number;
}

async function upstream(
  respond: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Upstream> {
  let arrivals = 0;
  const server = createServer((request, response) => {
    arrivals++;
    respond(request, response);
  });
  const address = await listening(server);
  const place = placeFor(`${address}/api`, 'key');
  closing.push(() => closed(server), place.remove);
  return { place, arrivals: () => arrivals };
}

function json(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** A clock that advances by each delay and never sleeps. */
function skippingClock(): Clock & { sleptMs(): number } {
  let sleptMs = 0;
  return {
    now: () => Date.now() + sleptMs,
    sleep: async (delayMs) => {
      sleptMs += Math.max(0, delayMs);
    },
    sleptMs: () => sleptMs,
  };
}
