import type { Dialect } from '../dialect/dialect.ts';
import { UsageError } from '../errors.ts';
import type { Config } from './schema.ts';

export { ConfigError } from './config_error.ts';
export { configPath, DEFAULT_CONFIG_PATH } from './config_file.ts';
export type { Environment } from './environment.ts';
export type { Config, ConfigInput } from './schema.ts';
export { Secret, SecretUrl } from './secret.ts';

/**
 * Returns the dialect, which every command that sends calls needs, except `probe`.
 *
 * @throws UsageError if the configuration has no dialect.
 */
export function requireDialect(config: Config): Dialect {
  if (config.dialect !== undefined) return config.dialect;
  throw new UsageError('the configuration has no dialect, which describes how the API responds', {
    hint: 'Run `registry-mirror probe`, which learns it in a few calls and writes it into the file',
  });
}
