import { expect, onTestFinished, test } from 'vitest';
import { readSnapshot } from '../../jobs/registry_snapshot.ts';
import { ALL_JOBS } from '../../jobs/worker.ts';
import { loadConfig } from '../../src/config/load_config.ts';
import { openUpstream } from '../support/upstream.ts';

test('the queue stays open for scheduled jobs until they have used the reserve too', async () => {
  const upstream = await openUpstream({}, { allowance: { per_minute: 6_000, total: 20, reserve: 0.5 } });
  onTestFinished(() => upstream.close());
  const config = loadConfig({ path: upstream.configPath, env: {} });
  const closedUntilMs = () =>
    readSnapshot(config, { jobs: ALL_JOBS, nowMs: Date.now(), afterCallId: null }).queue.closedUntilMs;
  await upstream.run('sync', '--max-calls', '12');
  expect(closedUntilMs()).toBeNull();
  await upstream.run('sync');
  expect(closedUntilMs()).toBe(Number.POSITIVE_INFINITY);
});
