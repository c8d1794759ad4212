import { windowRows } from '../allowance/window_table.ts';

/** Variables that override the file, with the keys that they set. `docs/configuration.md` lists them. */
export const VARIABLES: Readonly<Record<string, string>> = {
  REGISTRY_MIRROR_BASE_URL: 'upstream.base_url',
  REGISTRY_MIRROR_API_KEY: 'upstream.api_key',
  REGISTRY_MIRROR_CONCURRENCY: 'upstream.concurrency',
  REGISTRY_MIRROR_PROXY: 'upstream.proxy',
  REGISTRY_MIRROR_CA_FILE: 'upstream.ca_file',
  REGISTRY_MIRROR_ACCOUNT: 'account.id',
  REGISTRY_MIRROR_PER_MINUTE: 'allowance.per_minute',
  ...Object.fromEntries(
    windowRows().map(({ key }) => [`REGISTRY_MIRROR_${key.toUpperCase()}`, `allowance.${key}`]),
  ),
  REGISTRY_MIRROR_FOCUS: 'focus',
  REGISTRY_MIRROR_WAREHOUSE: 'warehouse',
  REGISTRY_MIRROR_LEDGER: 'ledger',
  REGISTRY_MIRROR_REDIS_URL: 'worker.redis_url',
  REGISTRY_MIRROR_HEALTH_HOST: 'worker.health_host',
  REGISTRY_MIRROR_HEALTH_PORT: 'worker.health_port',
};

/** One value that overrides the file. */
export interface Override {
  readonly path: readonly string[];
  readonly value: string;
  /** The variable's name, for messages. */
  readonly by: string;
}

/**
 * Returns the values from the environment. Unknown variables that begin with REGISTRY_MIRROR_ are ignored, because
 * Kubernetes sets such variables for a service named `registry-mirror`. An empty variable counts as not set.
 */
export function overridesFromEnvironment(env: Environment): Override[] {
  return Object.entries(VARIABLES).flatMap(([name, key]) => {
    const value = env[name];
    return value === undefined || value === '' ? [] : [{ path: key.split('.'), value, by: name }];
  });
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Returns this process's environment. No other code reads it. */
export function processEnvironment(): Environment {
  return process.env;
}

/** Returns whether a variable is set. An empty variable, such as NO_COLOR or CI, counts as not set (no-color.org). */
export function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}
