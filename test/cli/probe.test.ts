import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { ApiProfileInput } from '../../src/api/api_profile.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/sandbox.ts';
import { runCommand } from '../support/command.ts';

const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

describe('init', () => {
  it('doctor names the variable of a key that is not set', async () => {
    const directory = folder();
    await run(directory, ['init', '--yes', '--base-url', 'http://127.0.0.1:9/api', '--per-day', '7']);
    const { stdout } = await runCommand(['doctor'], { cwd: directory, env: { REGISTRY_API_KEY: '' } });
    expect(stdout).toMatch(/^problem +key: .*the environment variable REGISTRY_API_KEY is empty/m);
  });

  it.each([
    [['init', '--yes'], "the API's base URL is missing"],
    [['init', '--yes', '--base-url', 'https://r.example'], 'no allowance is configured'],
    [
      ['init', '--yes', '--base-url', 'https://r.example', '--total', '5', '--commercial-use'],
      'does not permit commercial use',
    ],
  ])('init rejects %j and writes no file', async (args, words) => {
    const directory = folder();
    const { code, said } = await run(directory, args);
    expect(code).toBe(2);
    expect(said).toContain(words);
    expect(() => readFileSync(join(directory, 'registry-mirror.yaml'))).toThrow();
  });
});

describe('probe', () => {
  it('probe writes the dialect, keeps the file mode, and prints one JSON document', async () => {
    const { directory, sandbox } = await place({});
    const file = join(directory, 'registry-mirror.yaml');
    chmodSync(file, 0o600);
    const { code, data, stderr } = await run(directory, ['probe']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(data).toMatchObject({ complete: true, ended: 'done', calls_left: null });
    expect(data.calls_spent).toBe(sandbox.arrivals().length);
    expect(data.dialect.search).toMatchObject({
      query_param: 'q',
      results: '/results',
      paging: { param: 'page' },
    });
    expect(data.findings).toContainEqual(
      expect.objectContaining({ topic: 'query parameter', value: 'q', certainty: 'sure' }),
    );
    expect(JSON.stringify(data)).not.toContain(sandbox.keyOf('main'));
    expect(await run(directory, ['config', 'validate'])).toMatchObject({ code: 0 });
    expect(await run(directory, ['probe', '--check'])).toMatchObject({
      code: 0,
      data: { contradictions: [] },
    });
  });

  it('probe describes the limits in the response headers, each of them once', async () => {
    const { directory } = await place({}, { accounts: [{ id: 'main', perMinute: 1000 }] });
    const { stdout } = await runCommand(['probe'], { cwd: directory, env: { REGISTRY_API_KEY: 'k' } });
    expect(stdout).toMatch(
      /never raise it:\n {2}minute: [\d,]+ calls per 1 min, [\d,]+ left, resets in [\w ]+\n\n/,
    );
    expect(stdout).not.toMatch(/ratelimit/i);
  });

  it('the question for the address names the paths that are configured now, and how to set others', async () => {
    const { directory } = await place({});
    const file = join(directory, 'registry-mirror.yaml');
    const written = readFileSync(file, 'utf8');
    const questionAt = async (path: string) => {
      const paths = `paths: { search: ${path}, stats: ${path}/count }`;
      writeFileSync(file, written.replace('upstream: {', `upstream: { ${paths},`));
      return (await run(directory, ['probe'])).data.questions[0].text;
    };
    expect(await questionAt('/v1/none')).toMatch(/^No address returns companies \(.*\/v1\/none: HTTP 404/);
    expect(await questionAt('/v2/none')).toMatch(/\/v2\/none: HTTP 404.*from the host's root/);
  });

  it('probe and status ask only for the key after a wrong key, and status does not mention a registry count', async () => {
    const { directory } = await place({});
    const file = join(directory, 'registry-mirror.yaml');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/api_key: "[^"]*"/, 'api_key: "wrong"'));
    expect(await run(directory, ['probe'])).toMatchObject({ code: 1, data: { ended: 'unauthorised' } });
    const again = await runCommand(['probe'], { cwd: directory });
    expect(again.stdout).toContain('correct `upstream.api_key`, then run `registry-mirror probe` again');
    expect(again.stdout).not.toContain('doctor --online');
    const { data } = await run(directory, ['status']);
    expect(data.health.problems).toMatchObject([{ name: 'key_refused' }]);
    const { stdout } = await runCommand(['status'], { cwd: directory });
    expect(stdout).not.toContain('the registry reports no count');
    for (const command of [['sync'], ['plan'], ['backfill', '--prefix', 'a']]) {
      const { code, stderr } = await runCommand(command, { cwd: directory });
      expect([code, stderr]).toEqual([
        2,
        expect.stringMatching(/no dialect yet\. The upstream refused the key .*\n.*Correct/),
      ]);
    }
  });

  it('a probe with a refused key does not say that a complete dialect was not found', async () => {
    const { directory } = await place({});
    const file = join(directory, 'registry-mirror.yaml');
    await run(directory, ['probe']);
    writeFileSync(file, readFileSync(file, 'utf8').replace(/api_key: "[^"]*"/, 'api_key: "wrong"'));
    const { stdout } = await runCommand(['probe', '--fresh'], { cwd: directory });
    expect(stdout).toContain('the dialect in the file stays. Stopped: the upstream refused the key');
  });

  it('after an unfinished probe that used up the quota, other commands name the time at which probe can continue', async () => {
    const { directory } = await place({});
    const file = join(directory, 'registry-mirror.yaml');
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace(
        /^allowance:.*\n(?: .*\n)*/m,
        'allowance: { per_minute: unlimited, per_day: 2 }\n',
      ),
    );
    expect((await runCommand(['probe'], { cwd: directory })).stdout).toContain(
      'Next: run `registry-mirror probe` again when calls resume.',
    );
    expect((await runCommand(['status'], { cwd: directory })).stdout).toMatch(
      /finish +Unknown until probe succeeds/,
    );
    for (const command of ['sync', 'plan'])
      expect((await runCommand([command], { cwd: directory })).stderr).toMatch(
        /no dialect yet\n.*Run `registry-mirror probe` when the quota is available again, on \d/,
      );
  });

  it('probe writes an open question to the file, and accepts the answer as a flag', async () => {
    const { directory } = await place({
      dialect: { search: { query_param: 'zoek', min_length: 3 } },
      search: { unknown_params: 'refuse' },
      errors: { body: 'empty', exhausted: { status: 402 } },
    });
    const first = await run(directory, ['probe']);
    expect(first).toMatchObject({
      code: 1,
      data: { complete: false, questions: [{ about: 'query_param' }] },
    });
    expect(readFileSync(join(directory, 'registry-mirror.yaml'), 'utf8')).toContain(
      '# The last probe left these questions open:',
    );
    const second = await run(directory, ['probe', '--query-param', 'zoek']);
    expect(second).toMatchObject({ code: 0, data: { complete: true } });
    expect(readFileSync(join(directory, 'registry-mirror.yaml'), 'utf8')).not.toContain(
      'left these questions open',
    );
  });

  it('probe accepts the answer as a key in the file, which no other command takes for a dialect', async () => {
    const { directory } = await place({
      dialect: { search: { query_param: 'zoek', min_length: 3 } },
      search: { unknown_params: 'refuse' },
      errors: { body: 'empty', exhausted: { status: 402 } },
    });
    const file = join(directory, 'registry-mirror.yaml');
    writeFileSync(
      file,
      `${readFileSync(file, 'utf8')}\ndialect:\n  search:\n    query_param: zoek # from the manual\n`,
    );
    for (const command of [['plan'], ['sync'], ['probe', '--check']]) {
      const { code, said } = await run(directory, command);
      expect([command, code]).toEqual([command, 2]);
      expect(said).toContain('dialect.search.results: is missing');
      expect(said).toContain('run `registry-mirror probe`, which learns them');
    }
    expect(await run(directory, ['config', 'validate'])).toMatchObject({ code: 2 });
    const shown = await run(directory, ['config', 'show']);
    expect(shown.data.values.dialect).toEqual({ search: { query_param: 'zoek' } });
    expect(await run(directory, ['probe'])).toMatchObject({ code: 0, data: { complete: true } });
    expect(readFileSync(file, 'utf8')).toContain('query_param: zoek # from the manual\n');
    expect(await run(directory, ['config', 'validate'])).toMatchObject({ code: 0 });
  });

  it('probe writes what it found into the file as a dialect to be completed', async () => {
    const { directory } = await place({});
    const file = join(directory, 'registry-mirror.yaml');
    const before = readFileSync(file, 'utf8');
    const paths = '{ search: /api/search, entity: "/api/nowhere/{id}", stats: null }';
    writeFileSync(file, before.replace(' }', `, paths: ${paths} }`));
    const probed = await run(directory, ['probe']);
    expect(probed).toMatchObject({ code: 1, data: { questions: [{ about: 'record' }] } });
    const [, found = ''] = readFileSync(file, 'utf8').split('# It found the following.');
    const completed = found.split('\n').slice(1).join('\n').replace(/^#/gm, '');
    writeFileSync(file, `${before}${completed}`);
    const { code, data } = await run(directory, ['sync', '--max-calls', '30']);
    expect(code).toBe(0);
    expect(data.known).toBeGreaterThan(100);
  });

  it('probe --check reports changed responses, and proposes changes to the dialect', async () => {
    const { directory, sandbox } = await place({});
    await run(directory, ['probe']);
    await sandbox.useProfile({ dialect: { search: { results: '/data/hits' }, entity: { root: '/data' } } });
    const { code, data } = await run(directory, ['probe', '--check', '--max-calls', '3']);
    expect(code).toBe(1);
    expect(data.calls_spent).toBeLessThanOrEqual(3);
    expect(data.proposals).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ key: 'search.results', from: '/results', to: '/data/hits' }),
        expect.objectContaining({ key: 'entity.root', from: '', to: '/data' }),
      ]),
    );
  });
});

