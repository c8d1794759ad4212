import { cpSync, existsSync, lstatSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { acquireLock, lockHolder, releaseLock } from '../../src/warehouse/lock.ts';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { bench, START_MS, temporaryFolder } from '../support/loader.ts';
import { DIALECT } from '../support/loader_dialect.ts';
import { atTerminal } from '../support/terminal.ts';

/** Called before each step that links, renames or deletes a file. */
const files = vi.hoisted(() => ({ beforeStep: () => {} }));

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const observed = (name: 'linkSync' | 'renameSync' | 'rmSync') => ({
    [name]: (...given: never[]) => {
      files.beforeStep();
      return (fs[name] as (...args: never[]) => unknown)(...given);
    },
  });
  return { ...fs, ...observed('linkSync'), ...observed('renameSync'), ...observed('rmSync') };
});

/** A mirror with one company, its backup, and a second company added after the backup. */
async function backedUp() {
  const folder = temporaryFolder();
  const path = join(folder, 'warehouse.db');
  const add = (id: string) => {
    const warehouse = openWarehouse({ path, nowMs: START_MS });
    bench({ warehouse }).search(id.toLowerCase(), { total: 1, results: [{ id, name: id }] });
    warehouse.close();
  };
  const config = join(folder, 'registry-mirror.yaml');
  writeFileSync(
    config,
    stringify({
      version: 1,
      upstream: { base_url: 'http://127.0.0.1:9/api', api_key: 'a-key-of-a-test' },
      allowance: { unlimited: true },
      dialect: DIALECT,
      warehouse: 'warehouse.db',
      ledger: 'ledger.db',
    }),
  );
  const run = async (...args: string[]) => {
    const printed = await atTerminal([...args, '--json', '--config', config], { columns: null });
    return { ...printed, json: JSON.parse(printed.stdout) };
  };
  add('C1');
  const backup = join(folder, 'backup.db');
  await run('backup', backup);
  add('C2');
  return { folder, path, backup, run };
}

function idsIn(path: string): unknown[] {
  const warehouse = openWarehouse({ path, readonly: true, nowMs: START_MS });
  try {
    return warehouse.db.prepare('SELECT entity_id FROM entity_overview ORDER BY 1').pluck().all();
  } finally {
    warehouse.close();
  }
}

test('restore replaces the warehouse, keeps the old file, and lists the companies forgotten since the backup', async () => {
  const { path, backup, run } = await backedUp();
  await run('forget', 'C1', '--yes');
  const { code, json } = await run('restore', backup);
  expect({ code, json }).toMatchObject({
    code: 0,
    json: { command: 'restore', data: { companies: 1, forgotten_since: ['C1'] } },
  });
  expect(idsIn(path)).toEqual(['C1']);
  expect(idsIn(json.data.replaced)).toEqual(['C2']);
  expect(idsIn(backup)).toEqual(['C1']);
});

test('restore of a file that is no backup asks for one, and does not suggest moving the file', async () => {
  const { folder, run } = await backedUp();
  const { code, json } = await run('restore', join(folder, 'registry-mirror.yaml'));
  expect(code).toBe(1);
  expect(json.error).toEqual({
    message: `${join(folder, 'registry-mirror.yaml')} is not a SQLite file`,
    hint: 'Specify a file that `backup` created.',
  });
});

test('forget lists the files that restore and migrations have left, because they contain the erased data', async () => {
  const { path, backup, run } = await backedUp();
  await run('restore', backup);
  writeFileSync(`${path}.schema-390`, '');
  const { json } = await run('forget', 'C1', '--yes');
  expect(json.data.older_copies).toEqual([expect.stringMatching(/\.replaced-/), `${path}.schema-390`]);
});

test('restore works if the warehouse is corrupt or missing', async () => {
  const { folder, path, backup, run } = await backedUp();
  writeFileSync(path, 'no SQLite file');
  expect((await run('restore', backup)).json.data.replaced).toContain('warehouse.db.replaced-');
  expect(idsIn(path)).toEqual(['C1']);
  for (const name of readdirSync(folder)) expect(name).not.toContain('partial');
});

