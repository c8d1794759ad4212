import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { stringify } from 'yaml';
import type { Dialect } from '../dialect/dialect.ts';
import { UsageError } from '../errors.ts';
import { checkData } from './check.ts';
import { ConfigError, type Problem } from './config_problems.ts';
import { overrule, readDocument } from './document.ts';
import { type Overrides, overridesFromEnvironment, overridesFromFlags } from './environment.ts';
import { resolvePaths } from './paths.ts';
import { withProxyFromEnvironment } from './proxy.ts';
import { type Environment, resolveReferences } from './references.ts';
import type { Config, ConfigInput } from './schema.ts';

export { ConfigError } from './config_problems.ts';
export type { Overrides } from './environment.ts';
export type { Environment } from './references.ts';
export type { Config, ConfigInput } from './schema.ts';
export { Secret, SecretUrl } from './secret.ts';
export type { DayStart } from './values.ts';

export const DEFAULT_CONFIG_PATH = 'registry-mirror.yaml';

export interface LoadOptions {
  /** The YAML file; by default REGISTRY_MIRROR_CONFIG, else registry-mirror.yaml in the working directory. */
  readonly path?: string | undefined;
  /** What the command line says, in the shape of the file; it overrules environment and file. */
  readonly flags?: Overrides;
  readonly env?: Environment;
}

/** Reads and checks the configuration. Throws UsageError, naming everything that is wrong; writes nothing. */
export function loadConfig(options: LoadOptions = {}): Config {
  const path = configPath(options);
  return parseConfig({ ...options, path, text: readText(path) });
}

/** A configuration from a value in the shape of the file: for demonstrations and tests. */
export function configFrom(input: ConfigInput, directory = process.cwd()): Config {
  return parseConfig({ path: resolve(directory, 'configuration'), text: stringify(input), env: {} });
}

/** Checks the text of a configuration. `path` names it in problems, and its paths are relative to that file. */
export function parseConfig(options: LoadOptions & { readonly path: string; readonly text: string }): Config {
  const { path, text, flags = {}, env = processEnvironment() } = options;
  const directory = dirname(resolve(path));
  const file = readDocument(path, text);
  const unresolved = resolveReferences(file, directory, env);
  const origin = overrule(file, [...overridesFromEnvironment(env), ...overridesFromFlags(flags)]);
  const { config, problems } = checkData(origin);
  const named = new Set(unresolved.map(({ key }) => key));
  const all = [...unresolved, ...problems.filter(({ key }) => !named.has(key))];
  if (config === null || all.length > 0) throw new ConfigError(all.sort(byPlace));
  const proxied = withProxyFromEnvironment(config, env);
  return resolvePaths(proxied, { directory, workingDirectory: process.cwd(), origin });
}

function byPlace(a: Problem, b: Problem): number {
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);
}

/** The dialect, which every command that calls the registry needs, except `probe`. */
export function requireDialect(config: Config): Dialect {
  if (config.dialect !== undefined) return config.dialect;
  throw new UsageError('the configuration has no dialect: nothing is known yet of how the API speaks', {
    hint: 'run `registry-mirror probe`, which finds it in a few calls and writes it into the file',
  });
}

/** Which file is the configuration. */
export function configPath({ path, env = processEnvironment() }: LoadOptions = {}): string {
  return path ?? env.REGISTRY_MIRROR_CONFIG ?? DEFAULT_CONFIG_PATH;
}

/** The environment of this process. Nothing else reads it. */
export function processEnvironment(): Environment {
  return process.env;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') throw new UsageError(`${path} cannot be read (${code})`, { cause: error });
    throw new UsageError(`there is no configuration at ${path}`, {
      hint: 'run `registry-mirror init` to write one, or name it with --config FILE',
      cause: error,
    });
  }
}