describe('probe --openapi', () => {
  const DOCUMENT = resolve(import.meta.dirname, '../probe/openapi/documents/kvk.yaml');
  const PROFILE: ApiProfileInput = {
    key_header: 'apikey',
    paths: { search: '/api/v2/zoeken', entity: '/api/v1/basisprofielen/{id}' },
    dialect: {
      search: {
        query_param: 'naam',
        identifier_param: 'kvkNummer',
        identifiers: 'exact',
        results: '/resultaten',
        total: '/totaal',
        id: '/kvkNummer',
        name: '/naam',
        paging: { style: 'page', param: 'pagina', first: 1, size_param: 'resultatenPerPagina', size: 100 },
      },
      entity: { id: '/kvkNummer', name: '/naam' },
    },
    search: { default_size: 10, unknown_params: 'refuse', oversize: 'refuse' },
  };

  it('probe --openapi writes the paths, the key header and the dialect, and tries no other parameters', async () => {
    const { directory, sandbox } = await place(PROFILE);
    expect(await run(directory, ['probe'])).toMatchObject({ code: 1 });
    sandbox.reset();
    const { code, data } = await run(directory, ['probe', '--fresh', '--openapi', DOCUMENT]);
    expect(code).toBe(0);
    expect(data.calls_spent).toBeGreaterThan(2);
    expect(data.calls_spent).toBeLessThanOrEqual(8);
    const { query_param, identifier_param, paging, results, total } = sandbox.dialect.search;
    expect(data.dialect.search).toMatchObject({ query_param, identifier_param, paging, results, total });
    const sent = sandbox
      .arrivals()
      .flatMap(({ target }) => [...new URLSearchParams(target.split('?')[1]).keys()]);
    const stated = ['naam', 'kvkNummer', 'pagina', 'resultatenPerPagina'];
    expect([...new Set(sent)].filter((name) => !stated.includes(name))).toEqual([]);
    const text = readFileSync(join(directory, 'registry-mirror.yaml'), 'utf8');
    expect(text).toContain('key_header: apikey');
    expect(text).toContain('/api/v1/basisprofielen/{id}');
    const synced = await run(directory, ['sync', '--max-calls', '6']);
    expect(synced).toMatchObject({ code: 0, data: { ended: 'max_calls', quarantined: 0 } });
  });

  it('probe --openapi prints what the document states without sending a call', async () => {
    const { directory, sandbox } = await place({});
    const { code, data } = await run(directory, ['probe', '--dry-run', '--openapi', DOCUMENT]);
    expect(code).toBe(0);
    expect(data.openapi).toContainEqual({
      topic: 'largest page',
      key: 'search.paging.size',
      value: 100,
      certainty: 'sure',
      because: 'the document states the maximum 100',
    });
    expect(sandbox.arrivals()).toEqual([]);
  });

  it('probe --openapi rejects a file that is not an OpenAPI document', async () => {
    const { directory } = await place({});
    const args = ['probe', '--openapi', 'registry-mirror.yaml'];
    expect(await run(directory, args)).toMatchObject({
      code: 2,
      document: { error: { message: expect.stringContaining('is not an OpenAPI document') } },
    });
  });
});

function folder(): string {
  const directory = mkdtempSync(join(tmpdir(), 'command-'));
  closing.push(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

async function place(
  profile: ApiProfileInput,
  options: SandboxOptions = {},
): Promise<{ directory: string; sandbox: Sandbox }> {
  const sandbox = await startSandbox({ profile, ...options });
  closing.push(() => sandbox.close());
  const directory = folder();
  const upstream = `upstream: { base_url: "${sandbox.baseUrl}", api_key: "${sandbox.keyOf('main')}" }`;
  writeFileSync(
    join(directory, 'registry-mirror.yaml'),
    `version: 1\n${upstream}\nallowance: { unlimited: true, per_minute: unlimited }\n`,
  );
  return { directory, sandbox };
}

/** Runs a command in a folder, in this process. */
async function run(directory: string, args: readonly string[]) {
  const { json, ...ran } = await runCommand([...args, '--json'], {
    cwd: directory,
    env: { REGISTRY_API_KEY: 'k' },
  });
  return { ...ran, document: json, data: json?.data };
}
