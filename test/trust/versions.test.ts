import { expect, onTestFinished, test } from 'vitest';
import { generateRegistry } from '../../data/generate.ts';
import { compareWithUpstream } from '../support/equality.ts';
import { nextVersion } from '../support/next_version.ts';
import { openUpstream } from '../support/upstream.ts';

test("if a newer version migrates the file during an older version's run, that run succeeds but the next is rejected", async () => {
  const upstream = await openUpstream({
    companies: [...generateRegistry({ companies: 200, seed: 5 })],
    // The older run must last longer than a start of the newer program on a busy machine.
    latencyMs: 250,
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
