import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type Config, ConfigError, type Environment, requireDialect } from '../../src/config/config.ts';
import { credentialsOf } from '../../src/config/credentials.ts';
import { configFrom, loadConfig, parseConfig } from '../../src/config/load_config.ts';
import { UsageError } from '../../src/errors.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';

const LEAST = `version: 1
upstream:
  base_url: https://registry.example/api
  api_key: secret-key
allowance:
  unlimited: true
`;

describe('a configuration', () => {
  it('a configuration has all default values, and converts values with units', () => {
    const config = parse(LEAST);
    expect(config.upstream.timeouts).toEqual({ connect: { ms: 5000 }, response: { ms: 30_000 } });
    expect(config.upstream.max_body).toEqual({ bytes: 8 * 1024 * 1024 });
    expect(config.max_age.records).toEqual({ ms: 90 * 86_400_000 });
    expect(config.allowance).toMatchObject({ per_minute: 10, total: null, day_starts: { kind: 'rolling' } });
    expect(config.warehouse).toBe('/home/config/data/warehouse.db');
    expect(config.dialect).toBeUndefined();
  });

  it('a configuration contains the time when a day starts', () => {
    const config = parse(LEAST.replace('unlimited: true', 'per_day: 7\n  day_starts: "06:30 Europe/Oslo"'));
    expect(config.allowance.day_starts).toEqual({
      kind: 'fixed',
      minuteOfDay: 390,
      timeZone: 'Europe/Oslo',
    });
  });

  it('a configuration has a rate limit unless per_minute is null or unlimited', () => {
    expect(parse(LEAST).allowance.per_minute).toBe(10);
    expect(parse(`${LEAST}  per_minute: unlimited\n`).allowance.per_minute).toBeNull();
    expect(parse(`${LEAST}  per_minute: null\n`).allowance.per_minute).toBeNull();
  });

  it('a configuration without a dialect is rejected, and the error names the command that learns one', () => {
    expect(() => requireDialect(parse(LEAST))).toThrow(/no dialect/);
  });

  it('a configuration can be created from a value', () => {
    const config = configFrom(
      {
        version: 1,
        upstream: { base_url: 'http://127.0.0.1:8080/api', api_key: 'k' },
        allowance: { total: 3 },
      },
      '/home/config',
    );
    expect(config.ledger).toBe('/home/config/data/ledger.db');
  });

  it('if no configuration file exists, the error names the command that creates one', () => {
    const directory = temporaryFolder();
    const error = thrown(() => loadConfig({ path: join(directory, 'none.yaml'), env: {} }));
    expect(error).toBeInstanceOf(UsageError);
    expect((error as UsageError).hint).toContain('registry-mirror init');
  });
});

describe('the order of precedence', () => {
  it('the environment overrides the file, which overrides the defaults', () => {
    const text = `${LEAST}focus: records\n`;
    const env = { REGISTRY_MIRROR_FOCUS: 'freshness' };
    expect(parse(LEAST).focus).toBe('balanced');
    expect(parse(text).focus).toBe('records');
    expect(parse(text, { env }).focus).toBe('freshness');
  });

  it('numbers from the environment are converted, and an empty variable is ignored', () => {
    const env = { REGISTRY_MIRROR_PER_MINUTE: '600', REGISTRY_MIRROR_CONCURRENCY: '' };
    const config = parse(LEAST, { env });
    expect(config.allowance.per_minute).toBe(600);
    expect(config.upstream.concurrency).toBe(4);
  });

  it('a key that consists of digits is not converted to a number', () => {
    const config = parse(LEAST, { env: { REGISTRY_MIRROR_API_KEY: '0123' } });
    expect(config.upstream.api_key?.reveal()).toBe('0123');
  });

  it('a path from the environment is relative to the working directory', () => {
    const env = { REGISTRY_MIRROR_WAREHOUSE: 'x.db' };
    expect(parse(LEAST, { env }).warehouse).toBe(join(process.cwd(), 'x.db'));
  });

  it('the error for an invalid value names its environment variable', () => {
    const error = refusal(LEAST, { env: { REGISTRY_MIRROR_CONCURRENCY: 'many' } });
    expect(error.message).toBe(
      'REGISTRY_MIRROR_CONCURRENCY: upstream.concurrency: must be a number, not text',
    );
  });
});

