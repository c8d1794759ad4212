import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { Leadership, leaderOf } from '../../jobs/leadership.ts';
import { startRedis, type TestRedis } from '../support/redis_server.ts';

let server: TestRedis;
let redis: Redis;
let key: string;

beforeAll(async () => {
  server = await startRedis();
  redis = new Redis(server.url);
});
beforeEach(() => {
  key = `registry-mirror-test-${randomUUID()}`;
});
afterAll(async () => {
  redis.disconnect();
  await server.close();
});

it('the worker with the lease renews it, and other workers see who has it', async () => {
  const [first, second] = [leadershipOf('first'), leadershipOf('second')];
  expect(await first.renew()).toMatchObject({ leads: true, leader: { worker: 'first' } });
  expect(await first.renew()).toMatchObject({ leads: true });
  expect(await second.renew()).toMatchObject({ leads: false, leader: { worker: 'first', pid: 1 } });
  expect(await leaderOf(redis, key)).toMatchObject({ worker: 'first' });
});

it('only the leader can release the lease', async () => {
  const [first, second] = [leadershipOf('first'), leadershipOf('second')];
  await first.renew();
  await second.release();
  expect(await second.renew()).toMatchObject({ leads: false });
  await first.release();
  expect(await second.renew()).toMatchObject({ leads: true });
});

it('the leader takes the lease again if Redis loses it', async () => {
  const first = leadershipOf('first');
  await first.renew();
  await redis.del(key);
  expect(await first.renew()).toMatchObject({ leads: true });
});

function leadershipOf(worker: string) {
  return new Leadership(redis, key, { worker, host: 'here', pid: 1, since: '', ledger: '1:1' });
}
