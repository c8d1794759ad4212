import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { stringify } from 'yaml';
import type { z } from 'zod';
import type { StatedDialect } from '../dialect/dialect.ts';
import { UsageError } from '../errors.ts';
import { configPath } from './config.ts';
import { ConfigError, type ConfigProblem } from './config_error.ts';
import {
  configValueAt,
  type Origin,
  type ProblemText,
  problemAt,
  problemsOf,
  UNKNOWN_KEY,
} from './config_problems.ts';
import { override, readDocument } from './document.ts';
import { type Environment, overridesFromEnvironment, processEnvironment } from './environment.ts';
import type { KeyPath } from './key_paths.ts';
import { resolvePaths } from './paths.ts';
import { withProxyFromEnvironment } from './proxy.ts';
import { resolveReferences } from './references.ts';
import { type Config, ConfigFile, type ConfigInput } from './schema.ts';
import { Secret } from './secret.ts';

interface LoadOptions {
  /** The YAML file. If it is undefined, `configPath` searches for the file. */
  readonly path?: string | undefined;
  readonly env?: Environment;
}

/**
 * Reads and checks the configuration without writing anything. If a reference in `api_key` or `headers` cannot be
 * resolved, an error is thrown only when a call is about to be sent.
 *
 * @throws UsageError that lists all problems.
 */
export function loadConfig(options: LoadOptions = {}): Config {
  const path = configPath(options);
  return parseConfig({ ...options, path, text: readText(path) });
}

/** Creates a configuration from a value that is structured like the file, for the demo and tests. */
export function configFrom(input: ConfigInput, directory = process.cwd()): Config {
  return parseConfig({ path: resolve(directory, 'configuration'), text: stringify(input), env: {} });
}

/**
 * Checks a configuration text. `path` is the file name shown in problems, and paths in the text are relative to its
 * folder.
 */
export function parseConfig(options: LoadOptions & { readonly path: string; readonly text: string }): Config {
  const { path, text, env = processEnvironment() } = options;
  const directory = dirname(resolve(path));
  const file = readDocument(path, text);
  const unresolved = resolveReferences(file, directory, env);
  const origin = override(file, overridesFromEnvironment(env));
  const { config, problems } = checkData(origin);
  const secretProblems = unresolved.filter(({ key }) => isCredential(key) && !origin.overridden.has(key));
  const others = unresolved.filter(({ key }) => !isCredential(key));
  const named = new Set(others.map(({ key }) => key));
  const all = [...others, ...problems.filter(({ key }) => !named.has(key))];
  if (config === null || all.length > 0)
    throw new ConfigError([...secretProblems, ...all].sort(byImportance));
  const proxied = withProxyFromEnvironment(withCredentials(config, secretProblems), env);
  return resolvePaths(proxied, { directory, workingDirectory: process.cwd(), origin });
}

interface Checked {
  /** The checked configuration; null if there are problems. */
  readonly config: Config | null;
  readonly problems: readonly ConfigProblem[];
}

/** Checks configuration data against the schema. */
function checkData(origin: Origin): Checked {
  const { data } = origin;
  if (data === null || data === undefined)
    return rejected(origin, {
      message: 'the file is empty',
      remedy: 'run `registry-mirror init` to create one',
    });
  if (typeof data !== 'object' || Array.isArray(data))
    return rejected(origin, { message: 'must be a section with keys', remedy: 'begin with `version: 1`' });
  const parsed = ConfigFile.safeParse(data);
  if (parsed.success) return { config: parsed.data, problems: [] };
  const problems = problemsOf(parsed.error.issues, origin);
  if (!parsed.error.issues.every((issue) => isMissingInDialect(issue, data)))
    return { config: null, problems };
  const { dialect: stated, ...others } = data as ConfigInput;
  const incomplete = { stated: stated as StatedDialect, error: new ConfigError(problems) };
  return { config: { ...ConfigFile.parse(others), incomplete }, problems: [] };
}

/** Returns whether the only problem is that the dialect lacks a key, which `probe` can learn. */
function isMissingInDialect({ code, path }: z.core.$ZodIssue, data: object): boolean {
  const [section, ...deeper] = path as KeyPath;
  return (
    code !== 'custom' &&
    section === 'dialect' &&
    deeper.length > 0 &&
    configValueAt(path as KeyPath, data) === undefined
  );
}

function rejected(origin: Origin, text: ProblemText): Checked {
  return { config: null, problems: [problemAt([], origin, text)] };
}

function isCredential(key: string): boolean {
  return key === 'upstream.api_key' || key.startsWith('upstream.headers.');
}

/**
 * Marks the key as unknown if it or a constant header is missing, instead of rejecting the configuration, because
 * commands that make no calls need neither.
 */
function withCredentials(config: Config, problems: readonly ConfigProblem[]): Config {
  if (problems.length === 0) return config;
  return { ...config, upstream: { ...config.upstream, api_key: Secret.unknown(new ConfigError(problems)) } };
}

/** Sorts by position, but a mistyped key comes first, because it can be the cause of other problems. */
function byImportance(a: ConfigProblem, b: ConfigProblem): number {
  const isMistyped = ({ message }: ConfigProblem) => Number(message === UNKNOWN_KEY);
  return isMistyped(b) - isMistyped(a) || (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT')
      throw new UsageError(`the configuration file ${path} cannot be read (${code})`, {
        hint: 'Make the file and its folder readable for this user, or use --config FILE',
        cause: error,
      });
    throw new UsageError(`the configuration file ${path} does not exist`, {
      hint: 'Run `registry-mirror init` to create it, or use --config FILE',
      cause: error,
    });
  }
}
