import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Mapping } from '../../../src/dialect/mapping.ts';
import type { Manifest } from '../../../src/load/export.ts';
import { reprocess } from '../../../src/load/reprocess.ts';
import { openWarehouse, type Warehouse } from '../../../src/warehouse/warehouse.ts';
import { dumpDerived } from '../dump.ts';
import { bench, dialectWith, entityCall, START_MS, temporaryFolder } from '../fixtures.ts';
import { startAndKill } from './kill.ts';

// A dozen in the suite; KILLS=50 for a longer look.
const KILLS = Number(process.env.KILLS ?? 12);
const here = import.meta.dirname;

function filled(path: string): Warehouse {
  const warehouse = openWarehouse({ path, nowMs: START_MS });
  const { outcome, load } = bench({ warehouse });
  const record = (n: number) => ({ id: `C${n}`, name: `Company ${n}`, n, tags: [`t${n}`, 'all'] });
  load(Array.from({ length: 2000 }, (_, n) => outcome(entityCall(`C${n}`), record(n))));
  return warehouse;
}

test('reprocess killed at any moment leaves the old tables or the new ones, and goes on', {
  timeout: 180_000,
}, async () => {
  const path = join(temporaryFolder(), 'warehouse.db');
  const warehouse = filled(path);
  const mappings = [{}, { entity: { '/n': { column: 'number', type: 'text' } } }];
  const states: string[] = [];
  for (const mapping of [...mappings].reverse()) {
    await reprocess({ warehouse, dialect: dialectWith(), mapping: Mapping.parse(mapping) });
    states.unshift(stateOf(warehouse));
  }
  warehouse.close();

  let current = 0;
  let swaps = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const next = 1 - current;
    const args = [path, JSON.stringify(mappings[next])];
    await startAndKill(join(here, 'reprocess_child.ts'), args, (kill * 37) % 400);
    const after = openWarehouse({ path, readonly: true, nowMs: START_MS });
    const state = stateOf(after);
    after.close();
    expect([states[current], states[next]]).toContain(state);
    if (state === states[next]) {
      current = next;
      swaps += 1;
    }
  }
  expect(swaps).toBeGreaterThan(0);
  const last = openWarehouse({ path, nowMs: START_MS });
  expect(last.db.pragma('integrity_check', { simple: true })).toBe('ok');
  last.close();
});

test('export killed at any moment leaves whole files', { timeout: 180_000 }, async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'warehouse.db');
  const warehouse = filled(path);
  const formats = ['csv', 'jsonl', 'parquet'] as const;
  let written = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const format = formats[kill % formats.length] as string;
    const out = join(folder, format);
    await startAndKill(join(here, 'export_child.ts'), [path, out, format], (kill * 29) % 120);
    if (!existsSync(join(out, 'manifest.json'))) continue;
    const manifest = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8')) as Manifest;
    expect(manifest.files.map(({ rows }) => rows)).toEqual([2000, 4000]);
    for (const { name, sha256 } of manifest.files) {
      expect(
        createHash('sha256')
          .update(readFileSync(join(out, name)))
          .digest('hex'),
      ).toBe(sha256);
      written += 1;
    }
  }
  warehouse.close();
  expect(written).toBeGreaterThan(0);
});

function stateOf(warehouse: Warehouse): string {
  return createHash('sha256').update(dumpDerived(warehouse).join('\n')).digest('hex');
}
