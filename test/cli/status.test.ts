import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand, startCommand } from '../support/command.ts';
import { faulty } from '../support/faults.ts';
import { companies, type Mirrored, openMirrored } from '../support/served_mirror.ts';

const DAY_MS = 86_400_000;

let mirror: Mirrored;
let config: string;

beforeAll(async () => {
  let isRefused = false;
  mirror = await openMirrored({
    companies: companies(20),
    faults: faulty(() => (isRefused ? { kind: 'status', status: 401 } : null)),
  });
  await mirror.sync();
  isRefused = true;
  // Another call was rejected before, so the first rejection is confirmed.
  mirror.house.ledger.doubtKey('entity 1', 0, Date.now());
  await mirror.sync(100 * DAY_MS);
  config = mirror.configure({
    upstream: { base_url: mirror.sandbox.baseUrl, api_key: mirror.sandbox.keyOf('main') },
    account: { tier: 'paid' },
    allowance: { per_minute: 600, per_day: 1_000 },
  });
});
afterAll(() => mirror.close());

const status = (...args: string[]) => runCommand(['status', '--config', config, ...args]);

test('status reports a rejected key with a remedy', async () => {
  const { data } = (await startCommand(['status', '--config', config, '--json']).finished).json;
  expect(data.health).toMatchObject({ state: 'needs_you', problems: [{ name: 'key_refused' }] });
  expect((await status('--quiet')).stdout).toMatch(
    /^The upstream refused the key on .* UTC\. Correct `upstream\.api_key`/,
  );
});

test('the table of runs shows why each run ended, and omits the error, even in 60 columns', async () => {
  const { stdout } = await runCommand(['status', '--config', config], { columns: 60 });
  expect(stdout).toMatch(/ 2 +sync .* key refused +\d/);
});

test('status reports a rejected key, and plan expects one call a day, until another key is configured', async () => {
  const original = readFileSync(config, 'utf8');
  const shown = async (key: string) => {
    const text = original.replace(mirror.sandbox.keyOf('main'), key);
    writeFileSync(config, `${text}max_age: { stats: 1s, summaries: 1s, records: 1s }\n`);
    const { data } = (await status('--json')).json;
    const plan = (await startCommand(['plan', '--config', config]).finished).stdout;
    return { problems: data.health.problems.map(({ name }: { name: string }) => name), plan };
  };
  // The records are due a second after they were fetched.
  await setTimeout(1_000);
  const [refused, replaced] = [await shown(mirror.sandbox.keyOf('main')), await shown('another-key')];
  writeFileSync(config, original);
  expect(refused.problems).toEqual(['key_refused']);
  expect(refused.plan).toMatch(/finish +unknown until the key is accepted/);
  expect(refused.plan).toContain('next run   at most 1 call a day: the upstream refused the key');
  expect(replaced.problems).not.toContain('key_refused');
  expect(replaced.plan).toMatch(/next run +\d+/);
});

test('status --run shows how a run ended, its calls and its failed calls', async () => {
  const { data } = (await status('--run', '2', '--json')).json;
  expect(data).toMatchObject({ run_id: 2, command: 'sync', ended: 'unauthorised' });
  expect(data.calls_by_outcome).toContainEqual({ kind: 'stats', outcome: 'unauthorised', calls: 1 });
  expect(data.failed_calls).toContainEqual(
    expect.objectContaining({ kind: 'stats', outcome: 'unauthorised', status: 401 }),
  );
  expect((await status('--run', '1', '--json')).json.data).toMatchObject({ failed_calls: [] });
});

test('status and doctor report a disabled notification receiver', async () => {
  const { db } = mirror.house.warehouse;
  db.exec(
    `INSERT INTO _receiver (name, version, disabled_at, why) VALUES ('ops', 0, '2026-03-01', 'no response')`,
  );
  const command = ['/bin/true'];
  mirror.configure({
    notify: [
      { name: 'ops', command },
      { name: 'new', command },
    ],
  });
  const cause = 'The receiver ops is disabled and gets no notifications';
  const { data } = (await status('--json')).json;
  expect(data.health.problems).toContainEqual(expect.objectContaining({ cause: `${cause}.` }));
  const { json } = await runCommand(['doctor', '--config', config, '--json']);
  expect(json.data.findings).toContainEqual(expect.objectContaining({ what: cause }));
});

test('after one rejection of a key that has worked, backfill, sync and status all report it', async () => {
  let isRefused = false;
  const known = companies(3);
  const own = await openMirrored({
    companies: known,
    faults: faulty(() => (isRefused ? { kind: 'status', status: 401 } : null)),
  });
  await own.sync();
  const path = own.configure();
  isRefused = true;
  const run = async (...args: string[]) => {
    const { stdout, code } = await runCommand([...args, '--config', path]);
    return [code, /refused the key.*?\d\d:\d\d/.exec(stdout)?.[0] ?? stdout];
  };
  const refused = /refused the key(: it did so)? on .*\d\d:\d\d/;
  const id = known[0]?.id ?? '';
  const list = `${own.folder}/ids.txt`;
  writeFileSync(list, id);
  expect(await run('backfill', '--ids', list, '--again')).toEqual([1, expect.stringMatching(refused)]);
  expect(await run('sync')).toEqual([1, expect.stringMatching(refused)]);
  expect(await run('status')).toEqual([0, expect.stringMatching(refused)]);
  expect((await runCommand(['status', '--config', path])).stdout).not.toContain('by the upstream until');
  await own.close();
});
