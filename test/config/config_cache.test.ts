import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Config, ConfigError, SecretUrl } from '../../src/config/config.ts';
import { openConfig } from '../../src/config/config_cache.ts';
import { loadConfig } from '../../src/config/load_config.ts';
import { DEFAULT_MAPPING } from '../../src/dialect/mapping.ts';
import { Mapping } from '../../src/dialect/mapping_schema.ts';
import { KEY_ENCODINGS } from '../support/key_encodings.ts';
import { temporaryFolder } from '../support/loader.ts';
import { DIALECT } from '../support/loader_dialect.ts';

const KEY = 'a/secret+key=of-a-test';
const TEXT = `version: 1
upstream:
  base_url: https://registry.example/api
  api_key: \${env:MY_KEY}
  proxy: http://user:a-password@proxy.example:3128
allowance: { per_day: 500, day_starts: "06:30 Europe/Oslo" }
source: { name: "\${file:name.txt}" }
scope: { names: names.txt }
notify: [{ name: team, webhook: { url: "https://hooks.example/a-token", secret: "whsec_${'A'.repeat(32)}" } }]
dialect: ${JSON.stringify(DIALECT)}
`;

/** A configuration that has its own cache folder. */
function configured(text = TEXT) {
  const folder = temporaryFolder();
  const path = join(folder, 'registry-mirror.yaml');
  const cache = join(folder, 'cache', 'registry-mirror');
  const write = (name: string, content: string) => writeFileSync(join(folder, name), content);
  write('registry-mirror.yaml', text);
  write('names.txt', 'Acme\n');
  write('name.txt', 'Companies House\n');
  const env: Record<string, string> = { XDG_CACHE_HOME: join(folder, 'cache'), MY_KEY: KEY };
  const open = (version = '1.0.0') => openConfig({ path, env, version });
  const copies = () => readdirSync(cache).map((name) => join(cache, name));
  /** Opens the configuration and returns whether it was read from the cache. */
  const isCached = async (version?: string) => {
    const before = statSync(copies()[0] ?? '').ino;
    await open(version);
    return statSync(copies()[0] ?? '').ino === before;
  };
  return { folder, path, env, write, open, copies, isCached, load: () => loadConfig({ path, env }) };
}

/** The configuration with its secrets in plain text. */
function revealed(config: Config) {
  const { upstream, worker, notify } = config;
  const secrets = [upstream.api_key, upstream.proxy, worker.redis_url, notify[0]?.webhook?.secret];
  return { config, secrets: [...secrets, notify[0]?.webhook?.url].map((secret) => secret?.reveal()) };
}

describe('the cached configuration', () => {
  test('the cached configuration equals the one in the file, including its secrets', async () => {
    const { open, isCached, load } = configured();
    expect(revealed(await open())).toEqual(revealed(load()));
    expect(await isCached()).toBe(true);
    const cached = await open();
    expect(revealed(cached)).toEqual(revealed(load()));
    expect(cached.upstream.proxy).toBeInstanceOf(SecretUrl);
    expect(String(cached.upstream.api_key)).toBe('[key]');
  });

  test('the cached configuration is replaced when an input changes', async () => {
    const { env, write, open, isCached } = configured();
    await open();
    const changes: (() => void)[] = [
      () => write('registry-mirror.yaml', `${TEXT}\n# changed\n`),
      () => write('name.txt', 'Another registry\n'),
      () => Object.assign(env, { MY_KEY: 'another-key' }),
      () => Object.assign(env, { REGISTRY_MIRROR_PER_DAY: '7' }),
      () => Object.assign(env, { HTTPS_PROXY: 'http://other.example:1' }),
    ];
    for (const change of changes) {
      change();
      expect(await isCached(), String(change)).toBe(false);
      expect(await isCached(), String(change)).toBe(true);
    }
    expect(await isCached('2.0.0')).toBe(false);
    expect(await open('2.0.0')).toMatchObject({
      source: { name: 'Another registry' },
      allowance: { per_day: 7 },
    });
  });

  test('the cached configuration is not used if a file that it names is missing', async () => {
    const { folder, open } = configured();
    await open();
    rmSync(join(folder, 'names.txt'));
    await expect(open()).rejects.toThrow(/scope.names: there is no file/);
  });

  test('the cached configuration contains no secret, and only its owner can read it', async () => {
    const { open, copies } = configured();
    await open();
    const [copy = ''] = copies();
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    const bytes = readFileSync(copy);
    for (const [encoding, encode] of Object.entries(KEY_ENCODINGS))
      expect(bytes.includes(encode(KEY)), encoding).toBe(false);
    for (const text of ['a-password', 'a-token', 'Companies House', 'registry.example'])
      expect(bytes.includes(text), text).toBe(false);
  });

  test('a corrupt cached configuration is replaced', async () => {
    const { open, copies, load } = configured();
    await open();
    const [copy = ''] = copies();
    const bytes = readFileSync(copy);
    for (const damaged of [Buffer.alloc(0), bytes.subarray(0, 40), Buffer.concat([bytes, bytes])]) {
      writeFileSync(copy, damaged);
      expect(revealed(await open())).toEqual(revealed(load()));
      expect(readFileSync(copy).equals(damaged)).toBe(false);
    }
  });

  test('the cached configuration keeps the reason why the key is unknown', async () => {
    const { env, open, isCached } = configured();
    delete env.MY_KEY;
    await open();
    expect(await isCached()).toBe(true);
    const { api_key } = (await open()).upstream;
    expect(() => api_key.reveal()).toThrow(ConfigError);
    expect(() => api_key.reveal()).toThrow(/MY_KEY is not set/);
  });

  test('the configuration is not cached if an escape sequence can hide a reference', async () => {
    const { open, copies } = configured(TEXT.replace('${file:name.txt}', '\\x24{file:name.txt}'));
    expect((await open()).source.name).toBe('Companies House');
    expect(copies).toThrow(/ENOENT/);
  });

  test('the configuration is not cached if the cache folder is not writable', async () => {
    const { folder, open, copies } = configured();
    mkdirSync(join(folder, 'cache'));
    writeFileSync(join(folder, 'cache', 'registry-mirror'), 'a file');
    expect((await open()).source.name).toBe('Companies House');
    expect(copies).toThrow(/ENOTDIR/);
  });
});

test("the default mapping is the same as the schema's", () => {
  expect(JSON.stringify(DEFAULT_MAPPING)).toBe(JSON.stringify(Mapping.parse({})));
});
