import { accessSync, constants, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { UsageError } from '../errors.ts';
import { ConfigError, type ConfigProblem } from './config_error.ts';
import { type Origin, problemAt } from './config_problems.ts';
import type { Config } from './schema.ts';

interface BaseDirectories {
  /** The configuration file's folder, to which paths in the file are relative. */
  readonly directory: string;
  /** The working directory, to which paths from the environment are relative. */
  readonly workingDirectory: string;
  readonly origin: Origin;
}

/**
 * Makes every path absolute.
 *
 * @throws ConfigError if an input file does not exist.
 */
export function resolvePaths(config: Config, bases: BaseDirectories): Config {
  const problems: ConfigProblem[] = [];
  const toWrite = (key: string, path: string) => absolute(key, path, bases);
  const toRead = (key: string, path: string) => {
    const file = absolute(key, path, bases);
    if (!isFile(file)) problems.push(noFile(key, file, bases.origin));
    return file;
  };
  const resolved: Config = {
    ...config,
    scope: scopeWith(config.scope, toRead),
    upstream: {
      ...config.upstream,
      ca_file: config.upstream.ca_file === null ? null : toRead('upstream.ca_file', config.upstream.ca_file),
    },
    notify: config.notify.map((receiver, at) => ({
      ...receiver,
      watchlist: receiver.watchlist && toRead(`notify.${at}.watchlist`, receiver.watchlist),
    })),
    warehouse: toWrite('warehouse', config.warehouse),
    ledger: toWrite('ledger', config.ledger),
  };
  if (problems.length > 0) throw new ConfigError(problems);
  return resolved;
}

/**
 * Checks that a database can be written at the path, without creating a file.
 *
 * @throws UsageError if the database cannot be written.
 */
export function assertWritable(path: string): void {
  const fault = writeFault(path);
  if (fault === null) return;
  throw new UsageError(`${path} cannot be written: ${fault}`, {
    hint: 'Correct the path in the configuration, or change the permissions',
  });
}

/** Returns why a database cannot be written at the path, or null if it can. Creates no file. */
export function writeFault(path: string): string | null {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory()) return 'it is a directory';
  const nearest = stats === undefined ? nearestFolder(dirname(path)) : path;
  if (stats === undefined && !statSync(nearest).isDirectory()) return `${nearest} is not a directory`;
  try {
    accessSync(nearest, constants.W_OK);
    return null;
  } catch {
    return `no permission to write ${nearest}`;
  }
}

/** Returns the file or folder at the path, or at the nearest path above it that exists. */
export function nearestFolder(path: string): string {
  return exists(path) || dirname(path) === path ? path : nearestFolder(dirname(path));
}

// If a parent on the path is a file, stat throws ENOTDIR even if throwIfNoEntry is false.
function exists(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

function absolute(
  key: string,
  path: string,
  { directory, workingDirectory, origin }: BaseDirectories,
): string {
  return resolve(origin.overridden.has(key) ? workingDirectory : directory, path);
}

function scopeWith(scope: Config['scope'], toRead: (key: string, path: string) => string): Config['scope'] {
  if (scope === 'whole') return scope;
  if ('names' in scope) return { names: toRead('scope.names', scope.names) };
  if ('ids' in scope) return { ids: toRead('scope.ids', scope.ids) };
  return { queries: toRead('scope.queries', scope.queries) };
}

function isFile(path: string): boolean {
  return exists(path) && statSync(path).isFile();
}

function noFile(key: string, file: string, origin: Origin): ConfigProblem {
  return problemAt(key.split('.'), origin, {
    message: `there is no file ${file}`,
    remedy: 'create it or correct the path',
  });
}
