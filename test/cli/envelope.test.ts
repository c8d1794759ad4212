import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterEach, expect, it } from 'vitest';
import { atTerminal } from '../support/terminal.ts';
import { openUpstream, type Upstream } from '../support/upstream.ts';

const schema = JSON.parse(readFileSync(new URL('../../docs/output.schema.json', import.meta.url), 'utf8'));
const validate = new Ajv2020({ strictTypes: false }).compile(schema);

let upstream: Upstream | null = null;
afterEach(async () => {
  await upstream?.close();
  upstream = null;
});

/** The JSON document that a command prints without a terminal. It is checked against the published schema. */
async function documentOf(...args: string[]) {
  const { stdout } = await atTerminal([...args, '--json'], { columns: null });
  const document = JSON.parse(stdout);
  expect(validate(document), JSON.stringify(validate.errors)).toBe(true);
  return document;
}

it('success, failure and usage errors have the same output format, and `command` is the full command name', async () => {
  upstream = await openUpstream({});
  const config = ['--config', upstream.configPath];
  const named = async (...args: string[]) => {
    const { ok, command } = await documentOf(...args);
    return [ok, command];
  };
  expect(await named('sync', '--max-calls', '2', ...config)).toEqual([true, 'sync']);
  expect(await named('status', ...config)).toEqual([true, 'status']);
  expect(await named('doctor', ...config)).toEqual([expect.any(Boolean), 'doctor']);
  expect(await named('config', 'validate', ...config)).toEqual([true, 'config validate']);
  expect(await named('keys', 'create', 'reports', ...config)).toEqual([true, 'keys create']);
  expect(await named('keys', 'list', ...config)).toEqual([true, 'keys list']);
  expect(validate({ ok: true, command: 'keys list', data: {}, error: null })).toBe(false);
  expect(validate({ ok: true, command: 'status', data: [], error: null })).toBe(false);
  expect(await named('keys', 'revoke', 'none', ...config)).toEqual([false, 'keys revoke']);
  expect(await named('quarantine', 'show', '9', ...config)).toEqual([false, 'quarantine show']);
  expect(await named('probe', '--check', ...config)).toEqual([expect.any(Boolean), 'probe']);
  expect(await named('backfill', '--list', ...config)).toEqual([true, 'backfill']);
  expect(await named('notify', 'status', ...config)).toEqual([false, 'notify status']);
  expect(await named('worker', 'run', '--port')).toEqual([false, 'worker run']);
  expect(await documentOf('serve', '--port', '80000')).toEqual({
    ok: false,
    command: 'serve',
    data: null,
    error: {
      message: "option '--port <n>' argument '80000' is invalid. It must be a whole number from 0 to 65535.",
      hint: 'See: registry-mirror serve --help',
    },
  });
  expect(await documentOf()).toMatchObject({
    ok: false,
    command: '',
    error: { message: 'no command was given' },
  });
  expect(await documentOf('synk')).toMatchObject({ ok: false, command: '' });
});

it('the summary counts a record that was fetched again as fetched, and --verbose prints its call', async () => {
  upstream = await openUpstream({});
  const config = ['--config', upstream.configPath];
  const [{ id } = { id: '' }] = upstream.sandbox.companies.all();
  const list = join(upstream.folder, 'ids.txt');
  writeFileSync(list, id);
  const backfill = ['backfill', '--ids', list, '--again', ...config];
  expect((await documentOf(...backfill)).data.run).toMatchObject({ fetched: 1, changed: 0 });
  const { stdout, stderr } = await atTerminal(['-v', '--json', ...backfill], { columns: null });
  expect(JSON.parse(stdout).data.run).toMatchObject({ fetched: 1, changed: 0 });
  expect(stderr).toMatch(new RegExp(`record ${id}: ok \\(HTTP 200, `));
});
