import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { generateRegistry } from '../../data/generate.ts';
import { KEY_IN_BODY } from '../../src/outcome.ts';
import type { Fault } from '../support/faults.ts';
import { faulty } from '../support/faults.ts';
import { type OwnRedis, startOwnRedis } from '../support/redis_server.ts';
import { openWorkplace, until } from '../support/worker.ts';
import {
  argumentsOf,
  CANARY,
  filesWithCanary,
  holdsCanary,
  responseText,
  TELLTALE_BODY,
  telltale,
  WELL_FORMED,
} from './canary.ts';

const UNAUTHORISED: Fault = { kind: 'status', status: 401, body: TELLTALE_BODY };

// The debug level logs the most lines, which include everything that the other levels log.
test("a canary key appears in none of a worker's logs, metrics, dashboards, queues or files", async () => {
  const redis = await startOwnRedis();
  onTestFinished(() => redis.close());
  let asked = 0;
  let fault: (nth: number) => Fault | null = telltale;
  const place = await openWorkplace({
    redisUrl: redis.url,
    sandbox: {
      companies: [...generateRegistry({ companies: 2000, seed: 3 })],
      accounts: [{ id: 'main', key: CANARY }],
      faults: faulty(() => fault(asked++)),
    },
    overrides: { worker: { log_level: 'debug' } },
  });
  onTestFinished(() => place.close());

  const command = place.upstream.start('worker', '--health-port', '0', '--json');
  let log = '';
  command.process.stderr?.on('data', (text: string) => {
    log += text;
  });
  const neighbours = argumentsOf(command);
  await until('the worker has met all faults', () => asked > 22, 40_000);
  fault = () => WELL_FORMED;
  await until('a call was good', () => log.includes('"level":"debug"'));
  fault = () => UNAUTHORISED;
  await until('a job has failed', () => log.includes('"level":"error"'));

  const url = /"url":"([^"]+)"/.exec(log)?.[1] ?? '';
  const outputs = [neighbours];
  const queue = `activeQueue=${encodeURIComponent(place.queueName)}&page=1&jobsPerPage=50`;
  for (const path of [
    '/health',
    '/ready',
    '/metrics',
    '/queues',
    ...['latest', 'failed', 'completed'].map((status) => `/queues/api/queues?${queue}&status=${status}`),
  ])
    outputs.push(await responseText(url + path));
  const stored = place.upstream.warehouse();
  const withoutBody = stored
    .prepare(
      'SELECT count(*) FROM _quarantine WHERE reason = ? AND call_id NOT IN (SELECT call_id FROM _answer)',
    )
    .pluck();
  expect(withoutBody.get(KEY_IN_BODY)).toBeGreaterThan(0);
  stored.close();
  const [job] = await place.queue.getFailed();
  expect(job).toBeDefined();
  const ofJob = `/queues/api/queues/${encodeURIComponent(place.queueName)}/${encodeURIComponent(job?.id ?? '')}`;
  outputs.push(await responseText(url + ofJob), await responseText(`${url}${ofJob}/logs`));
  outputs.push(JSON.stringify(await place.queue.getJobs()));
  command.process.kill('SIGTERM');
  const { code, stdout, stderr } = await command.finished;

  expect(code).toBe(0);
  for (const level of ['debug', 'info', 'warn', 'error']) expect(stderr).toContain(`"level":"${level}"`);
  expect(outputs.length).toBeGreaterThan(10);
  expect([...outputs, stdout, stderr].filter(holdsCanary)).toEqual([]);
  expect(filesWithCanary(place.upstream.folder, [place.upstream.configPath])).toEqual([]);
  // Redis's append-only file contains every write without compression.
  expect(await writesOf(redis)).toContain(place.queueName);
  expect(filesWithCanary(redis.folder, [])).toEqual([]);
}, 90_000);

async function writesOf({ folder, url }: OwnRedis): Promise<string> {
  const client = new Redis(url);
  await client.config('SET', 'appendfsync', 'always');
  await client.quit();
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.aof'))
    .map((name) => readFileSync(join(folder, name), 'latin1'))
    .join('');
}