test('restore changes nothing while a run holds the lock, or if the backup is corrupt', async () => {
  const { folder, path, backup, run } = await backedUp();
  writeFileSync(join(folder, 'corrupt.db'), Buffer.alloc(9000, 1));
  expect(await run('restore', join(folder, 'corrupt.db'))).toMatchObject({ code: 1 });
  expect(await run('restore', join(folder, 'missing.db'))).toMatchObject({ code: 2 });
  expect(await run('restore', path)).toMatchObject({ code: 2 });
  const holder = openWarehouse({ path, nowMs: START_MS });
  const owner = { owner: 'other', pid: process.pid, host: 'elsewhere' };
  acquireLock(holder.db, { ...owner, nowMs: Date.now(), isAlive: () => true });
  expect(await run('restore', backup)).toMatchObject({
    code: 1,
    json: { error: { message: expect.stringContaining("another run holds the warehouse's lock") } },
  });
  holder.close();
  expect(idsIn(path)).toEqual(['C1', 'C2']);
  expect(existsSync(backup)).toBe(true);
});

test("a backup that was made during a run is restored without the run's lock", async () => {
  const { folder, path, run } = await backedUp();
  const running = openWarehouse({ path, nowMs: START_MS });
  const owner = { owner: 'other', pid: process.pid, host: 'elsewhere' };
  acquireLock(running.db, { ...owner, nowMs: Date.now(), isAlive: () => true });
  const backup = join(folder, 'during.db');
  await run('backup', backup);
  releaseLock(running.db, owner.owner);
  running.close();
  expect(await run('restore', backup)).toMatchObject({ code: 0 });
  const restored = openWarehouse({ path, readonly: true, nowMs: START_MS });
  expect(lockHolder(restored.db)).toBeNull();
  restored.close();
});

test('restore replaces the file to which a symbolic link leads, and keeps the link', async () => {
  const { folder, path, backup, run } = await backedUp();
  renameSync(path, join(folder, 'elsewhere.db'));
  symlinkSync(join(folder, 'elsewhere.db'), path);
  expect(await run('restore', backup)).toMatchObject({ code: 0 });
  expect(lstatSync(path).isSymbolicLink()).toBe(true);
  expect(idsIn(join(folder, 'elsewhere.db'))).toEqual(['C1']);
});

test('restore waits for readers before it replaces the file, so that the WAL contains nothing', async () => {
  const { path, backup, run } = await backedUp();
  const reader = openWarehouse({ path, readonly: true, nowMs: START_MS });
  reader.db.exec('BEGIN');
  reader.db.prepare('SELECT count(*) FROM _company').get();
  expect(await run('restore', backup)).toMatchObject({
    code: 1,
    json: { error: { message: 'another program is reading the warehouse' } },
  });
  reader.close();
  expect(idsIn(path)).toEqual(['C1', 'C2']);
  expect(await run('restore', backup)).toMatchObject({ code: 0 });
});

test('restore leaves the whole old or the whole new warehouse if it is killed between two steps', async () => {
  const { folder, path, backup, run } = await backedUp();
  const writer = openWarehouse({ path, nowMs: START_MS });
  writer.db.pragma('wal_autocheckpoint = 0');
  bench({ warehouse: writer }).search('c3', { total: 1, results: [{ id: 'C3', name: 'C3' }] });
  const killed: string[] = [];
  files.beforeStep = () => {
    killed.push(temporaryFolder());
    cpSync(folder, killed.at(-1) ?? '', { recursive: true });
  };
  await run('restore', backup);
  files.beforeStep = () => {};
  writer.close();
  const found = killed.map((copy) => idsIn(join(copy, 'warehouse.db')).join());
  expect(new Set(found)).toEqual(new Set(['C1,C2,C3', 'C1']));
});
