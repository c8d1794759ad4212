import { type Stats, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Dialect } from '../dialect/dialect.ts';
import { UsageError } from '../errors.ts';
import { type Environment, processEnvironment } from './environment.ts';
import type { Config } from './schema.ts';

export { ConfigError } from './config_error.ts';
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

export const DEFAULT_CONFIG_PATH = 'registry-mirror.yaml';

interface ConfigChoice {
  /** The path from the command line. */
  readonly path?: string | undefined;
  readonly env?: Environment;
  readonly workingDirectory?: string;
}

/**
 * Returns the configuration file's path, which is the first of these that exists or is set:
 *
 * - `path`
 * - the variable REGISTRY_MIRROR_CONFIG
 * - registry-mirror.yaml in the working directory or the nearest folder above it
 * - the user's file in ~/.config/registry-mirror
 */
export function configPath({
  path,
  env = processEnvironment(),
  workingDirectory = process.cwd(),
}: ConfigChoice = {}): string {
  const named = path ?? env.REGISTRY_MIRROR_CONFIG;
  if (named !== undefined) return named;
  if (isFile(join(workingDirectory, DEFAULT_CONFIG_PATH))) return DEFAULT_CONFIG_PATH;
  const found = [...foldersAbove(workingDirectory)]
    .map((folder) => join(folder, DEFAULT_CONFIG_PATH))
    .find(isTrusted);
  if (found !== undefined) return found;
  const own = userConfig(env);
  return own !== null && isFile(own) ? own : DEFAULT_CONFIG_PATH;
}

function* foldersAbove(folder: string): Generator<string> {
  for (let above = dirname(resolve(folder)); ; above = dirname(above)) {
    yield above;
    if (dirname(above) === above) return;
  }
}

/**
 * Accepts only files that this user or the administrator owns. A file in a shared folder such as /tmp may belong to
 * another user, who could make the program send the key to another host.
 */
function isTrusted(path: string): boolean {
  const stats = statsOf(path);
  if (stats === null || !stats.isFile()) return false;
  const user = process.getuid?.();
  return user === undefined || stats.uid === user || stats.uid === 0;
}

/** Returns the path of the user's file (https://specifications.freedesktop.org/basedir-spec). */
function userConfig({ XDG_CONFIG_HOME, HOME }: Environment): string | null {
  const base = XDG_CONFIG_HOME || (HOME ? join(HOME, '.config') : null);
  return base === null ? null : join(base, 'registry-mirror', DEFAULT_CONFIG_PATH);
}

function isFile(path: string): boolean {
  return statsOf(path)?.isFile() === true;
}

/** Returns null if the file does not exist, or if its folder may not be entered. Such a folder is skipped. */
function statsOf(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}
