import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommanderError } from 'commander';
import { afterAll, expect, test } from 'vitest';
import sandboxCommand from '../../src/cli/sandbox.ts';
import { FailedError, UsageError } from '../../src/errors.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';

const folder = mkdtempSync(join(tmpdir(), 'sandbox-command-'));
afterAll(() => rmSync(folder, { recursive: true }));

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
