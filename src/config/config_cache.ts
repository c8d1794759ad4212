import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { ConfigError, type Problem } from './config_error.ts';
import { PROXY_VARIABLES, VARIABLES } from './environment.ts';
import type { LoadOptions } from './load_config.ts';
import { processEnvironment } from './process_environment.ts';
import type { Config } from './schema.ts';
import { Secret, SecretUrl } from './secret.ts';

type Inputs = Omit<LoadOptions, 'flags'> & { readonly path: string; readonly version: string };

/**
 * Returns the same configuration as `loadConfig`, and caches it in the user's cache folder. Without the cache, a local
 * command spends half of its time reading and checking the file.
 *
 * The copy is encrypted with a digest of everything that `loadConfig` reads: the file, the variables, the referenced
 * files and the program. Only a process that can read all of this can therefore read the copy. A copy that is outdated,
 * corrupt or written by someone else cannot be decrypted and is replaced.
 */
export async function openConfig(inputs: Inputs): Promise<Config> {
  const file = cacheFile(inputs);
  const key = digestOf(inputs);
  const copy = file === null || key === null ? null : readCopy(file, key);
  if (copy !== null) return copy;
  const { loadConfig } = await import('./load_config.ts');
  const config = loadConfig(inputs);
  const isUnchanged = key !== null && digestOf(inputs)?.equals(key);
  if (file !== null && isUnchanged) writeCopy(file, key, config);
  return config;
}

/** Returns the path of the cached copy. All configurations share 16 files, so that the folder stays small. */
function cacheFile({ path, env = processEnvironment() }: Inputs): string | null {
  const { XDG_CACHE_HOME, HOME } = env;
  const base = XDG_CACHE_HOME || (HOME ? join(HOME, '.cache') : null);
  const slot = createHash('sha256').update(resolve(path)).digest('hex').slice(0, 1);
  return base === null ? null : join(base, 'registry-mirror', `config-${slot}`);
}

/** Returns a digest of everything that `loadConfig` reads, or null if the configuration cannot be cached. */
function digestOf({ path, version, env = processEnvironment() }: Inputs): Buffer | null {
  const text = readText(path);
  if (text === null || HIDDEN_REFERENCE.test(text)) return null;
  const references = [...text.matchAll(/\$\{(env|file):([^}]*)\}/g)].map(([, kind, name = '']) =>
    kind === 'env' ? [name, env[name]] : [name, readText(resolve(dirname(path), name.replace(/\s+/g, ' ')))],
  );
  const variables = [...Object.keys(VARIABLES), ...PROXY_VARIABLES].map((name) => env[name]);
  const places = [resolve(path), process.cwd()];
  const program = [version, process.version, ...SOURCES.map(stampOf)];
  const inputs = JSON.stringify([program, places, text, references, variables]);
  return createHash('sha256').update(inputs).digest();
}

/** Matches escapes and quotes that could hide a reference or change its name. A file with such text is not cached. */
const HIDDEN_REFERENCE = /\\[xuU\n]|\$\{[^}]*['"\\]/;

/**
 * The source folders that determine how a file is read. In a checkout, they can change while the version stays the
 * same.
 */
const SOURCES = ['.', '../dialect', '../dialect/paging', '../allowance', '../json'];

function stampOf(name: string): unknown {
  const folder = join(import.meta.dirname, name);
  return readdirSync(folder).map((file) => [file, statSync(join(folder, file)).mtimeMs]);
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

function readCopy(file: string, key: Buffer): Config | null {
  try {
    const copy = readFileSync(file);
    const decipher = createDecipheriv(CIPHER, key, copy.subarray(0, IV_BYTES));
    decipher.setAuthTag(copy.subarray(IV_BYTES, HEAD_BYTES));
    const text = decipher.update(copy.subarray(HEAD_BYTES), undefined, 'utf8') + decipher.final('utf8');
    const config = JSON.parse(text, revived) as Config;
    return inputFiles(config).every((input) => statSync(input).isFile()) ? config : null;
  } catch {
    return null;
  }
}

/** The files that `loadConfig` requires to exist. */
function inputFiles({ scope, upstream, notify }: Config): string[] {
  const lists = scope === 'whole' ? [] : Object.values(scope);
  const files = [...lists, upstream.ca_file, ...notify.map(({ watchlist }) => watchlist)];
  return files.filter((file) => file !== null);
}

function writeCopy(file: string, key: Buffer, config: Config): void {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv);
  const data = Buffer.concat([cipher.update(JSON.stringify(config, writable)), cipher.final()]);
  const draft = `${file}.${process.pid}`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(draft, Buffer.concat([iv, cipher.getAuthTag(), data]), { mode: 0o600 });
    renameSync(draft, file);
  } catch {
    // If the cache folder is not writable, every command reads the configuration itself.
  }
}

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const HEAD_BYTES = IV_BYTES + 16;

/** A secret in the cached copy: either its value, or the problems that explain why the value is unknown. */
interface StoredSecret {
  readonly $secret: 'url' | 'value';
  readonly value: string | readonly Problem[];
}

function writable(this: Record<string, unknown>, key: string, value: unknown): unknown {
  const original = this[key];
  if (original instanceof SecretUrl)
    return { $secret: 'url', value: original.reveal() } satisfies StoredSecret;
  if (!(original instanceof Secret)) return value;
  const { problem } = original;
  return {
    $secret: 'value',
    value: problem instanceof ConfigError ? problem.problems : original.reveal(),
  } satisfies StoredSecret;
}

function revived(_key: string, stored: StoredSecret | null): unknown {
  if (stored?.$secret === undefined) return stored;
  const { $secret, value } = stored;
  if (typeof value !== 'string') return Secret.unknown(new ConfigError(value));
  return $secret === 'url' ? new SecretUrl(value) : new Secret(value);
}
