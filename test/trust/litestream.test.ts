import { readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { configFrom } from '../../src/config/load_config.ts';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { START_MS, temporaryFolder } from '../support/loader.ts';

const text = readFileSync(resolve(import.meta.dirname, '../../docs/litestream.yml'), 'utf8');

test('the Litestream configuration copies the configured warehouse but not the ledger', () => {
  const { warehouse, ledger } = configFrom({
    version: 1,
    upstream: { base_url: 'https://registry.example/api', api_key: 'k' },
    allowance: { unlimited: true },
  });
  const { dbs, ...others } = parse(expanded(text, { REGISTRY_MIRROR_DATA: '/srv/data', BUCKET: 'copies' }));
  expect(others).toEqual({});
  expect(dbs).toEqual([
    { path: `/srv/data/${basename(warehouse)}`, replica: { url: 's3://copies/registry-mirror' } },
  ]);
  expect(JSON.stringify(dbs)).not.toContain(basename(ledger));
});

test('a warehouse has the settings that Litestream needs: WAL, NORMAL, a busy timeout of ten seconds', () => {
  const path = join(temporaryFolder(), 'warehouse.db');
  const { db, close } = openWarehouse({ path, nowMs: START_MS });
  const pragma = (name: string) => db.pragma(name, { simple: true });
  expect({
    journal: pragma('journal_mode'),
    synchronous: pragma('synchronous'),
    waitsMs: pragma('busy_timeout'),
  }).toEqual({ journal: 'wal', synchronous: 1, waitsMs: 10_000 });
  expect(text).toContain('WAL, synchronous=NORMAL, a busy timeout of ten seconds');

  // Litestream keeps a read transaction open so that no other process restarts the WAL.
  const copier = new Sqlite(path, { timeout: 0 });
  copier.exec('BEGIN');
  copier.prepare('SELECT count(*) FROM _meta').get();
  db.prepare("INSERT INTO _meta (key, value) VALUES ('after', '1')").run();
  const startedMs = performance.now();
  close();
  expect(performance.now() - startedMs).toBeLessThan(8000);
  const seen = copier.prepare("SELECT count(*) FROM _meta WHERE key = 'after'").pluck();
  expect(seen.get()).toBe(0);
  copier.exec('COMMIT');
  expect(seen.get()).toBe(1);
  copier.close();
});

/** Expands variables as Litestream does, so that an unset variable becomes empty. */
function expanded(source: string, values: Readonly<Record<string, string>>): string {
  return source.replace(/\$\{(\w+)\}|\$(\w+)/g, (_all, braced: string, bare: string) => {
    return values[braced ?? bare] ?? '';
  });
}
