import { type Config, requireDialect } from '../src/config/config.ts';
import { credentialsOf } from '../src/config/credentials.ts';
import { assertWritable } from '../src/config/paths.ts';
import { UsageError } from '../src/errors.ts';
import { openLedgerOf } from '../src/operations/configured_ledger.ts';
import { queueNameOf } from './queue.ts';

/**
 * Checks, before the worker opens anything, that it can run with these configurations.
 *
 * @throws UsageError if a configuration is unsuitable, or if two configurations have the same registry and account, or
 * the same warehouse.
 */
export function assertServable(configs: readonly Config[]): void {
  for (const config of configs) {
    requireDialect(config);
    credentialsOf(config.upstream);
    assertWritable(config.warehouse);
    openLedgerOf(config).close();
  }
  assertUnique(configs, queueNameOf, (name) => `two configurations have the same queue \`${name}\``);
  assertUnique(
    configs,
    ({ warehouse }) => warehouse,
    (path) => `two configurations use the warehouse ${path}`,
  );
  const redis = new Set(configs.map(({ worker }) => `${worker.redis_url.reveal()} ${worker.prefix}`));
  if (redis.size > 1)
    throw new UsageError('the configurations have different `worker.redis_url` or `worker.prefix`', {
      hint: 'A worker uses one Redis. Start one worker for each Redis, or set the same values in all configurations.',
    });
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
        hint: 'Set a different `source.name` or `account.id`, and a different `warehouse`, for each registry.',
      });
    seen.add(key);
  }
}