describe('a reference', () => {
  it('a reference is replaced in every value, including numbers', () => {
    const text = LEAST.replace('secret-key', '$' + '{env:KEY}').replace(
      'unlimited: true',
      `total: \${env:TOTAL}`,
    );
    const config = parse(text, { env: { KEY: '007', TOTAL: '100' } });
    expect(config.upstream.api_key?.reveal()).toBe('007');
    expect(config.allowance.total).toBe(100);
  });

  it("a reference to a file is relative to the configuration, and the file's last line break is removed", () => {
    const directory = temporaryFolder();
    writeFileSync(join(directory, 'key.txt'), 'from-file\n');
    writeFileSync(join(directory, 'c.yaml'), LEAST.replace('secret-key', `\${file:key.txt}`));
    expect(loadConfig({ path: join(directory, 'c.yaml'), env: {} }).upstream.api_key?.reveal()).toBe(
      'from-file',
    );
  });

  it('a reference in the key throws only when the key is used', () => {
    const text = LEAST.replace('secret-key', `\${env:NO_KEY}\${file:no/file}\${vault:x}`);
    const { api_key } = parse(text).upstream;
    expect(api_key?.problem).not.toBeNull();
    expect(problemsOf(() => api_key?.reveal())).toEqual([
      { line: 4, key: 'upstream.api_key', message: 'the environment variable NO_KEY is not set' },
      { line: 4, key: 'upstream.api_key', message: 'the file /home/config/no/file cannot be read (ENOENT)' },
      { line: 4, key: 'upstream.api_key', message: `\${vault:x} is not a known reference` },
    ]);
    expect(problemsOf(() => api_key?.fingerprint)).toHaveLength(3);
  });

  it('a broken reference in the key is reported along with other problems', () => {
    const text = LEAST.replace('secret-key', `\${env:NO_KEY}`).replace('version: 1', 'version: 7');
    expect(refusal(text).problems.map(({ key }) => key)).toEqual(['version', 'upstream.api_key']);
  });

  it('a broken reference in the key is ignored if a variable overrides the key', () => {
    const text = LEAST.replace('secret-key', `\${env:NO_KEY}`);
    const { api_key } = parse(text, { env: { REGISTRY_MIRROR_API_KEY: 'given' } }).upstream;
    expect(api_key?.reveal()).toBe('given');
  });

  it('a broken reference in a constant header is reported when the credentials are used', () => {
    const { upstream } = parse(
      LEAST.replace('api_key: secret-key', `api_key: null\n  headers: { X-Auth-Email: "\${env:NO_MAIL}" }`),
    );
    expect(problemsOf(() => credentialsOf(upstream))).toMatchObject([
      { key: 'upstream.headers.X-Auth-Email', message: 'the environment variable NO_MAIL is not set' },
    ]);
  });
});

describe('a secret', () => {
  const text = `${LEAST}worker: { redis_url: "redis://u:hidden@127.0.0.1:6379" }\n`.replace(
    'api_key: secret-key',
    'api_key: secret-key\n  proxy: http://u:hidden@proxy.example:3128',
  );

  it('a secret is masked when the configuration is printed', () => {
    const config = parse(text);
    const shown = [JSON.stringify(config), inspect(config, { depth: 9 }), `${config.upstream.api_key}`];
    expect(shown.join(' ')).not.toMatch(/secret-key|hidden/);
    expect(config.upstream.proxy?.reveal()).toBe('http://u:hidden@proxy.example:3128/');
  });

  it("a secret's fingerprint differs from those of other secrets", () => {
    const one = parse(text).upstream.api_key;
    const other = parse(text.replace('secret-key', 'another')).upstream.api_key;
    expect(one?.fingerprint).toMatch(/^[0-9a-f]{16}$/);
    expect(one?.fingerprint).not.toBe(other?.fingerprint);
  });

  it('a secret is not quoted in errors about its value or its line', () => {
    const wrong = [
      'api_key: "secret key"',
      'api_key: secret-key: x',
      'api_key: "secret-key',
      'api_key: !x secret-key',
    ];
    for (const line of wrong)
      expect(refusal(LEAST.replace('api_key: secret-key', line)).message).not.toMatch(/secret/);
  });
});

