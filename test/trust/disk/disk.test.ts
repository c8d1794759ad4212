import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { generateRegistry } from '../../../data/generate.ts';
import { FailedError } from '../../../src/errors.ts';
import { compareWithUpstream } from '../../support/equality.ts';
import { type Overrides, openUpstream } from '../../support/upstream.ts';
import { openPlace, sync } from './files.ts';

const whole = (companies: number) => ({ listed: companies, records: companies, differences: [] });

async function upstreamOf(companies: number, overrides: Overrides = {}) {
  const upstream = await openUpstream(
    { companies: [...generateRegistry({ companies, seed: 5 })] },
    overrides,
  );
  onTestFinished(() => upstream.close());
  return upstream;
}

describe('a full disk', () => {
  // SQLite's page limit makes the same statements fail as a full disk.
  test.each([0, 1, 2, 5, 13, 30])(
    'a disk with room for %i more pages ends the run with a message, and the next run resumes when there is more space',
    async (pages) => {
      const { sandbox, folder, open } = await openPlace(150);
      const workspace = open();
      const { db } = workspace.warehouse;
      const limit = (db.pragma('page_count', { simple: true }) as number) + pages;
      db.pragma(`max_page_count = ${limit}`);
      const stopped = await sync(workspace).catch((error: unknown) => error);
      workspace.close();
      expect(stopped).toBeInstanceOf(FailedError);
      expect(stopped).toMatchObject({
        message: `the warehouse ${join(folder, 'warehouse.db')} failed: database or disk is full (SQLITE_FULL)`,
        hint: expect.stringMatching(/Free space on that disk/),
      });

      const again = open();
      expect(again.warehouse.db.pragma('integrity_check', { simple: true })).toBe('ok');
      expect((await sync(again)).ending).toEqual({ ended: 'done' });
      expect(compareWithUpstream(again.warehouse.db, sandbox)).toMatchObject(whole(150));
      again.close();
    },
  );
});

describe('a file that is corrupt, locked or in use', () => {
  test.each(['warehouse', 'ledger'])(
    'a corrupt page in the %s causes one message with a remedy and exit code 1 or 2',
    async (file) => {
      const upstream = await upstreamOf(60);
      await upstream.run('sync');
      damage(join(upstream.folder, `${file}.db`));
      const { code, said, json } = await upstream.run('sync');
      expect(code).toBeGreaterThan(0);
      expect(json).toMatchObject({
        ok: false,
        error: { message: expect.stringMatching(new RegExp(`${file}.*malformed`)) },
      });
      expect(said).toContain(file);
      expect(said).not.toMatch(/\n\s+at /);
    },
  );

  test('a warehouse that another program has locked causes one message and spends no call', async () => {
    const upstream = await upstreamOf(60);
    await upstream.run('sync', '--max-calls', '10');
    const holder = new Sqlite(join(upstream.folder, 'warehouse.db'));
    onTestFinished(() => void holder.close());
    holder.exec('BEGIN IMMEDIATE');
    const { code, said } = await upstream.run('sync');
    expect({ code, arrivals: upstream.sandbox.arrivals().length }).toEqual({ code: 1, arrivals: 10 });
    expect(said).toMatch(/warehouse.*locked.*\n.*Another program has locked the file/);
    holder.exec('ROLLBACK');
    expect((await upstream.run('sync')).json.data).toMatchObject({ ended: 'done', records: 60 });
  }, 40_000);
});

/** Overwrites all pages but the first, as a failing disk might. */
function damage(path: string): void {
  const { size } = statSync(path);
  const file = openSync(path, 'r+');
  const noise = Buffer.alloc(4096, 0xa5);
  for (let at = 4096; at < size; at += noise.length) writeSync(file, noise, 0, noise.length, at);
  closeSync(file);
}
