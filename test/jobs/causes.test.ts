import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { Overrides } from '../support/upstream.ts';
import { until, type Workplace, workplacesOverOneRedis } from '../support/worker.ts';

const workplace = workplacesOverOneRedis();

describe("how /ready and the worker's metrics name a problem's cause", () => {
  it('the worker reports that a newer version has migrated the warehouse', async () => {
    const { place, url } = await startMirrored();
    const db = new Database(place.config().warehouse);
    db.exec("INSERT INTO _migration VALUES (999, 'from_the_future', '2030-01-01')");
    db.close();
    await until('the worker is not ready', async () => (await ready(url)).status === 503);
    expect(await causesOf(url)).toEqual({ files: expect.stringContaining('newer version') });
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });

  it('the worker reports a lost ledger until it is rebuilt', async () => {
    const { place, url } = await startMirrored({ allowance: { per_minute: 'unlimited', per_day: 5000 } });
    const { ledger } = place.config();
    for (const suffix of ['', '-journal']) rmSync(ledger + suffix, { force: true });
    await until('the worker is not ready', async () => (await ready(url)).status === 503);
    expect(await causesOf(url)).toEqual({
      ledger_lost: expect.stringMatching(/can lack \d+ calls.*--rebuild-ledger/),
    });
    const arrivals = place.upstream.sandbox.arrivals().length;
    await place.upstream.cli('doctor', '--rebuild-ledger');
    await until('the worker is ready', async () => (await ready(url)).status === 200);
    expect(await causesOf(url)).toEqual({});
    expect(place.upstream.sandbox.arrivals()).toHaveLength(arrivals);
  });

  it('the worker reports that the responses no longer match the dialect', async () => {
    const { place, url } = await startMirrored({ max_age: { records: '1s' } });
    await place.upstream.sandbox.useProfile({ paths: { entity: '/api/v2/entity/{id}' } });
    // After this time, every record is older than `max_age`.
    await sleep(1100);
    await place.queue.add('fetch-entities', {} as never);
    // The metrics are compared afterwards, because the drift can appear between two requests.
    await until('the drift is reported', async () =>
      (await problemsOf(url)).some(({ name }) => name === 'drift'),
    );
    expect(await causesOf(url)).toEqual({ drift: expect.stringContaining('probe --check') });
    expect((await ready(url)).status).toBe(200);
  });
});

async function startMirrored(overrides: Overrides = {}): Promise<{ place: Workplace; url: string }> {
  const place = await workplace({ overrides });
  const { url } = await place.startWorker();
  await until('the registry is mirrored', () => place.isMirrored() && place.runs().length === 3);
  await until('all jobs are completed', async () => (await place.queue.getCompletedCount()) === 3);
  return { place, url: url ?? '' };
}

async function problemsOf(url: string): Promise<Record<string, string>[]> {
  const [registry] = (await ready(url)).body.registries as { problems: Record<string, string>[] }[];
  return registry?.problems ?? [];
}

/**
 * Returns each problem's cause and remedy on /ready, by the problem's name. Checks that the metrics use the same names.
 */
async function causesOf(url: string): Promise<Record<string, string>> {
  const problems = await problemsOf(url);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const names = [...metrics.matchAll(/^registry_mirror_problem\{.*cause="(\w+)"\} 1$/gm)];
  expect(names.map(([, name]) => name)).toEqual(problems.map(({ name }) => name));
  return Object.fromEntries(problems.map(({ name, cause, remedy }) => [name, `${cause} ${remedy}`]));
}

async function ready(url: string) {
  const response = await fetch(`${url}/ready`);
  return { status: response.status, body: (await response.json()) as { registries: unknown[] } };
}