describe('a configuration error', () => {
  it('a configuration without an allowance causes an error that lists all ways to set one', () => {
    const error = refusal(LEAST.replace('unlimited: true', 'per_minute: 5'));
    expect(error.message).toContain('100 calls in total per account (total: 100)');
    expect(error.message).toContain('1,000 a day (per_day: 1000)');
    expect(error.message).toContain('unlimited: true');
    expect(error.exitCode).toBe(2);
    expect(refusal(LEAST.replace(/allowance:\n.*\n/, '')).message).toContain('no allowance is configured');
  });

  it('a configuration error lists mistyped keys first, and then all other problems in the order of the file', () => {
    const text = `version: 1
upstream: { base_url: ftp://x, api_key: k, base_urll: x }
allowance: { total: 0, reserve: 2 }
max_age: { stats: 7 days }
scope: { names: no-such-file }
focus: speed
`;
    expect(refusal(text).problems.map(({ line, column, key }) => `${line}:${column} ${key}`)).toEqual([
      '2:44 upstream.base_urll',
      '2:23 upstream.base_url',
      '3:21 allowance.total',
      '3:33 allowance.reserve',
      '4:19 max_age.stats',
      '6:8 focus',
    ]);
  });

  it.each([
    ['upstream.base_urll: unknown key; did you mean base_url?', 'base_url:', 'base_urll:'],
    ['per_day: unknown key; it belongs at allowance.per_day', 'allowance:', 'per_day: 3\nallowance:'],
    ['upstream.base_url: is missing', '  base_url: https://registry.example/api\n', ''],
    ['upstream.api_key: must be text, not a number; put it in quotes', 'secret-key', '12345'],
    ['upstream.base_url: must not contain a user name', 'https://', 'https://user:pass@'],
    ['version: must be 1', 'version: 1', 'version: 2'],
    ['c.yaml:5:1: not valid YAML: Map keys must be unique', 'allowance:', 'version: 1\nallowance:'],
    [
      'not valid YAML: Implicit keys need to be on a single line; a key ends in a colon',
      'upstream:',
      'upstream',
    ],
    ['contradicts the limits', 'unlimited: true', 'unlimited: true\n  per_day: 5'],
    [
      'the free tier does not permit commercial use; set tier: paid',
      'version: 1',
      'version: 1\naccount: { commercial_use: true }',
    ],
    [
      'schedule.sweep: is not a cron pattern (2 fields)',
      'version: 1',
      'version: 1\nschedule: { sweep: "* *" }',
    ],
    ['schedule.sweep: is not a cron pattern', 'version: 1', 'version: 1\nschedule: { sweep: "61 * * * *" }'],
    ['schedule.timezone: is not a time zone', 'version: 1', 'version: 1\nschedule: { timezone: Oslo }'],
    ['Mars/Base is not a time zone', 'unlimited: true', 'per_day: 1\n  day_starts: "00:00 Mars/Base"'],
    [
      'upstream.paths.entity: must contain {id} exactly once',
      'api_key:',
      'paths: { entity: /api/entity }\n  api_key:',
    ],
    [
      'upstream.paths.search: has the unknown escape "sql"',
      'api_key:',
      'paths: { search: "/find/{query:sql}" }\n  api_key:',
    ],
    [
      'upstream.paths.search: has {query} and the constant parameter query: write another name in the braces',
      'api_key:',
      'paths: { search: "/graphql?query=query($q:String){companies(name:$q){id name}}&variables={query:json}" }\n  api_key:',
    ],
    [
      'upstream.paths.stats: has a placeholder, but the statistics have no parameters',
      'api_key:',
      'paths: { stats: "/stats/{query}" }\n  api_key:',
    ],
    ['there is no file /home/config/no.csv', 'version: 1', 'version: 1\nscope: { ids: no.csv }'],
    ['upstream.max_body: must be a size', 'api_key:', 'max_body: 8\n  api_key:'],
    [
      'upstream.key_param: key_header sends the key too',
      'api_key:',
      'key_param: k\n  key_header: X\n  api_key:',
    ],
    ['upstream.api_key: is null, although', 'api_key: secret-key', 'key_param: k\n  api_key: null'],
    ['upstream.api_key: is missing (API key', '  api_key: secret-key\n', ''],
    [
      'upstream.headers.authorization: key_header sends the key in this header',
      'api_key:',
      'headers: { authorization: Token hidden }\n  api_key:',
    ],
    ['upstream.headers.x-a: occurs twice', 'api_key:', 'headers: { X-A: "1", x-a: "2" }\n  api_key:'],
    [
      'upstream.headers.X-A: must consist of visible ASCII',
      'api_key:',
      'headers: { X-A: "1\\n2" }\n  api_key:',
    ],
    [
      'upstream.headers.User-Agent: must not be a header',
      'api_key:',
      'headers: { User-Agent: x }\n  api_key:',
    ],
    ['put references between { and } in quotes', 'unlimited: true', `{ total: \${env:T} }`],
    ['__proto__: unknown key', 'version: 1', 'version: 1\n__proto__: { a: 1 }'],
  ])('a configuration error contains: %s', (words, before, after) => {
    const error = refusal(LEAST.replace(before, after));
    expect(error.message).toContain(words);
  });

  it.each([
    ['upstream.paths.search: sends the parameter q, which dialect.search.query_param sends too', 'q=x', ''],
    ['sends the parameter page, which dialect.search.paging.param sends too', 'a=1&page=1', ''],
    ['sends the parameter n, which dialect.search.paging.size_param sends too', 'n=1', ''],
    ['sends the parameter t, which dialect.search.extra.t sends too', 't=1', 't: x'],
    [
      'dialect.search.extra.page: sends the parameter page, which dialect.search.paging.param',
      'a=1',
      'page: "1"',
    ],
  ])('a parameter that would be sent twice is rejected: %s', (message, constant, extra) => {
    const text = (query: string, more: string) => `${LEAST.replace(
      'api_key:',
      `paths: { search: "/find?${query}" }\n  api_key:`,
    )}dialect:
  search: { query_param: q, paging: { style: page, param: page, size_param: n }, results: /r, id: /id, extra: { ${more} } }
  entity: { id: /id }
`;
    expect(refusal(text(constant, extra)).message).toContain(message);
    expect(() => parse(text('query[0][key1]=a&resource_id=7', 'q: ""'))).not.toThrow();
  });

  it('a parameter in braces in the search path is one that the dialect sends', () => {
    const text = (
      path: string,
      param: string,
      more = '',
    ) => `${LEAST.replace('api_key:', `paths: { search: "${path}" }\n  api_key:`)}dialect:
  search: { query_param: ${param}, paging: { style: none }, results: /r, id: "{/a}-{/b}"${more} }
  entity: { id: "{/a}-{/b}" }
`;
    expect(() => parse(text('/find/{name}', 'name'))).not.toThrow();
    expect(refusal(text('/find/{name}', 'q')).message).toContain(
      'upstream.paths.search: has {name}, but the dialect sends no parameter name',
    );
    expect(refusal(text('/find/{name}', 'name', ', min_length: 0')).message).toContain(
      'needs {name}, so a search without a query has no address',
    );
    expect(refusal(text('/find/{name}', 'name').replaceAll('{/a}', '{/[a}')).message).toContain(
      'dialect.search.id: has brackets that select nothing',
    );
  });

  it('a configuration error names an invalid pointer, style or pattern in a dialect', () => {
    const text = `${LEAST}dialect:
  search: { query_param: q, paging: { style: pages, param: p }, results: results, id: /id }
  entity: { id: /id }
  responses: [{ matches: "(", means: throttled }]
`;
    const { message } = refusal(text);
    expect(message).toContain('dialect.search.results: must be a JSON Pointer');
    expect(message).toContain(
      'must be one of none, page, offset, cursor, next_url, link_header; did you mean page?',
    );
    expect(refusal(text.replace('matches: "("', 'total: "("')).message).toContain(
      'dialect.responses.0.total: not a',
    );
    expect(refusal(text.replace('style: pages', 'style: next_url, next: /n')).message).toContain(
      'dialect.search.paging.param: is not used with the other keys of its section; remove it',
    );
    const mended = text.replace('pages', 'page').replace('results: results', 'results: /r');
    expect(refusal(mended).message).toContain(
      'c.yaml:10:26: dialect.responses.0.matches: not a regular expression',
    );
  });

  it.each(['', '# nothing\n', '- 1', 'text', 'a: &a [*a]', 'a: *b', '\u0000', '{'])(
    'a configuration error describes the problem in the file %j',
    (text) => {
      expect(refusal(text)).toBeInstanceOf(ConfigError);
    },
  );
});

interface Given {
  readonly env?: Environment;
}

function parse(text: string, { env = {} }: Given = {}): Config {
  return parseConfig({ path: '/home/config/c.yaml', text, env });
}

function refusal(text: string, given: Given = {}): ConfigError {
  const error = thrown(() => parse(text, given));
  if (!(error instanceof ConfigError)) throw new Error('the configuration was accepted', { cause: error });
  return error;
}

function problemsOf(act: () => unknown) {
  const error = thrown(act);
  if (!(error instanceof ConfigError)) throw new Error('no problem was reported', { cause: error });
  return error.problems.map(({ line, key, message }) => ({ line, key, message }));
}

function thrown(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  return null;
}
