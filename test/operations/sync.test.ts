import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { generateRegistry } from '../../data/generate.ts';
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { compareWithUpstream } from '../support/equality.ts';
import { faulty } from '../support/faults.ts';
import { openMirrored } from '../support/served_mirror.ts';
import { type Overrides, openUpstream, type Upstream } from '../support/upstream.ts';

const COMPANIES = 150;
const open: Upstream[] = [];
const upstreamOf = async (options: SandboxOptions = {}, overrides: Overrides = {}) => {
  const upstream = await openUpstream({ companies: companies(COMPANIES), ...options }, overrides);
  open.push(upstream);
  return upstream;
};
const companies = (count: number) => [...generateRegistry({ companies: count, seed: 5 })];

afterAll(async () => {
  for (const upstream of open.splice(0)) await upstream.close();
});

describe('sync', () => {
  test('sync mirrors every field of a registry until nothing is due', async () => {
    const upstream = await upstreamOf();

    const first = await upstream.run('sync');
    expect(first).toMatchObject({ code: 0, json: { ok: true, command: 'sync' } });
    expect(first.json.data).toMatchObject({
      ended: 'done',
      new: COMPANIES,
      fetched: COMPANIES,
      quarantined: 0,
      coverage: 1,
    });
    const db = upstream.warehouse();
    expect(compareWithUpstream(db, upstream.sandbox)).toEqual({
      upstream: COMPANIES,
      listed: COMPANIES,
      records: COMPANIES,
      differences: [],
    });
    db.close();

    const arrivals = upstream.sandbox.arrivals().length;
    const second = await upstream.run('sync');
    expect(second.json.data).toMatchObject({ ended: 'done', calls_spent: 0 });
    expect(upstream.sandbox.arrivals()).toHaveLength(arrivals);
  });

  test('sync reports the date when a daily quota resets', async () => {
    const upstream = await upstreamOf(
      {},
      { allowance: { per_minute: 'unlimited', per_day: 20, day_starts: '00:00 UTC' } },
    );
    const { code, json } = await upstream.run('sync');
    expect(code).toBe(0);
    expect(json.data).toMatchObject({ ended: 'allowance', calls_spent: 20 });
    expect(json.data.resumes_at).toMatch(/T00:02:02\.000Z$/);
  });

  test('after Ctrl-C, sync finishes and loads the in-flight calls, and exits with 130', async () => {
    const upstream = await upstreamOf({ latencyMs: 5 });
    const command = upstream.start('sync');
    await upstream.arrived(20, command);
    command.process.kill('SIGINT');
    const { code, json } = await command.finished;
    expect({ code, ended: json.data.ended }).toEqual({ code: 130, ended: 'interrupted' });
    const db = upstream.warehouse();
    expect(db.prepare('SELECT count(*) FROM _call').pluck().get()).toBe(upstream.sandbox.arrivals().length);
    db.close();
  });
});

describe('sync with a failing upstream', () => {
  test('sync completes the mirror even if a fifth of all targets fail twice', async () => {
    const kinds = ['status', 'reset_before_headers', 'truncated', 'not_json', 'empty'] as const;
    const seen = new Map<string, { nth: number; tries: number }>();
    const upstream = await upstreamOf({
      companies: companies(60),
      faults: faulty(({ target }) => {
        const { nth, tries } = seen.get(target) ?? { nth: seen.size, tries: 0 };
        seen.set(target, { nth, tries: tries + 1 });
        if (nth % 5 !== 0 || tries >= 2) return null;
        const kind = kinds[(nth / 5) % kinds.length] as (typeof kinds)[number];
        return kind === 'status' ? { kind, status: 500 } : { kind };
      }),
    });
    const { json } = await upstream.run('sync');
    expect(json.data).toMatchObject({ ended: 'done' });
    const db = upstream.warehouse();
    expect(compareWithUpstream(db, upstream.sandbox)).toMatchObject({ records: 60, differences: [] });
    db.close();
  });
});

test('a run leaves no connection to the upstream open', async () => {
  const sockets: Socket[] = [];
  const note = (message: unknown) => void sockets.push((message as { socket: Socket }).socket);
  subscribe('net.client.socket', note);
  onTestFinished(() => void unsubscribe('net.client.socket', note));
  const mirror = await openMirrored({ companies: companies(5) });
  onTestFinished(() => mirror.close());
  await mirror.sync();
  expect(sockets).not.toEqual([]);
  expect(sockets.filter(({ destroyed }) => !destroyed)).toEqual([]);
});
