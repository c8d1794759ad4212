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
 * @throws UsageError if the configuration has no dialect, or an incomplete one.
 */
export function requireDialect({ dialect, incomplete }: Config): Dialect {
  if (dialect !== undefined) return dialect;
  if (incomplete !== undefined)
    throw new UsageError(incomplete.error.message, {
      hint: 'Add the keys, or run `registry-mirror probe`, which learns them and keeps those that you have set',
      cause: incomplete.error,
    });
  throw new UsageError('the configuration has no dialect, which describes how the API responds', {
    hint: 'Run `registry-mirror probe`, which learns it in a few calls and writes it into the file',
  });
}
