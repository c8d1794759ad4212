import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { generateRegistry } from '../../data/generate.ts';
import type { Finished } from '../support/command.ts';
import { faulty } from '../support/faults.ts';
import { openUpstream, type Upstream } from '../support/upstream.ts';
import {
  argumentsOf,
  CANARY,
  filesWithCanary,
  holdsCanary,
  responseText,
  telltale,
  WELL_FORMED,
} from './canary.ts';

describe('a canary key', () => {
  test.each([
    ['key', CANARY, {}],
    ['constant header', 'another', { upstream: { headers: { 'X-Auth-Email': CANARY } } }],
  ])(
    'a canary %s appears in no output, file, backup, export, page or argument list if the upstream repeats it',
    async (_what, key, overrides) => {
      let [asked, isSound] = [0, true];
      const upstream = await openUpstream(
        {
          companies: [...generateRegistry({ companies: 60, seed: 3 })],
          accounts: [{ id: 'main', key }],
          faults: faulty(() => (isSound ? WELL_FORMED : telltale(asked++))),
          latencyMs: 2,
        },
        overrides,
      );
      onTestFinished(() => upstream.close());
      const outputs: Finished[] = [];

      outputs.push(await upstream.run('sync', '--max-calls', '30'));
      isSound = false;
      const running = upstream.start('sync', '--max-minutes', '0.06');
      await upstream.arrived(33, running);
      const seenByNeighbours = argumentsOf(running);
      outputs.push(await running.finished);
      const out = join(upstream.folder, 'out');
      outputs.push(await upstream.run('sync', '--quiet', '--max-calls', '20'));
      outputs.push(await upstream.run('status'));
      outputs.push(await upstream.run('backup', join(out, 'backup.db')));
      for (const format of ['csv', 'jsonl', 'parquet'])
        outputs.push(await upstream.run('export', '--format', format, '--out', join(out, format)));
      for (const what of ['validate', 'show']) outputs.push(await upstream.run('config', what));

      expect(upstream.sandbox.arrivals().length).toBeGreaterThan(50);
      const sightings = [
        ...outputs.flatMap(({ stdout, stderr }) => [stdout, stderr]).filter(holdsCanary),
        ...[seenByNeighbours].filter(holdsCanary),
        ...filesWithCanary(upstream.folder, [upstream.configPath]),
        ...(await served(upstream)).filter(holdsCanary),
      ];
      expect(sightings).toEqual([]);
    },
    60_000,
  );

  test('a canary key appears neither in a rejection nor in a connection error', async () => {
    const upstream = await openUpstream(
      { accounts: [{ id: 'main', key: 'another' }] },
      { upstream: { api_key: CANARY } },
    );
    onTestFinished(() => upstream.close());
    const refused = await upstream.run('sync');
    expect(refused.json.data).toMatchObject({ ended: 'unauthorised' });
    const nowhere = upstream.configure(
      { upstream: { api_key: CANARY, base_url: 'http://127.0.0.1:1/api' } },
      'other.yaml',
    );
    const failed = await upstream.run('sync', '--config', nowhere, '--max-minutes', '0.03');
    for (const { stdout, stderr } of [refused, failed]) expect(holdsCanary(stdout + stderr)).toBe(false);
  }, 60_000);
});

/** Everything that `serve` outputs, such as its pages, its event stream, its responses and its log. */
async function served(upstream: Upstream): Promise<string[]> {
  const { key } = (await upstream.run('keys', 'create', 'reports', '--json')).json.data;
  const command = upstream.start('serve', '--port', '0', '--json');
  const { stdout } = command.process;
  if (stdout === null) throw new Error('serve has no standard output');
  const [line] = await once(stdout, 'data');
  const { url, base_url: baseUrl } = JSON.parse(String(line)).data;
  const neighbours = argumentsOf(command);
  const db = upstream.warehouse();
  const id = db.prepare('SELECT entity_id FROM entity LIMIT 1').pluck().get() as string;
  db.close();
  const pages = ['/', `/page/company?id=${encodeURIComponent(id)}`, '/page/search?q=a', '/openapi.json'];
  const outputs: string[] = [];
  for (const page of pages) outputs.push(await responseText(url + page));
  for (const page of ['/search?q=a', `/entity/${encodeURIComponent(id)}`])
    outputs.push(await responseText(baseUrl + page, { authorization: `Bearer ${key}` }));
  command.process.kill('SIGTERM');
  const { code, stdout: out, stderr } = await command.finished;
  expect(code).toBe(0);
  // The member that contained the key is shown without it.
  expect(outputs.filter((text) => text.includes('your_key')).length).toBeGreaterThan(1);
  return [...outputs, neighbours, out, stderr];
}
