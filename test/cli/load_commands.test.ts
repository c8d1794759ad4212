import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { runCommand, startCommand } from '../support/command.ts';
import { bench, START_MS, temporaryFolder } from '../support/loader.ts';
import { DIALECT } from '../support/loader_dialect.ts';

const WITHOUT_KEY = {
  upstream: { base_url: 'http://127.0.0.1:9/api', api_key: `\${env:KEY_THAT_IS_NOT_SET}` },
};

/** Returns a function that runs commands on a configured mirror with three companies. */
function configured(extra: object = {}) {
  const folder = temporaryFolder();
  const path = join(folder, 'warehouse.db');
  const warehouse = openWarehouse({ path, nowMs: START_MS });
  const { record, search } = bench({ warehouse });
  search('a', {
    total: 2,
    results: [
      { id: 'C1', name: 'A' },
      { id: 'C2', name: 'B' },
    ],
  });
  for (const n of [1, 2, 3]) record('C1', { id: 'C1', name: 'A', n });
  record('C2', { id: 'C2', name: '=B', n: 0 });
  warehouse.close();
  const config = {
    version: 1,
    upstream: { base_url: 'http://127.0.0.1:9/api', api_key: 'a-key-of-a-test' },
    allowance: { unlimited: true },
    dialect: DIALECT,
    warehouse: 'warehouse.db',
    ledger: 'ledger.db',
    ...extra,
  };
  writeFileSync(join(folder, 'registry-mirror.yaml'), JSON.stringify(config));
  const run = async (...args: string[]) => {
    const { code, said, json } = await runCommand([...args, '--json'], { cwd: folder });
    return { code, said, data: json?.data ?? null };
  };
  const ask = (sql: string) => {
    const reader = openWarehouse({ path, readonly: true, nowMs: START_MS });
    const rows = reader.db.prepare(sql).all();
    reader.close();
    return rows;
  };
  return { folder, path, run, ask };
}

test('export writes files and prints the next cursor', async () => {
  const { folder, run } = configured();
  const { code, data } = await run('export', '--tables', 'entity', '--safe-formulas', '--out', 'out');
  expect(code).toBe(0);
  expect(data).toMatchObject({
    folder: 'out',
    cursor: expect.stringMatching(/^\d+-/),
    files: [{ name: 'entity.csv', rows: 2 }],
  });
  expect(readFileSync(join(folder, 'out', 'entity.csv'), 'utf8')).toContain("'=B");
  const feed = (since: string) =>
    run('export', '--changes-since', since, '--tables', 'entity', '--format', 'jsonl', '--out', 'feed');
  expect((await feed('0')).data.files).toMatchObject([{ name: 'entity.jsonl', rows: 2 }]);
  const split = await run('export', '--tables', 'entity', '--rows-per-file', '1', '--out', 'split');
  expect(split.data.files).toMatchObject([{ name: 'entity-00000.csv' }, { name: 'entity-00001.csv' }]);
  // C1 was fetched in the second to fourth second of the first of March, and C2 in the fifth.
  for (const [at, rows] of [
    ['2026-02-28', 0],
    ['2026-03-01', 2],
    ['2026-03-01T00:00:01', 0],
    ['2026-03-01T00:00:04Z', 1],
    ['2026-03-01T01:00:04+01:00', 1],
  ] as const) {
    const { data: past } = await run('export', '--tables', 'entity', '--as-of', at, '--out', 'past');
    expect([at, past.files[0].rows]).toEqual([at, rows]);
  }
  expect((await feed(data.cursor)).data.files).toMatchObject([{ name: 'entity.jsonl', rows: 0 }]);
  expect(await feed('5-000000000000')).toMatchObject({
    code: 2,
    said: expect.stringContaining('start with'),
  });
  expect((await run('export', '--format', 'datasette', '--out', '.')).data).toEqual({
    file: 'metadata.yaml',
  });
  expect(await run('export', '--format', 'datasette', '--tables', 'entity')).toMatchObject({
    code: 2,
    said: expect.stringContaining('--tables does not work with --format datasette'),
  });
});

