import net from 'node:net';
import { text as streamText } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openHealthServer } from '../../jobs/health_server.ts';
import { type Measured, openMetrics } from '../../jobs/metrics.ts';
import type { RegistryState, RegistryWorker } from '../../jobs/registry_worker.ts';
import { measuredWorker } from '../support/measured_worker.ts';
import { until, workplacesOverOneRedis } from '../support/worker.ts';

const PASSWORD = 'correct horse';
const workplace = workplacesOverOneRedis();

describe("the worker's HTTP port", () => {
  it('the dashboard shows all queues in this Redis', async () => {
    const { place, url } = await startOn();
    await startOn({}, { prefix: place.prefix, name: 'Sark' });
    expect(await text(`${url}/queues`)).toContain('<title>');
    await until('both queues are shown', async () => (await queuesShown(url)).length === 2);
    expect((await queuesShown(url)).map(({ name }) => name).sort()).toEqual([
      'isle-of-man.main',
      'sark.main',
    ]);
  });

  it('on other addresses, the worker offers no dashboard without a password', async () => {
    const { url } = await startOn({ health_host: '0.0.0.0' });
    const closed = await fetch(`${local(url)}/queues`);
    expect(closed.status).toBe(403);
    expect(await closed.text()).toContain('worker.board_password');
    expect((await fetch(`${local(url)}/health`)).status).toBe(200);
  });

  it('the dashboard requires the password if one is set', async () => {
    const { url } = await startOn({ health_host: '0.0.0.0', board_password: PASSWORD });
    const board = `${local(url)}/queues/api/queues`;
    expect((await fetch(board)).status).toBe(401);
    expect((await fetch(board, { headers: basic('wrong pass') })).status).toBe(401);
    // Wrong passwords wait for each other, so that at most two are checked in a second.
    const startedMs = performance.now();
    await Promise.all([1, 2, 3].map((n) => fetch(board, { headers: basic(`wrong ${n}`) })));
    expect(performance.now() - startedMs).toBeGreaterThan(1400);
    expect((await fetch(board, { headers: basic(PASSWORD) })).status).toBe(200);
    const paused = `${board}/isle-of-man.main/pause`;
    expect((await fetch(paused, { method: 'PUT', headers: basic(PASSWORD) })).status).toBe(200);
    expect((await fetch(`${local(url)}/metrics`)).status).toBe(200);
  });

  it('requests have the same limits as those to `serve`', async () => {
    const { url } = await startOn();
    const socket = net.connect(Number(new URL(url).port), '127.0.0.1');
    socket.write(
      'GET /health HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n',
    );
    expect(await streamText(socket)).toContain('HTTP/1.1 400 ');
  });

  it("the worker's error names the remedy if another process uses its HTTP port", async () => {
    const { url } = await startOn();
    const other = await workplace({
      name: 'Sark',
      overrides: { worker: { health_port: Number(new URL(url).port) } },
    });
    await expect(other.startWorker()).rejects.toMatchObject({
      exitCode: 2,
      hint: expect.stringContaining('health_port'),
    });
  });
});

describe('a worker for several registries', () => {
  const ready = measuredWorker({ problems: [], leadsSinceMs: null });
  const faults: [string, Partial<RegistryState>][] = [
    ['has not started', { role: 'starting' }],
    ['has not been reconciled in time', { leadsSinceMs: ready.nowMs - 40_000 }],
    ['cannot read its files', { problems: [{ name: 'files', cause: '', remedy: '' }] }],
  ];
  const responseWith = async (other: Measured, path: string) => {
    const measured = { ...ready, registries: [...ready.registries, ...other.registries] };
    const server = await openHealthServer({
      host: '127.0.0.1',
      port: 0,
      password: null,
      measure: () => measured,
      metrics: openMetrics(() => measured),
      openBoard: () => Promise.reject(new Error('no dashboard')),
    });
    onTestFinished(() => server.close());
    return await fetch(server.url + path);
  };
  const statusesWith = async (other: Measured, path: string) => (await responseWith(other, path)).status;

  it('the worker is ready if all are', async () => {
    expect(await statusesWith(ready, '/ready')).toBe(200);
  });

  it.each(faults)('the worker is not ready if one of them %s', async (_what, fault) => {
    const other = measuredWorker({ problems: [], leadsSinceMs: null, ...fault });
    expect(await statusesWith(other, '/ready')).toBe(503);
    expect(await statusesWith(other, '/health')).toBe(200);
  });

  it.each([
    [null, 'open', null],
    [ready.nowMs + 5_000, 'waiting', '2027-03-10T12:00:05.000Z'],
    [Number.POSITIVE_INFINITY, 'used_up', null],
  ])('/ready describes each registry, also if its quota is closed until %s', async (until, allowance, at) => {
    const { state } = measuredWorker().registries[0] as RegistryWorker;
    const snapshot = state.snapshot && {
      ...state.snapshot,
      queue: { ...state.snapshot.queue, closedUntilMs: until },
    };
    const other = measuredWorker({ snapshot, leader: null, role: 'leading', isPaused: false });
    const { registries } = (await (await responseWith(other, '/ready')).json()) as { registries: object[] };
    expect(registries[1]).toEqual({
      name: 'isle',
      role: 'leading',
      leader: null,
      working: 'poll-stats',
      paused: false,
      allowance,
      allowance_resumes_at: at,
      problems: state.problems,
    });
  });

  it('a worker on standby states neither a pause nor an open allowance, which only the leader knows', async () => {
    const leader = { worker: 'w2', host: 'h', pid: 5, since: '', ledger: '' };
    const other = measuredWorker({ snapshot: null, leader, role: 'standing_by', isPaused: false });
    const { registries } = (await (await responseWith(other, '/ready')).json()) as { registries: object[] };
    expect(registries[1]).toMatchObject({ leader: 'w2', paused: null, allowance: null });
  });

  it('the worker is unhealthy if one of its loops is stuck', async () => {
    expect(await statusesWith(measuredWorker({ triedAtMs: ready.nowMs - 121_000 }), '/health')).toBe(503);
  });
});

async function startOn(worker: object = {}, more: { prefix?: string; name?: string } = {}) {
  const place = await workplace({ overrides: { worker }, ...more });
  const { url } = await place.startWorker();
  if (url === null) throw new Error('no port');
  return { place, url };
}

async function text(url: string): Promise<string> {
  return await (await fetch(url)).text();
}

async function queuesShown(url: string): Promise<{ name: string; readOnlyMode: boolean }[]> {
  const { queues } = (await (await fetch(`${url}/queues/api/queues`)).json()) as never;
  return queues;
}

function basic(password: string) {
  return { authorization: `Basic ${Buffer.from(`operator:${password}`).toString('base64')}` };
}

function local(url: string): string {
  return url.replace('0.0.0.0', '127.0.0.1');
}
