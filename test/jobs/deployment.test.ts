import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { openMetrics } from '../../jobs/metrics.ts';

const root = resolve(import.meta.dirname, '../..');
const text = (path: string) => readFileSync(join(root, path), 'utf8');
const compose = parse(text('docker-compose.yml'), { merge: true });

describe('docker-compose.yml', () => {
  it('runs Redis 7 with an append-only file, without eviction and with a health check', () => {
    const { image, command, healthcheck, volumes } = compose.services.redis;
    expect(image).toMatch(/^redis:7/);
    expect(command.join(' ')).toContain('--appendonly yes');
    expect(command.join(' ')).toContain('--maxmemory-policy noeviction');
    expect(healthcheck.test).toContain('ping');
    expect(volumes).toEqual(['redis-data:/data']);
  });

  it('starts the worker after Redis is healthy and permits a graceful stop', () => {
    const { command, depends_on, stop_grace_period } = compose.services.worker;
    expect(command).toEqual(['worker']);
    expect(depends_on.redis.condition).toBe('service_healthy');
    expect(stop_grace_period).toBe('30s');
  });

  it.each(['worker', 'page'])(
    'runs the %s without capabilities and with write access to its volume only',
    (name) => {
      const service = compose.services[name];
      expect(service.read_only).toBe(true);
      expect(service.cap_drop).toEqual(['ALL']);
      expect(service.security_opt).toEqual(['no-new-privileges:true']);
      expect(service.volumes.filter((volume: string) => !volume.endsWith(':ro'))).toEqual([
        'mirror-data:/data',
      ]);
      for (const port of service.ports) expect(port).toMatch(/^127\.0\.0\.1:/);
    },
  );

  it('reads secrets from files and names every volume', () => {
    for (const secret of Object.values<{ file: string }>(compose.secrets))
      expect(secret.file).toMatch(/^\.\/secrets\//);
    expect(Object.keys(compose.secrets)).toEqual(compose.services.worker.secrets);
    expect(Object.keys(compose.volumes)).toEqual(['mirror-data', 'redis-data']);
  });

  it('sets only documented variables', () => {
    const documented = text('docs/configuration.md');
    for (const name of Object.keys(compose.services.worker.environment))
      expect(documented).toContain(`\`${name}\``);
  });
});

describe('the Dockerfile', () => {
  const stages = text('Dockerfile')
    .split(/^FROM /m)
    .slice(1);
  const image = stages.at(-1) ?? '';

  it('builds every stage on Node 24 slim', () => {
    for (const stage of stages) expect(stage).toMatch(/^node:24-slim/);
  });

  it('contains production dependencies only and does not run as root', () => {
    expect(stages.some((stage) => stage.includes('npm ci --omit=dev'))).toBe(true);
    expect(image).toContain('COPY --from=dependencies');
    expect(image).not.toContain('npm');
    expect(image).toMatch(/^USER node$/m);
  });

  it('has a health check and runs the worker', () => {
    expect(image).toContain('HEALTHCHECK');
    expect(image).toContain('/health');
    expect(image).toMatch(/CMD \["worker"\]\s*$/);
  });

  it('copies exactly the files that the build context permits', () => {
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

  it('are all documented', async () => {
    const measured = await openMetrics(() => ({ registries: [], isRedisReady: true, nowMs: 0 })).text();
    const served = namesIn(measured.match(/^# HELP \S+/gm)?.join('\n') ?? '');
    expect([...documented].sort()).toEqual([...served].sort());
  });

  it('include every metric of the example alert rules', () => {
    const used = namesIn(text('docs/alerts/registry-mirror.rules.yml'));
    expect([...used].filter((name) => !documented.has(name))).toEqual([]);
    expect(used.size).toBeGreaterThan(5);
  });
});

function namesIn(source: string): Set<string> {
  return new Set(source.match(/\bregistry_mirror_[a-z_]+/g));
}
