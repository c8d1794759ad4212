import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { openMetrics } from '../../jobs/metrics.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';

const root = resolve(import.meta.dirname, '../..');
const text = (path: string) => readFileSync(join(root, path), 'utf8');
const compose = parse(text('docker-compose.yml'), { merge: true });

const SCHEMA = 'node_modules/dclint/schemas/compose.schema.json';

describe('docker-compose.yml', () => {
  it("docker-compose.yml is valid according to the Compose specification's schema", () => {
    const validate = new Ajv({ strict: false, validateFormats: false, validateSchema: false }).compile(
      JSON.parse(text(SCHEMA)),
    );
    validate(compose);
    expect(validate.errors).toBeNull();
    expect(validate({ ...compose, services: { worker: { imagine: 'redis' } } })).toBe(false);
  });

  it('docker-compose.yml runs Redis 7 with an append-only file, without eviction and with a health check', () => {
    const { image, command, healthcheck, volumes } = compose.services.redis;
    expect(image).toMatch(/^redis:7/);
    expect(command.join(' ')).toContain('--appendonly yes');
    expect(command.join(' ')).toContain('--maxmemory-policy noeviction');
    expect(healthcheck.test[1]).toContain('= PONG');
    expect(volumes).toEqual(['redis-data:/data']);
  });

  it('docker-compose.yml starts the worker after Redis is healthy and permits a graceful stop', () => {
    const { command, depends_on, stop_grace_period } = compose.services.worker;
    expect(command).toEqual(['worker']);
    expect(depends_on.redis.condition).toBe('service_healthy');
    expect(stop_grace_period).toBe('30s');
  });

  it.each(Object.keys(compose.services))('docker-compose.yml restricts the service %s', (name) => {
    const { image, logging, ports = [], volumes, ...service } = compose.services[name];
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      mem_limit: '512m',
    });
    expect(logging.options).toEqual({ 'max-size': '10m', 'max-file': '5' });
    expect(image).toMatch(/:v?\d+\.\d+\.\d+/);
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
    for (const volume of volumes.filter((one: string) => one.startsWith('./')))
      expect(volume.endsWith(':ro')).toBe(name !== 'setup');
  });

  it("docker-compose.yml mounts the configuration's folder, and only folders and files that exist", () => {
    const sources = Object.values<{ volumes: string[] }>(compose.services).flatMap(({ volumes }) =>
      volumes.flatMap((volume) => volume.match(/^\.\/[^:]+/)?.[0] ?? []),
    );
    expect(sources).toContain('./config');
    for (const source of sources.filter((one) => one !== './config'))
      expect(existsSync(join(root, source)), source).toBe(true);
  });

  it('docker-compose.yml passes each secret only to the services that need it', () => {
    const secretsOf = (name: string) => compose.services[name].secrets ?? [];
    const given = Object.keys(compose.services).map((name) => [name, secretsOf(name)]);
    expect(Object.fromEntries(given)).toEqual({
      redis: [],
      worker: ['registry_api_key', 'board_password'],
      setup: ['registry_api_key'],
      page: [],
      prometheus: [],
      grafana: [],
    });
    for (const secret of Object.values<{ file: string }>(compose.secrets))
      expect(secret.file).toMatch(/^\.\/secrets\//);
  });

  it('docker-compose.yml sets only documented variables, and no variable that differs between registries', () => {
    const documented = text('docs/configuration.md');
    const names = Object.keys(compose.services.worker.environment);
    for (const name of names) expect(documented).toContain(`\`${name}\``);
    expect(names).toEqual(['REGISTRY_MIRROR_REDIS_URL', 'REGISTRY_MIRROR_HEALTH_HOST']);
  });
});

