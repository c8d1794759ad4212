import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { generateRegistry } from '../../data/generate.ts';
import type { Fault } from '../../src/server/faults.ts';
import { type Finished, openUpstream } from '../e2e/upstream.ts';

const KEY = 'canary/5b1f+93=ae7d2c40_68';
/** As it is, as JSON may write it, as a URL does, and as base64 of a whole header would hold it. */
const FORMS = [KEY, KEY.replaceAll('/', '\\/'), encodeURIComponent(KEY), Buffer.from(KEY).toString('base64')];

/** An upstream that gives the key back wherever an answer has room for it. */
function telltale(nth: number): Fault | null {
  const body = `{"error":"key ${KEY} has no access","link":"https://x.example/?key=${encodeURIComponent(KEY)}"}`;
  const faults: readonly (Fault | null)[] = [
    null,
    { kind: 'status', status: 500, body },
    { kind: 'status', status: 400, body },
    { kind: 'status', status: 403, body: `<h1>${KEY}</h1>`, headers: { 'content-type': 'text/html' } },
    { kind: 'status', status: 200, body },
    { kind: 'redirect', to: `https://x.example/?key=${KEY}` },
    {
      kind: 'status',
      status: 429,
      body,
      headers: { 'retry-after': '0', 'x-key': KEY, link: `<${KEY}>; rel=next` },
    },
    { kind: 'altered', body: (text) => text.replace('{', `{"your_key":${JSON.stringify(KEY)},`) },
    null,
    null,
  ];
  return faults[nth % faults.length] ?? null;
}

describe('a canary for a key', () => {
  test('is seen in no output, file, backup, export or argument list, whatever the upstream repeats', async () => {
    let asked = 0;
    const upstream = await openUpstream({
      companies: [...generateRegistry({ companies: 60, seed: 3 })],
      accounts: [{ id: 'main', key: KEY }],
      faults: () => telltale(asked++),
      latencyMs: 2,
    });
    onTestFinished(() => upstream.close());
    const said: Finished[] = [];

    const running = upstream.start('sync', '--max-minutes', '0.06');
    await upstream.arrived(3, running);
    const seenByNeighbours = readFileSync(`/proc/${running.process.pid}/cmdline`, 'utf8');
    said.push(await running.finished);
    const out = join(upstream.folder, 'out');
    said.push(await upstream.cli('sync', '--quiet', '--max-calls', '20'));
    said.push(await upstream.cli('status'));
    said.push(await upstream.cli('backup', join(out, 'backup.db')));
    for (const format of ['csv', 'jsonl', 'parquet'])
      said.push(await upstream.cli('export', '--format', format, '--out', join(out, format)));
    said.push(await upstream.cli('config', 'validate'));

    expect(upstream.sandbox.arrivals().length).toBeGreaterThan(20);
    const sightings = [
      ...said.flatMap(({ stdout, stderr }) => [stdout, stderr]).filter(holdsKey),
      ...[seenByNeighbours].filter(holdsKey),
      ...filesUnder(upstream.folder).filter(
        (path) => path !== upstream.configPath && holdsKey(readFileSync(path, 'latin1')),
      ),
    ];
    expect(sightings).toEqual([]);
  }, 60_000);

  test('is not told by a refusal, nor by a connection that fails', async () => {
    const upstream = await openUpstream(
      { accounts: [{ id: 'main', key: 'another' }] },
      { upstream: { api_key: KEY } },
    );
    onTestFinished(() => upstream.close());
    const refused = await upstream.cli('sync');
    expect(refused.json.data).toMatchObject({ ended: 'unauthorised' });
    const nowhere = upstream.configure(
      { upstream: { api_key: KEY, base_url: 'http://127.0.0.1:1/api' } },
      'other.yaml',
    );
    const failed = await upstream.cli('sync', '--config', nowhere, '--max-minutes', '0.03');
    for (const { stdout, stderr } of [refused, failed]) expect(holdsKey(stdout + stderr)).toBe(false);
  }, 60_000);
});

function holdsKey(text: string): boolean {
  return FORMS.some((form) => text.includes(form));
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}
