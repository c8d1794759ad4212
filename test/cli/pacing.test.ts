import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { generateRegistry } from '../../data/generate.ts';
import { DAY_MS } from '../../src/durations.ts';
import { runCommand } from '../support/command.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';
import { openUpstream, type Upstream } from '../support/upstream.ts';

const LAST_DAY = new Date(Date.now() + 100 * DAY_MS).toISOString().slice(0, 10);
const PACED = { per_minute: 6_000, total: 1_000, pace_until: LAST_DAY };

let open: Upstream | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

test('with a total that must last, sync sends fewer refresh calls than are due, and sync --all sends them all', async () => {
  const upstream = await place();
  await upstream.run('sync');
  upstream.configure({ allowance: PACED, max_age: { records: '1s', summaries: '365d', stats: '365d' } });
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  const { pace, calls, next_run } = (await upstream.run('plan')).json.data;
  expect(pace).toMatchObject({ days_left: 101 });
  expect(pace.price_days).toBeGreaterThan(0);
  expect(calls).toEqual({ low: 0, high: 0 });
  expect(next_run.calls).toEqual({ low: 0, high: 0 });
  expect((await upstream.run('sync')).json.data).toMatchObject({ ended: 'done', calls_spent: 0 });
  expect((await upstream.run('sync', '--all')).json.data.calls_spent).toBeGreaterThanOrEqual(100);
});

test('with a scope, plan shows no pace, because due calls are never held back', async () => {
  const upstream = await place();
  const names = join(temporaryFolder(), 'names.txt');
  writeFileSync(names, 'Acme Limited\n');
  upstream.configure({ allowance: PACED, scope: { names } });
  expect((await upstream.run('plan')).json.data).toMatchObject({ scope: { of: 'names' }, pace: null });
  const { stdout } = await runCommand(['plan', '--config', upstream.configPath]);
  expect(stdout).not.toContain('pace');
});

async function place(): Promise<Upstream> {
  open = await openUpstream(
    {
      companies: [...generateRegistry({ companies: 100, seed: 4 })],
      profile: { dialect: { search: { matches: 'prefix' } } },
    },
    { allowance: PACED },
  );
  return open;
}
