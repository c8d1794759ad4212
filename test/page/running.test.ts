import { afterAll, beforeAll, expect, test } from 'vitest';
import { Documents } from '../../src/page/documents.ts';
import { acquireLock } from '../../src/warehouse/lock.ts';
import { startRun } from '../../src/warehouse/run.ts';
import { companies, type Mirrored, openMirrored } from '../support/served_mirror.ts';

let mirror: Mirrored;

beforeAll(async () => {
  mirror = await openMirrored({ companies: companies(10) });
  await mirror.sync();
});
afterAll(() => mirror.close());

test('a running job is shown as running, and its run does not count as killed', () => {
  const { config, now, house } = mirror;
  const { db } = house.warehouse;
  acquireLock(db, { owner: 'me', pid: 1, host: 'registry.example', isAlive: () => true, nowMs: now() });
  startRun(db, { command: 'poll-stats', owner: 'me', nowMs: now() });
  const schedule = { ...config.schedule, stats: '* * * * *' };
  const documents = new Documents({
    config: { ...config, schedule },
    now,
  });
  const opened = { current: () => ({ db }), fault: new Error('not open'), doubt: () => false };
  const { body = '' } = documents.draw(new URL('http://page/'), 'UTC', opened) ?? {};
  expect(body).toContain('1 run ended in 60 days, 0 without success');
  const schedules = /id="schedules".*?<\/table>/s.exec(body)?.[0];
  expect(schedules).toContain('running');
  expect(body).not.toContain('killed</td>');
});
