import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { generateRegistry } from '../../data/generate.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';
import { openUpstream } from '../support/upstream.ts';
import { asNeighbour, permit } from './unprivileged.ts';

const FILES = ['warehouse.db', 'ledger.db'];

test('a command without write permission prints the path, spends no call and changes no file', async () => {
  const upstream = await upstreamOf(40);
  const { folder, configPath, sandbox } = upstream;
  await upstream.run('sync', '--max-calls', '15');
  const content = () => FILES.map((name) => readFileSync(join(folder, name)));
  const before = content();

  const cases = [
    { writeFolder: false, write: [], says: /warehouse\.db cannot be written: .*permission.*\n.*permissions/ },
    { writeFolder: true, write: ['ledger.db'], says: /warehouse\.db cannot be written: .*\n.*permissions/ },
    { writeFolder: true, write: ['warehouse.db'], says: /ledger\.db cannot be written: .*\n.*permissions/ },
    // Permission to write the files is not enough, because SQLite writes the WAL beside them.
    { writeFolder: false, write: FILES, says: /warehouse\.db cannot be written: .*\n.*folder writable/ },
  ];
  for (const { says, ...may } of cases) {
    permit(folder, may);
    const { code, said } = await asNeighbour('sync', '--config', configPath);
    expect({ may, code, said }).toEqual({ may, code: 2, said: expect.stringMatching(says) });
    expect(said).not.toMatch(/\n\s+at /);
  }
  expect(content()).toEqual(before);
  expect(sandbox.arrivals()).toHaveLength(15);

  permit(folder, { writeFolder: true, write: FILES });
  expect((await upstream.run('sync')).json.data).toMatchObject({ ended: 'done', records: 40 });
});

test('a reader without write permission gets a message with a remedy, and can read a backup', async () => {
  const upstream = await upstreamOf(40);
  const { folder, configPath } = upstream;
  await upstream.run('sync');
  expect((await upstream.run('backup', join(folder, 'backup.db'))).code).toBe(0);
  // A writer removes the WAL and its index when it ends, so other users can read only while it runs.
  await upstream.run('sync');
  const copyConfig = upstream.configure({ warehouse: join(folder, 'backup.db') }, 'copy.yaml');
  permit(folder, { writeFolder: false, write: [] });
  const out = temporaryFolder();
  chmodSync(out, 0o777);
  const exported = (name: string, config: string) =>
    asNeighbour('export', '--format', 'csv', '--out', join(out, name), '--config', config);

  expect(await exported('refused', configPath)).toEqual({
    code: 2,
    said: expect.stringMatching(/warehouse\.db cannot be read here: .*\n.*registry-mirror backup/),
  });
  expect(await exported('copy', copyConfig)).toMatchObject({ code: 0 });
  const rows = readFileSync(join(out, 'copy', 'entity.csv'), 'utf8')
    .trimEnd()
    .split('\n');
  expect(rows).toHaveLength(41);
});

async function upstreamOf(companies: number) {
  const upstream = await openUpstream({ companies: [...generateRegistry({ companies, seed: 5 })] });
  onTestFinished(() => upstream.close());
  return upstream;
}
