import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { CommanderError } from 'commander';
import { afterAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import sandboxCommand from '../../src/cli/sandbox.ts';
import { configFrom } from '../../src/config/load_config.ts';
import { FailedError, UsageError } from '../../src/errors.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';

const root = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'sandbox-command-'));
afterAll(() => rmSync(folder, { recursive: true }));

function run(...args: string[]): ChildProcess {
  return spawn(process.execPath, ['src/cli/bin.js', 'sandbox', ...args], { cwd: root });
}

/** Returns what the command has printed up to the end of the ready message. The command keeps running. */
async function ready(command: ChildProcess): Promise<string> {
  let text = '';
  for await (const chunk of command.stdout ?? []) {
    text += chunk;
    // The ready message ends with the dialect.
    if (text.endsWith('limits: []\n')) break;
  }
  return text;
}

async function stop(command: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  const ended = once(command, 'exit');
  command.kill(signal);
  const [code] = await ended;
  return code;
}

/** Returns the error that the command throws for the given arguments in this process. */
async function failed(...args: string[]): Promise<unknown> {
  const command = sandboxCommand()
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  return command.parseAsync(args, { from: 'user' }).then(
    () => null,
    (error: unknown) => error,
  );
}

const get = (url: string, key: string) => fetch(url, { headers: { authorization: `Bearer ${key}` } });

test('the sandbox prints a matching configuration, serves, logs requests and stops cleanly', async () => {
  const [arrivals, truth] = [join(folder, 'arrivals.jsonl'), join(folder, 'truth.jsonl')];
  const command = run('--total', '100', '--key', 'test-key', '--arrivals', arrivals, '--dump', truth);
  const text = await ready(command);
  expect(text).toMatch(
    /^# Sandbox ready: http:\/\/127\.0\.0\.1:\d+\/api {2}key test-key\n# 4,000 companies\./,
  );
  const configuration = parse(text);
  expect(configuration.allowance).toEqual({ per_minute: 10, total: 100 });
  expect(() => configFrom(configuration)).not.toThrow();

  const { base_url, api_key } = configuration.upstream;
  const statuses = [];
  for (let i = 0; i < 12; i++) statuses.push((await get(`${base_url}/registry/stats`, api_key)).status);
  expect(statuses).toEqual([...Array(10).fill(200), 429, 429]);
  expect(await stop(command, 'SIGINT')).toBe(0);

  const logged = readFileSync(arrivals, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(logged.map(({ status }) => status)).toEqual(statuses);
  expect(logged[0]).toMatchObject({
    account: 'main',
    kind: 'stats',
    method: 'GET',
    target: '/api/registry/stats',
  });
  const entities = readFileSync(truth, 'utf8').trim().split('\n');
  expect(entities).toHaveLength(4_000);
  expect(JSON.parse(entities[0] ?? '')).toMatchObject({ gone: false, document: { id: expect.any(String) } });
});

test.each<[string, string[], RegExp]>([
  ['no allowance on the free tier', [], /two.*--total 100.*--per-day 1000/],
  ['an allowance combined with --unlimited', ['--unlimited', '--total', '5'], /cannot be combined/],
  [
    'an unknown shape',
    ['--unlimited', '--shape', 'nonesuch'],
    /neither a preset nor a readable YAML file.*brreg/,
  ],
  ['a file that does not exist', ['--unlimited', '--data', 'missing.csv'], /missing\.csv cannot be read/],
  ['a log that is not writable', ['--unlimited', '--arrivals', '/nonexistent/a'], /cannot be written/],
  ['ids that are not numbers', ['--unlimited', '--shape', 'numbered'], /JSON numbers/],
])('%s is a usage error with a remedy', async (_what, args, message) => {
  const error = await failed(...args);
  expect(error).toBeInstanceOf(UsageError);
  expect(error instanceof UsageError && `${error.message} ${error.hint}`).toMatch(message);
});

test.each([
  ['--port', 'http'],
  ['--page-size', '0'],
  ['--where', 'no-value'],
  ['--tier', 'gold'],
])('%s %s is rejected', async (flag, value) => {
  expect(await failed('--unlimited', flag, value)).toBeInstanceOf(CommanderError);
});

test('if another process uses the port, the error names the port', async () => {
  const first = await startSandbox({ companies: [] });
  const error = await failed('--unlimited', '--port', new URL(first.url).port);
  expect(error).toBeInstanceOf(FailedError);
  expect(String(error)).toMatch(/cannot listen on 127\.0\.0\.1:\d+/);
  await first.close();
});
