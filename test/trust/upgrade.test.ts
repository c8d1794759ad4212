import { copyFileSync, existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { generateRegistry } from '../../data/generate.ts';
import { upgradeWarehouse } from '../../src/warehouse/upgrade.ts';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { temporaryFolder } from '../support/loader.ts';
import { nextVersion } from '../support/next_version.ts';
import { openUpstream } from '../support/upstream.ts';

test('every command of a newer version migrates the file after a backup, says so, and spends no call', async () => {
  const upstream = await openUpstream({ companies: [...generateRegistry({ companies: 30, seed: 5 })] });
  onTestFinished(() => upstream.close());
  const { folder, configPath, sandbox } = upstream;
  await upstream.run('sync');
  const path = join(folder, 'warehouse.db');
  copyFileSync(path, join(folder, 'older.db'));
  const calls = sandbox.arrivals().length;
  const newer = nextVersion();
  const out = temporaryFolder();

  const commands = [
    ['migrate'],
    ['status'],
    ['search', 'a'],
    ['export', '--out', join(out, 'export')],
    ['backup', join(out, 'backup.db')],
    ['sync'],
  ];
  for (const command of commands) {
    copyFileSync(join(folder, 'older.db'), path);
    const { code, said } = await newer(...command, '--config', configPath);
    expect({ command, code, said }).toEqual({ command, code: 0, said: expect.stringContaining('Migrated ') });
    const again = await newer('migrate', '--config', configPath);
    expect(again.said).toContain('is up to date');
  }
  expect(sandbox.arrivals()).toHaveLength(calls);

  const backups = readdirSync(folder).filter((name) => name.startsWith('warehouse.db.schema-'));
  const [backup = ''] = backups;
  expect(backups).toEqual([backup, ...[2, 3, 4, 5, 6].map((number) => `${backup}-${number}`)]);
  const restored = await upstream.run('restore', join(folder, backup));
  expect(restored).toMatchObject({ code: 0, json: { data: { companies: 30 } } });
  expect((await upstream.run('status')).json.data.coverage).toMatchObject({ known: 30 });
});

test('a file of this version is not migrated, and gets no backup', () => {
  const path = join(temporaryFolder(), 'warehouse.db');
  openWarehouse({ path, nowMs: 0 }).close();
  expect(upgradeWarehouse(path, 0)).toBeNull();
  expect(upgradeWarehouse(join(temporaryFolder(), 'missing.db'), 0)).toBeNull();
  expect(existsSync(join(path, '..', 'missing.db'))).toBe(false);
});

test('a warehouse file of 0 bytes is reported with the remedy, and is not changed', () => {
  const path = join(temporaryFolder(), 'warehouse.db');
  writeFileSync(path, '');
  expect(() => openWarehouse({ path, readonly: true, nowMs: 0 })).toThrow(/is empty \(0 bytes\)/);
  expect(statSync(path).size).toBe(0);
});

test('a file without tables, which a killed process left, is completed without a backup', async () => {
  const upstream = await openUpstream({ companies: [...generateRegistry({ companies: 5, seed: 5 })] });
  onTestFinished(() => upstream.close());
  const path = join(upstream.folder, 'warehouse.db');
  for (const command of ['status', 'migrate', 'sync']) {
    for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true });
    const db = new Sqlite(path);
    // "RMIR"
    db.pragma(`application_id = ${0x52_4d_49_52}`);
    db.close();
    expect({ command, ...(await upstream.run(command)) }).toMatchObject({ command, code: 0 });
  }
  expect(readdirSync(upstream.folder).filter((name) => name.includes('.schema-'))).toEqual([]);
  expect((await upstream.run('status')).json.data.coverage).toMatchObject({ known: 5 });
});
