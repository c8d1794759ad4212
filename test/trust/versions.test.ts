import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { generateRegistry } from '../../data/generate.ts';
import { compareWithUpstream } from '../support/equality.ts';
import { openUpstream } from '../support/upstream.ts';

const root = resolve(import.meta.dirname, '../..');

// Processes that have the file open can continue, because a migration only adds tables and columns.
const NEXT_SCHEMA = `
ALTER TABLE _call ADD COLUMN of_next TEXT;
ALTER TABLE _lock ADD COLUMN of_next INTEGER NOT NULL DEFAULT 0;
CREATE TABLE _next (number INTEGER PRIMARY KEY);
CREATE INDEX _next_index ON _answer (call_id, length(body));
`;

test("if a newer version migrates the file during an older version's run, that run succeeds but the next is rejected", async () => {
  const upstream = await openUpstream({
    companies: [...generateRegistry({ companies: 200, seed: 5 })],
    latencyMs: 60,
  });
  onTestFinished(() => upstream.close());
  const newer = nextVersion();

  const older = upstream.start('sync');
  await upstream.arrived(20, older);
  const meanwhile = await newer('sync', '--json', '--config', upstream.configPath);
  expect(older.process.exitCode).toBeNull();
  expect(meanwhile.said).toContain('"ended":"another_run"');
  expect(schemaOf()).toBe('999');

  const { code, json } = await older.finished;
  expect({ code, data: json.data }).toMatchObject({ code: 0, data: { ended: 'done', records: 200 } });
  const db = upstream.warehouse();
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
  expect(compareWithUpstream(db, upstream.sandbox)).toMatchObject({ records: 200, differences: [] });
  const loaded = db.prepare('SELECT count(*) FROM _call').pluck().get();
  db.close();
  const calls = upstream.sandbox.arrivals().length;
  expect(loaded).toBe(calls);

  for (const command of ['sync', 'status', 'reprocess']) {
    const refused = await upstream.cli(command);
    expect({ command, code: refused.code, said: refused.said }).toEqual({
      command,
      code: 1,
      said: expect.stringMatching(/written by a newer version .*999.*\n.*[Nn]othing was changed/),
    });
  }
  const next = await newer('sync', '--config', upstream.configPath);
  expect({ code: next.code, calls: upstream.sandbox.arrivals().length }).toEqual({ code: 0, calls });

  function schemaOf() {
    const reader = upstream.warehouse();
    const version = reader.prepare("SELECT value FROM _meta WHERE key = 'schema_version'").pluck().get();
    reader.close();
    return version;
  }
});

/** Copies this program to its own folder and adds one migration. */
function nextVersion() {
  const folder = mkdtempSync(join(tmpdir(), 'registry-mirror-next-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const part of ['src', 'jobs', 'package.json'])
    cpSync(join(root, part), join(folder, part), { recursive: true });
  for (const part of ['data', 'node_modules']) symlinkSync(join(root, part), join(folder, part));
  writeFileSync(join(folder, 'src/warehouse/migrations/999_next.sql'), NEXT_SCHEMA);
  return async (...args: string[]): Promise<{ code: number | null; said: string }> => {
    const child = spawn(process.execPath, ['src/cli/bin.js', ...args], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
    return { code, said };
  };
}
