import type { Logger } from 'pino';
import { type Config, requireDialect } from '../src/config/config.ts';
import { assertWritable } from '../src/config/paths.ts';
import { UsageError } from '../src/errors.ts';
import { openLedgerOf } from '../src/operations/assemble.ts';
import { SCHEDULED_JOBS } from './all_jobs.ts';
import { queueNameOf } from './queue_name.ts';
import { inspectRedis } from './redis_check.ts';
import { nextMoment } from './schedule.ts';
import { rhythmOf } from './schedule_reconciler.ts';

/** Refuses what could not be served, or would be served twice, before anything is opened. */
export function assertServable(configs: readonly Config[], nowMs: number): void {
  for (const config of configs) {
    requireDialect(config);
    assertWritable(config.warehouse);
    openLedgerOf(config).close();
    assertSchedules(config, nowMs);
  }
  assertUnique(configs, queueNameOf, (name) => `two configurations are both \`${name}\``);
  assertUnique(
    configs,
    ({ warehouse }) => warehouse,
    (path) => `two configurations name the warehouse ${path}`,
  );
  const redis = new Set(configs.map(({ worker }) => `${worker.redis_url.reveal()} ${worker.prefix}`));
  if (redis.size > 1)
    throw new UsageError('the configurations name different `worker.redis_url` or `worker.prefix`', {
      hint: 'One worker uses one Redis: start a worker for each, or let all name the same.',
    });
}

function assertSchedules(config: Config, nowMs: number): void {
  for (const job of SCHEDULED_JOBS) {
    try {
      nextMoment(rhythmOf(job, config), nowMs);
    } catch (error) {
      throw new UsageError(`the schedule of ${job.name} (${job.pattern(config)}) never comes`, {
        hint: 'Correct it under `schedule:` in the configuration.',
        cause: error,
      });
    }
  }
}

function assertUnique(
  configs: readonly Config[],
  keyOf: (config: Config) => string,
  message: (key: string) => string,
) {
  const seen = new Set<string>();
  for (const key of configs.map(keyOf)) {
    if (seen.has(key))
      throw new UsageError(message(key), {
        hint: 'Give each registry its own `source.name` or `account.id`, and its own `warehouse`.',
      });
    seen.add(key);
  }
}

/** Says which Redis it is, and what is wrong with it for a queue. */
export async function checkRedis({ worker }: Config, log: Logger): Promise<void> {
  const { facts, findings } = await inspectRedis(worker.redis_url);
  log.info({ redis: worker.redis_url.toString(), ...facts }, 'redis');
  for (const { message, hint } of findings) log.warn({ hint }, message);
}
