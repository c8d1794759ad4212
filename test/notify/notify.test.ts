import { createHmac } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Clock } from '../../src/clock.ts';
import { Receiver } from '../../src/config/receiver.ts';
import { forget } from '../../src/load/forget.ts';
import { isPrivate } from '../../src/notify/delivery.ts';
import {
  deliverDue,
  type Notifier,
  registerReceivers,
  sendSample,
  storeDigests,
} from '../../src/notify/notify.ts';
import { Deliveries } from '../../src/warehouse/deliveries.ts';
import { FACT_CONFIG } from '../support/facts.ts';
import { bench, dialectWith, resultPage, START_MS, temporaryFolder } from '../support/loader.ts';

const KEY = Buffer.alloc(32, 7);
const SECRET = `whsec_${KEY.toString('base64')}`;
const DONE = { healthy: true, ended: 'done', why: null };
const HOUR_MS = 3_600_000;

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A local receiver that responds with these statuses in order, and then repeats the last one. */
async function hook(...statuses: number[]) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text) => (body += text));
    request.on('end', () => {
      const status = statuses[Math.min(received.length, statuses.length - 1)] ?? 200;
      received.push({ headers: request.headers, body });
      response.writeHead(status, { location: '/elsewhere' }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` };
}

function receiver(url: string, options: object = {}): Receiver {
  return Receiver.parse({ name: 'ops', webhook: { url, secret: SECRET, allow_private: true }, ...options });
}

function mirrorWith(...receivers: Receiver[]) {
  const lived = bench();
  let nowMs = START_MS;
  const clock: Clock = { now: () => nowMs, sleep: async () => {} };
  const config = { source: { ...FACT_CONFIG.source, name: 'Registry' }, notify: receivers };
  const options: Notifier = { warehouse: lived.warehouse, clock, config };
  registerReceivers(options);
  return {
    ...lived,
    options,
    later: (ms: number) => {
      nowMs += ms;
    },
    digest: (end = DONE) => {
      storeDigests(options, end);
      return deliverDue(options);
    },
  };
}

const bodies = (received: readonly Received[]) => received.map(({ body }) => JSON.parse(body));

test('a webhook receives one signed digest for each run', async () => {
  const { received, url } = await hook();
  const { record, search, digest, warehouse } = mirrorWith(receiver(url));
  search('a', resultPage({ id: 'C1', name: 'Alpha' }));
  record('C2', { id: 'C2', name: 'Beta', status: 'active' });
  expect(await digest()).toEqual({ delivered: 1, failed: 0 });
  record('C2', { id: 'C2', name: 'Beta', status: 'dissolved' });
  record('C1', { id: 'C1', name: 'Alpha', class: 'Deleted' });
  await digest();
  expect(await digest()).toEqual({ delivered: 0, failed: 0 });
  expect(new Deliveries(warehouse.db).status('ops')).toMatchObject({ delivered: 2, waiting: 0 });
  expect(warehouse.db.prepare('SELECT count(*) FROM _delivery').pluck().get()).toBe(0);
  const [first, second] = bodies(received);
  expect(first).toMatchObject({
    type: 'registry.digest',
    data: {
      source: 'Registry',
      counts: { new: 2, changed: 0, gone: 0 },
      new: [
        { entity_id: 'C1', name: 'Alpha' },
        { entity_id: 'C2', name: 'Beta' },
      ],
      health: null,
    },
  });
  expect(second.data).toMatchObject({
    counts: { new: 0, changed: 1, gone: 1 },
    changed: [{ entity_id: 'C2', fields: [{ path: '/status', before: 'active', after: 'dissolved' }] }],
    gone: [{ entity_id: 'C1', name: 'Alpha', gone_at: expect.any(String) }],
  });
  const { headers, body } = received[0] as Received;
  const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const expected = `v1,${createHmac('sha256', KEY).update(content).digest('base64')}`;
  expect(headers['webhook-signature']).toBe(expected);
  expect(first.id).toBe(headers['webhook-id']);
});

test('a receiver gets only the events, companies and fields that its filter selects', async () => {
  const { received, url } = await hook();
  const watchlist = join(temporaryFolder(), 'ids.txt');
  writeFileSync(watchlist, '# ours\n\nC1\n');
  const { record, digest } = mirrorWith(
    receiver(url, { events: ['changed'], watchlist, fields: ['/address'] }),
  );
  for (const city of ['Oslo', 'Bergen'])
    for (const id of ['C1', 'C2']) record(id, { id, name: `${id} in ${city}`, address: { city } });
  await digest();
  expect(bodies(received).map(({ data }) => [data.counts, data.changed])).toEqual([
    [
      { new: 0, changed: 1, gone: 0 },
      [
        {
          entity_id: 'C1',
          name: 'C1 in Bergen',
          fields: [
            { path: '/address/city', before: 'Oslo', after: 'Bergen', observed_at: expect.any(String) },
          ],
        },
      ],
    ],
  ]);
});

test('a failed delivery is retried with the same id, and a redirect counts as a failure', async () => {
  const { received, url } = await hook(500, 302, 200);
  const { record, digest, later, options } = mirrorWith(receiver(url));
  record('C1', { id: 'C1' });
  expect(await digest()).toEqual({ delivered: 0, failed: 1 });
  expect(await deliverDue(options)).toEqual({ delivered: 0, failed: 0 });
  later(HOUR_MS);
  expect(await deliverDue(options)).toEqual({ delivered: 0, failed: 1 });
  later(HOUR_MS);
  expect(await deliverDue(options)).toEqual({ delivered: 1, failed: 0 });
  expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect(received).toHaveLength(3);
});

test('a receiver is disabled after repeated failures, and enabled once it accepts a test message', async () => {
  const { received, url } = await hook(...new Array(10).fill(503), 200, 503, 200);
  const { record, digest, later, options } = mirrorWith(receiver(url));
  const table = new Deliveries(options.warehouse.db);
  record('C1', { id: 'C1' });
  await digest();
  for (let nth = 0; nth < 20; nth++) {
    later(24 * HOUR_MS);
    await deliverDue(options);
  }
  expect(received).toHaveLength(10);
  expect(table.status('ops')).toMatchObject({ disabledAt: expect.any(String), waiting: 1 });
  record('C2', { id: 'C2' });
  await digest();
  expect(table.status('ops')).toMatchObject({ waiting: 1 });
  expect(await sendSample(options, options.config.notify[0] as Receiver)).toEqual({ is: 'delivered' });
  // Its attempts are counted from one again, so another failure does not disable it.
  expect(await digest()).toEqual({ delivered: 1, failed: 1 });
  later(HOUR_MS);
  expect(await digest()).toEqual({ delivered: 1, failed: 0 });
  expect(bodies(received.slice(-3)).map(({ data }) => data.new[0].entity_id)).toEqual(['C1', 'C2', 'C1']);
});

test('a receiver that responds with 410 is disabled immediately, and gets no other digest that is due', async () => {
  const { received, url } = await hook(500, 410);
  const { record, digest, later, options } = mirrorWith(receiver(url));
  record('C1', { id: 'C1' });
  await digest();
  record('C2', { id: 'C2' });
  later(HOUR_MS);
  expect(await digest()).toEqual({ delivered: 0, failed: 1 });
  expect(received).toHaveLength(2);
  expect(new Deliveries(options.warehouse.db).status('ops')?.disabledAt).not.toBeNull();
});

test("a change in the mirror's health is sent to its receiver", async () => {
  const { received, url } = await hook();
  const { digest } = mirrorWith(receiver(url));
  const failed = { healthy: false, ended: 'unauthorised', why: 'the key was rejected' };
  await digest();
  await digest(failed as never);
  await digest(failed as never);
  await digest();
  expect(bodies(received).map(({ data }) => data.health)).toEqual([failed, DONE]);
});

test('a forgotten company is removed from digests that have not been delivered', async () => {
  const { received, url } = await hook(500, 200);
  const { record, digest, later, options, warehouse } = mirrorWith(receiver(url));
  record('C1', { id: 'C1', name: 'Secret' });
  record('C2', { id: 'C2', name: 'Other' });
  await digest({ healthy: false, ended: 'failed', why: 'entity C1: HTTP 500: cannot show Secret' } as never);
  forget({ warehouse, dialect: dialectWith(), entityIds: ['C1'], nowMs: START_MS });
  later(HOUR_MS);
  await deliverDue(options);
  const [before, after] = bodies(received);
  expect(after).toEqual({
    ...before,
    data: {
      ...before.data,
      new: [{ entity_id: 'C2', name: 'Other' }],
      health: { ...before.data.health, why: '(forgotten)' },
    },
  });
});

test('webhooks to private addresses are rejected unless the configuration allows them', async () => {
  const { received, url } = await hook();
  const secret = SECRET;
  for (const private_ of [
    url.replace('http:', 'https:'),
    'https://localhost:9/',
    'https://[::ffff:10.0.0.1]/',
  ]) {
    const closed = Receiver.parse({ name: 'ops', webhook: { url: private_, secret } });
    const { options } = mirrorWith(closed);
    expect(await sendSample(options, closed)).toMatchObject({
      is: 'failed',
      why: expect.stringContaining('private address'),
    });
  }
  expect(received).toEqual([]);
  expect(['8.8.8.8', '2606:4700::1111', '93.184.216.34'].filter(isPrivate)).toEqual([]);
  expect(
    [
      '169.254.169.254',
      '100.64.0.1',
      'fd00::1',
      'fec0::1',
      '::ffff:0:7f00:1',
      '5f00::1',
      '::1',
      '0.0.0.0',
    ].map(isPrivate),
  ).not.toContain(false);
  expect(Receiver.safeParse({ name: 'ops', webhook: { url, secret } }).success).toBe(false);
});

test('a command receives JSON on standard input but does not inherit the environment', async () => {
  const out = join(temporaryFolder(), 'out');
  const script = `cat > ${out}; env >> ${out}`;
  const { record, digest } = mirrorWith(
    Receiver.parse({ name: 'script', command: ['/bin/sh', '-c', script] }),
  );
  record('C1', { id: 'C1', name: 'Alpha' });
  expect(await digest()).toEqual({ delivered: 1, failed: 0 });
  const text = readFileSync(out, 'utf8');
  expect(JSON.parse(text.slice(0, text.lastIndexOf('}') + 1)).data.new).toEqual([
    { entity_id: 'C1', name: 'Alpha' },
  ]);
  expect(text).not.toContain('HOME=');
  const failing = Receiver.parse({ name: 'script', command: ['/bin/sh', '-c', 'echo broken >&2; exit 3'] });
  expect(await sendSample(mirrorWith(failing).options, failing)).toMatchObject({
    why: '/bin/sh ended with 3: broken',
  });
});

test('a digest is sent through sendmail as an email with an encoded subject and text', async () => {
  const folder = temporaryFolder();
  const sendmail = join(folder, 'sendmail');
  writeFileSync(sendmail, `#!/bin/sh\necho "$@" > ${folder}/arguments\ncat > ${folder}/mail\n`, {
    mode: 0o755,
  });
  const mail = { to: 'ops@example.org', from: 'mirror@example.org', sendmail };
  const { record, digest } = mirrorWith(Receiver.parse({ name: 'mail', mail }));
  record('C1', { id: 'C1', name: 'Alpha\nBcc: x@example.org' });
  expect(await digest()).toEqual({ delivered: 1, failed: 0 });
  expect(readFileSync(join(folder, 'arguments'), 'utf8')).toBe('-t -i -f mirror@example.org\n');
  const [head = '', body = ''] = readFileSync(join(folder, 'mail'), 'utf8').split('\n\n');
  expect(head).toContain('To: ops@example.org');
  expect(head).not.toContain('Bcc');
  const subject = /Subject: =\?utf-8\?B\?(.*)\?=/.exec(head)?.[1] ?? '';
  expect(Buffer.from(subject, 'base64').toString()).toBe('Registry: 1 new, 0 changed, 0 gone');
  expect(Buffer.from(body, 'base64').toString()).toContain('new      C1  Alpha');
});

test('a watchlist that disappears during a run delays the digest until it is back', async () => {
  const { received, url } = await hook(200);
  const watchlist = join(temporaryFolder(), 'watched.txt');
  const { record, digest } = mirrorWith(receiver(url, { watchlist }));
  record('C1', { id: 'C1', name: 'Alpha' });
  expect(await digest()).toEqual({ delivered: 0, failed: 0 });
  writeFileSync(watchlist, 'C1\n');
  expect(await digest()).toEqual({ delivered: 1, failed: 0 });
  expect(JSON.parse(received[0]?.body ?? '').data.counts).toMatchObject({ new: 1 });
});

test("a receiver's state shows the error of its latest failed delivery", () => {
  const { warehouse } = mirrorWith(receiver('http://127.0.0.1:1/hook'));
  const deliveries = new Deliveries(warehouse.db);
  deliveries.add('1', 'ops', '{}', '2026-01-01T00:00:00.000Z');
  deliveries.add('2', 'ops', '{}', '2026-01-02T00:00:00.000Z');
  deliveries.failed('1', 'status 503');
  deliveries.failed('2', 'no response');
  expect(deliveries.status('ops')).toMatchObject({ waiting: 2, error: 'no response' });
});
