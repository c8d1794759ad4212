import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { askLimits } from '../../src/cli/init.ts';
import { Asker, readCount } from '../../src/cli/questions.ts';
import { DIALECT } from '../support/loader_dialect.ts';
import { atTerminal } from '../support/terminal.ts';

let folder: string;
let config: string;
let server: Server;
let calls: string[];
let respond: (response: ServerResponse) => void;

beforeEach(async () => {
  folder = mkdtempSync('/tmp/registry-mirror-');
  calls = [];
  server = createServer((request, response) => {
    calls.push(request.url ?? '');
    respond(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

function configure(allowance: object = { unlimited: true }): void {
  config = join(folder, 'registry-mirror.yaml');
  const { port } = server.address() as AddressInfo;
  const upstream = { base_url: `http://127.0.0.1:${port}/api`, api_key: 'a-key-of-a-test', concurrency: 1 };
  writeFileSync(
    config,
    stringify({
      version: 1,
      upstream,
      allowance: { per_minute: 'unlimited', ...allowance },
      dialect: DIALECT,
      warehouse: 'warehouse.db',
      ledger: 'ledger.db',
    }),
  );
}

async function printed(...args: string[]): Promise<{ code: number; text: string }> {
  const { code, text } = await atTerminal([...args, '--config', config], { columns: 80, noColor: '1' });
  const { port } = server.address() as AddressInfo;
  return { code, text: text.replaceAll(String(port), '#####').replaceAll(folder, '/tmp/folder') };
}

const html = (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'text/html' }).end('<!DOCTYPE html><html></html>');
const notFound = (response: ServerResponse) => response.writeHead(404).end('{"error":"not found"}');

it.each([
  ['HTML instead of JSON', html, 'html'],
  ['404 on every path', notFound, 'not-found'],
])(
  'the message about %s names the URL and the remedy, and only the first run spends two calls',
  async (_, reply, name) => {
    configure();
    respond = reply;
    const first = await printed('sync');
    expect({ code: first.code, calls: calls.length }).toEqual({ code: 1, calls: 2 });
    const second = await printed('sync');
    expect({ code: second.code, calls: calls.length }).toEqual({ code: 1, calls: 3 });
    await expect(`${first.text}\n${second.text}`).toMatchFileSnapshot(`snapshots/message-${name}.txt`);
  },
);

it('if every search is rejected, the message names the upstream, and the next run spends one call', async () => {
  configure();
  respond = (response) =>
    calls.at(-1)?.includes('stats')
      ? response.writeHead(200, { 'content-type': 'application/json' }).end('{"companies":5000}')
      : response.writeHead(400).end('{"error":"the parameter country is missing"}');
  const first = await printed('sync');
  expect({ code: first.code, calls: calls.length }).toEqual({ code: 1, calls: 6 });
  const second = await printed('sync');
  expect({ code: second.code, calls: calls.length }).toEqual({ code: 1, calls: 7 });
  const check = await printed('probe', '--check');
  const texts = [first.text, second.text, check.text];
  await expect(texts.join('\n')).toMatchFileSnapshot('snapshots/message-rejected.txt');
});

it('after a wrong base URL, the next run continues normally once a call succeeds', async () => {
  configure();
  respond = html;
  await printed('sync');
  respond = (response) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end('{"total":1,"results":[{"id":"C1","name":"A"}],"id":"C1","name":"A","n":1}');
  expect((await printed('sync')).text).toMatch(/1 new/);
});

it('sync reports a permanently exhausted quota once, even with --quiet, and a reached call limit by its name', async () => {
  configure({ total: 3 });
  respond = (response) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end('{"total":9,"results":[{"id":"C1","name":"A"}],"id":"C1","name":"A","n":1}');
  const limited = await printed('sync', '--max-calls', '1');
  const exhausted = await printed('sync', '--quiet');
  const again = await printed('sync', '--quiet');
  expect([limited.code, exhausted.code, again.code]).toEqual([0, 0, 0]);
  expect(again.text).toBe('');
  await expect(`${limited.text}\n${exhausted.text}`).toMatchFileSnapshot('snapshots/message-quota.txt');
});

/** Returns a function that asks questions on a narrow terminal. */
function terminalAsker() {
  const shown: string[] = [];
  const stderr = new PassThrough().on('data', (text) => shown.push(String(text)));
  Object.assign(stderr, { isTTY: true, columns: 40 });
  const input = new PassThrough();
  return { shown, input, asker: new Asker(input, { stderr: stderr as never }) };
}

it('several answers pasted together answer one question each', async () => {
  const { shown, input, asker } = terminalAsker();
  setImmediate(() => input.write('5\nno\n2\n'));
  expect(await asker.text('First?', readCount(0))).toBe(5);
  expect(await asker.yes('Second?', true)).toBe(false);
  const options = ['a', 'b'].map((value) => ({ label: value, value }));
  expect(await asker.choice('Third?', options)).toBe('b');
  setImmediate(() => input.write('1\nnonsense\n4\n'));
  expect(await asker.text('Fourth?', readCount(0))).toBe(1);
  expect(await asker.text('Fifth?', readCount(0))).toBe(4);
  expect(shown.join('')).toContain('Enter a whole number of at least 0.');
  setImmediate(() => input.end('6\n7\n'));
  expect(await asker.text('Sixth?', readCount(0))).toBe(6);
  expect(await asker.text('Seventh?', readCount(0))).toBe(7);
  await expect(asker.text('Eighth?', readCount(0))).rejects.toThrow('the input ended');
});

it('a choice accepts a number or the first word of one option', async () => {
  const { input, asker } = terminalAsker();
  const options = ['free (no sale)', 'paid', 'paid yearly'].map((value) => ({ label: value, value }));
  setImmediate(() => input.write('paid\nFree\n2\n'));
  // 'paid' begins two options.
  expect(await asker.choice('First?', options)).toBe('free (no sale)');
  expect(await asker.choice('Second?', options)).toBe('paid');
});

it.each([
  ['free', 1],
  ['paid', 0],
] as const)("on the %s tier, init mentions the free tier's two limits %s times", async (tier, times) => {
  const { shown, input, asker } = terminalAsker();
  setImmediate(() => input.write('only\n'));
  const none = { total: null, per_day: null, per_month: null, unlimited: false };
  expect(await askLimits(none, tier, asker)).toEqual({ ...none, unlimited: true });
  expect(shown.join('').split('1,000 calls').length - 1).toBe(times);
});

it('questions are wrapped between words', async () => {
  const { shown, input, asker } = terminalAsker();
  setImmediate(() => input.write('5\n'));
  const question = 'Calls that this account has already used, in total and with every key?';
  const answer = await asker.text(question, readCount(0), '0');
  asker[Symbol.dispose]();
  expect(answer).toBe(5);
  const lines = stripVTControlCharacters(shown.join('')).split(/[\r\n]+/);
  expect(lines.every((line) => line.length <= 40)).toBe(true);
  expect(lines[0]).toBe('Calls that this account has already');
});
