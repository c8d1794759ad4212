import { copyFileSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { generateRegistry } from '../../data/generate.ts';
import { compareWithUpstream } from '../support/equality.ts';
import { openUpstream } from '../support/upstream.ts';

async function upstreamOf(companies: number, latencyMs = 0) {
  const upstream = await openUpstream(
    { companies: [...generateRegistry({ companies, seed: 5 })], latencyMs },
    { allowance: { per_minute: 'unlimited', total: 5000 } },
  );
  onTestFinished(() => upstream.close());
  return upstream;
}

test('a mirror resumes from a backup made during a sync, and the ledger still counts all calls', async () => {
  const upstream = await upstreamOf(200, 40);
  const copy = join(upstream.folder, 'backups', 'one.db');
  const running = upstream.start('sync');
  await upstream.arrived(80, running);
  const backup = await upstream.cli('backup', copy);
  expect(backup).toMatchObject({ code: 0, json: { ok: true, data: { file: copy } } });
  expect(readdirSync(join(upstream.folder, 'backups'))).toEqual(['one.db']);
  expect((await running.finished).code).toBe(0);
  const spent = upstream.sandbox.arrivals().length;

  for (const end of ['-wal', '-shm']) rmSync(join(upstream.folder, `warehouse.db${end}`), { force: true });
  copyFileSync(copy, join(upstream.folder, 'warehouse.db'));
  const { json } = await upstream.run('sync');
  expect(json.data).toMatchObject({ ended: 'done', records: 200 });
  const db = upstream.warehouse();
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
  expect(compareWithUpstream(db, upstream.sandbox)).toMatchObject({ records: 200, differences: [] });
  db.close();
  expect(json.data.calls_left).toBe(5000 - upstream.sandbox.arrivals().length);
  expect(upstream.sandbox.arrivals().length).toBeGreaterThan(spent);
});

test('a failed backup replaces no file and leaves no file behind', async () => {
  const upstream = await upstreamOf(10);
  expect(await upstream.run('backup', join(upstream.folder, 'x.db'))).toMatchObject({ code: 2 });
  expect(existsSync(join(upstream.folder, 'x.db'))).toBe(false);

  await upstream.run('sync');
  const taken = join(upstream.folder, 'taken.db');
  writeFileSync(taken, 'precious');
  const { code, said } = await upstream.run('backup', taken);
  expect(code).toBe(2);
  expect(said).toMatch(/taken\.db already exists\n.*Name another file/);

  const before = readdirSync(upstream.folder).sort();
  expect(await upstream.run('backup', join(taken, 'inside.db'))).toMatchObject({ code: 2 });
  expect(readdirSync(upstream.folder).sort()).toEqual(before);
});