test('four simultaneous exports into one folder all succeed, and the manifest matches the files', async () => {
  const { folder } = configured();
  const exports = Array.from({ length: 4 }, () => startCommand(['export', '--out', 'out'], { cwd: folder }));
  const finished = await Promise.all(exports.map((command) => command.finished));
  expect(finished.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
  const out = join(folder, 'out');
  const { files } = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8'));
  for (const { name, sha256 } of files)
    expect(
      createHash('sha256')
        .update(readFileSync(join(out, name)))
        .digest('hex'),
    ).toBe(sha256);
  const described = ['datapackage.json', 'manifest.json'];
  const names = files.map(({ name }: { name: string }) => name);
  expect(readdirSync(out).sort()).toEqual([...names, ...described].sort());
});

test('the quarantine names the request, or the position of the item in its list', async () => {
  const { folder, path, run } = configured();
  const warehouse = openWarehouse({ path, nowMs: START_MS });
  const { record, search, stats } = bench({ warehouse });
  stats('unreadable');
  record('C9', 'unreadable');
  search('b', 'unreadable');
  search('c', { total: 3, results: [{ id: 'C1' }, { id: {} }, { id: 'C2' }] });
  warehouse.close();
  const { entries } = (await run('quarantine', 'list')).data;
  const { stdout } = await runCommand(['quarantine', 'list'], { cwd: folder, columns: 200 });
  const named = [
    ['search', 'name:c', 1, 'search name:c, item 2 '],
    ['search', 'name:b', null, 'search name:b '],
    ['entity', 'C9', null, 'record C9 '],
    ['stats', '', null, 'statistics '],
  ] as const;
  expect(entries).toMatchObject(named.map(([kind, target, position]) => ({ kind, target, position })));
  for (const [at, [, , , request]] of named.entries()) {
    expect(stdout).toContain(request);
    const { number } = entries[at];
    const shown = await runCommand(['quarantine', 'show', String(number)], { cwd: folder, columns: 200 });
    expect(`${shown.stdout.replaceAll('\n', ' ')} `).toContain(request);
  }
});

test('reprocess applies a changed mapping', async () => {
  const { run, ask } = configured({ mapping: { entity: { '/n': { column: 'number' } } } });
  expect(await run('reprocess')).toMatchObject({ code: 0, data: { ended: 'done', calls: 5 } });
  expect(ask('SELECT number FROM entity ORDER BY entity_id')).toEqual([{ number: 3 }, { number: 0 }]);
  expect(ask("SELECT ended FROM _run WHERE command = 'reprocess'")).toEqual([{ ended: 'done' }]);
});

test('reprocess warns if no response contains a path of the mapping', async () => {
  const { folder } = configured({ mapping: { company: { status: '/phasee' } } });
  expect((await runCommand(['reprocess'], { cwd: folder, columns: 200 })).stdout).toContain(
    'Warning: no response contains /phasee, which is `mapping.company.status`.',
  );
});

test('forget erases a company only after confirmation', async () => {
  const { run, ask } = configured();
  expect(await run('forget', 'C1')).toMatchObject({ code: 2, said: expect.stringContaining('--yes') });
  expect(ask('SELECT count(*) AS n FROM entity')).toEqual([{ n: 2 }]);
  expect(await run('forget', 'C1', '--yes')).toMatchObject({
    code: 0,
    data: { forgotten: [{ entity_id: 'C1', answers: 1 }] },
  });
  expect(ask('SELECT entity_id FROM _company')).toEqual([{ entity_id: 'C2' }]);
});

test('forget leaves the data only in exports and backups, and says so', async () => {
  const { folder, run } = configured();
  await run('export', '--format', 'jsonl', '--out', 'out');
  await run('backup', 'copy.db');
  const { stdout } = await runCommand(['forget', 'C1', '--yes'], { cwd: folder });
  expect(stdout).toContain(
    'Earlier exports and backups, and notifications that were sent, can still contain',
  );
  const name = '"name":"A"';
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const paths = files.map((one) => join(one.parentPath, one.name));
  const holders = paths.filter((path) => readFileSync(path).includes(name));
  expect([...new Set(holders.map((path) => path.slice(folder.length + 1).split('/')[0]))].sort()).toEqual([
    'copy.db',
    'out',
  ]);
  const { stdout: unknown } = await runCommand(['forget', 'C9', '--yes'], { cwd: folder });
  expect(unknown).not.toContain('exports');
});

test('forget lists the erased ids, and after --undo a backfill can fetch their records again', async () => {
  const { folder, run } = configured();
  expect((await run('forget', 'C9', '--yes')).data.forgotten).toMatchObject([
    { entity_id: 'C9', known: false },
  ]);
  await run('forget', 'C1', '--yes');
  writeFileSync(join(folder, 'ids.txt'), 'C1\n');
  expect(await run('backfill', '--ids', 'ids.txt')).toMatchObject({
    code: 0,
    data: { forgotten: 1, found: 0, open: 0, run: { ended: 'done', calls_spent: 0 } },
  });
  const listed = async () =>
    (await run('forget', '--list')).data.forgotten.map((one: { entity_id: string }) => one.entity_id);
  expect(await listed()).toEqual(['C1', 'C9']);
  expect((await run('forget', '--undo', 'C1', 'C2')).data.undone).toEqual([
    { entity_id: 'C1', undone: true },
    { entity_id: 'C2', undone: false },
  ]);
  expect(await listed()).toEqual(['C9']);
  expect((await run('backfill', '--ids', 'ids.txt', '--dry-run')).data.calls).toEqual({ low: 1, high: 1 });
});

test('compact deletes responses older than the retention period', async () => {
  const { run, ask } = configured({ retention: { answers: '1d' } });
  expect(await run('compact')).toMatchObject({ code: 0, data: { answers_deleted: 2 } });
  expect(ask('SELECT count(*) AS versions FROM entity_history')).toEqual([{ versions: 2 }]);
  expect(await configured().run('compact')).toMatchObject({ data: { answers_deleted: 0 } });
});

test('compact reports what takes the space and how much the retention would free', async () => {
  const { run, path } = configured();
  const { data } = await run('compact');
  const { responses, tables, companies, search_index, other } = data.space;
  expect(responses + tables + companies + search_index + other).toBe(statSync(path).size);
  expect(Math.min(responses, tables, companies, search_index, other)).toBeGreaterThan(0);
  expect(data.replaced_bytes).toBeGreaterThan(0);
  expect(data.replaced_bytes).toBeLessThan(responses);
});

test.each([
  ['export --as-of yesterday', 'It must be a date'],
  ['export --as-of 2026-02-30', 'It must be a date'],
  ['export --as-of 2026-13-01', 'It must be a date'],
  ['export --as-of 2026-01-01 --changes-since 1', 'cannot be used with option'],
  ['export --format parquet --safe-formulas', 'works only with --format csv'],
  ['export --tables nonsense', 'nonsense'],
  ['export --rows-per-file 0', 'of at least 1'],
  ['export --format xml', 'Allowed choices are csv'],
  ['forget', 'no id was given'],
  [
    'status --run 99',
    'the warehouse has no run 99\n  → List the latest runs: registry-mirror status --runs 20',
  ],
  ['quarantine show 99', 'the quarantine has no entry 99'],
  ['quarantine show x', 'It must be a whole number of at least 1'],
  ['quarantine discard', 'no entries were selected'],
  ['backfill', 'no companies were selected'],
  ['backfill --ids /nowhere', '/nowhere does not exist'],
  ['backfill --resume 9', 'there is no backfill 9'],
  ['backfill --resume', 'no unfinished backfill exists'],
  ['backfill --stale 90', 'Write an age in days, weeks, months or years'],
  ['backfill --stale 1m', 'Write an age in days, weeks, months or years'],
  ['backfill --query=', 'It must not be empty'],
  ['backfill --query a --until noon', '--until noon is not a time'],
  ['backfill --query a --until 2001-01-01', '--until 2001-01-01 is in the past'],
  ['backfill --qeury a', 'Did you mean --query?'],
  ['keys create trial --tier free', 'A free account needs an allowance.'],
  ['search --limit 2 --csv', "missing required argument 'name'"],
])('`%s` is rejected', async (command, message) => {
  const { folder, run } = configured();
  const { code, said } = await run(...command.split(' '));
  expect({ code, said }).toMatchObject({ code: 2, said: expect.stringContaining(message) });
  expect(existsSync(join(folder, 'export', 'manifest.json'))).toBe(false);
});

test('`export` without a dialect works, but `plan` names the command that learns one', async () => {
  const { run } = configured({ dialect: undefined });
  expect((await run('export', '--out', 'out')).code).toBe(0);
  expect(await run('plan')).toMatchObject({ code: 2, said: expect.stringContaining('probe') });
});

test.each([['status'], ['history C1'], ['quarantine list'], ['plan'], ['sync --dry-run']])(
  '`%s` works without a key',
  async (command) => {
    expect(await configured(WITHOUT_KEY).run(...command.split(' '))).toMatchObject({ code: 0 });
  },
);

test('`status` of an empty mirror names the missing variable', async () => {
  const folder = temporaryFolder();
  const init = ['init', '--yes', '--base-url', 'https://registry.example/api', '--per-day', '9'];
  await runCommand([...init, '--key-variable', 'KEY_THAT_IS_NOT_SET'], { cwd: folder });
  const { stdout } = await runCommand(['status'], { cwd: folder });
  expect(stdout).toContain('export KEY_THAT_IS_NOT_SET=…');
});

test.each([['sync'], ['config validate']])(
  '`%s` fails without a key and names the environment variable',
  async (command) => {
    const { code, said } = await configured(WITHOUT_KEY).run(...command.split(' '));
    expect({ code, said }).toMatchObject({
      code: 2,
      said: expect.stringContaining('the environment variable KEY_THAT_IS_NOT_SET is not set'),
    });
  },
);

test('a time without a zone in export --as-of is UTC', async () => {
  const { folder, run } = configured();
  await run('export', '--as-of', '2026-01-31T12:00', '--out', 'out');
  const { what } = JSON.parse(readFileSync(join(folder, 'out', 'manifest.json'), 'utf8'));
  expect(what).toEqual({ is: 'as_of', at: '2026-01-31T12:00:00.000Z' });
});