describe('the Dockerfile', () => {
  const stages = text('Dockerfile')
    .split(/^FROM /m)
    .slice(1);
  const image = stages.at(-1) ?? '';

  it('the Dockerfile builds on one exact version of Node 24', () => {
    const bases = stages.map((stage) => stage.match(/^\S+/)?.[0]).filter((base) => base?.startsWith('node:'));
    expect(new Set(bases).size).toBe(1);
    expect(bases[0]).toMatch(/^node:24\.\d+\.\d+-slim$/);
  });

  it('the Dockerfile installs no browser and no second Node.js to compile the code', () => {
    expect(text('Dockerfile')).not.toMatch(/npm ci(?! --omit=dev)/);
  });

  it("the Dockerfile installs the compiler and the types in the lock file's versions", () => {
    const [, script = ''] = text('Dockerfile').match(/\$\(node -p "([^"]+)"\)/) ?? [];
    const printed = execFileSync(
      process.execPath,
      [
        '-p',
        script.replaceAll('\\\n', '').replace('/app/package-lock.json', join(root, 'package-lock.json')),
      ],
      { encoding: 'utf8' },
    );
    expect(printed.trim().split(' ')).toEqual([
      expect.stringMatching(/^typescript-compiler@npm:typescript@\d+\.\d+\.\d+$/),
      expect.stringMatching(/^@types\/node@npm:@types\/node@24\.\d+\.\d+$/),
      expect.stringMatching(/^@types\/better-sqlite3@npm:@types\/better-sqlite3@\d+\.\d+\.\d+$/),
      expect.stringMatching(/^@types\/luxon@npm:@types\/luxon@\d+\.\d+\.\d+$/),
    ]);
  });

  it('the image contains only production dependencies and does not run as root', () => {
    expect(stages.some((stage) => stage.includes('npm ci --omit=dev'))).toBe(true);
    expect(image).toContain('COPY --from=dependencies');
    expect(image).not.toContain('npm');
    expect(stages[0]).toMatch(/rm -rf bullmq-otel/);
    expect(image).toMatch(/^USER node$/m);
  });

  it('the image has a health check and runs the worker', () => {
    expect(image).toContain('HEALTHCHECK');
    expect(image).toContain('/health');
    expect(image).toMatch(/CMD \["worker"\]\s*$/);
  });

  it('the Dockerfile copies exactly the files that the build context permits', () => {
    const allowed = text('.dockerignore').match(/(?<=^!).+$/gm) ?? [];
    const copied = [...text('Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, files = '']) =>
      files.split(' '),
    );
    expect([...new Set(copied)].sort()).toEqual([...allowed].sort());
  });
});

describe('the metrics', () => {
  const documented = namesIn(
    text('docs/operations.md')
      .match(/^\| `[^|]+\|/gm)
      ?.join('\n') ?? '',
  );

  it('all metrics are documented', async () => {
    const measured = await openMetrics(() => ({ registries: [], isRedisReady: true, nowMs: 0 })).text();
    const served = namesIn(measured.match(/^# HELP \S+/gm)?.join('\n') ?? '');
    expect([...documented].sort()).toEqual([...served].sort());
  });

  it.each([
    'docs/alerts/registry-mirror.rules.yml',
    'docs/monitoring/grafana/dashboards/registry-mirror.json',
  ])('the documented metrics include every metric in %s', (path) => {
    const used = [...namesIn(text(path))].map((name) => name.replace(/_bucket$/, ''));
    expect(used.filter((name) => !documented.has(name))).toEqual([]);
    expect(used.length).toBeGreaterThan(5);
  });
});

function namesIn(source: string): Set<string> {
  return new Set(source.match(/\bregistry_mirror_[a-z_]+/g));
}

describe('the files for systemd and logrotate', () => {
  const units = readdirSync(join(root, 'docs/systemd'));

  it.each(units)('%s starts the installed program with a configuration, without privileges', (unit) => {
    if (unit.endsWith('.timer')) return expect(text(`docs/systemd/${unit}`)).toMatch(/^OnCalendar=/m);
    const service = text(`docs/systemd/${unit}`);
    const [, command] = /^ExecStart=\/usr\/bin\/env registry-mirror (\w+)/m.exec(service) ?? [];
    expect(unit).toBe(`registry-mirror-${command}.service`);
    for (const line of ['User=registry-mirror', 'NoNewPrivileges=yes', 'ProtectSystem=strict'])
      expect(service).toContain(`\n${line}\n`);
    return undefined;
  });

  it.runIf(isInstalled('systemd-analyze'))('systemd accepts every unit', () => {
    const paths = units.map((unit) => join(root, 'docs/systemd', unit));
    expect(spawnSync('systemd-analyze', ['verify', ...paths], { encoding: 'utf8' })).toMatchObject({
      status: 0,
      stdout: '',
      stderr: '',
    });
  });

  it.runIf(isInstalled('logrotate'))('logrotate accepts its file', () => {
    const folder = temporaryFolder();
    const file = join(folder, 'registry-mirror');
    // The user exists only where the program is installed.
    writeFileSync(file, text('docs/logrotate/registry-mirror').replace(/su .*\n/, ''), { mode: 0o644 });
    const { status, stderr } = spawnSync('logrotate', ['--debug', '--state', join(folder, 'state'), file], {
      encoding: 'utf8',
    });
    expect(status).toBe(0);
    expect(stderr).not.toContain('error:');
  });
});

function isInstalled(program: string): boolean {
  return spawnSync(program, ['--version']).error === undefined;
}
