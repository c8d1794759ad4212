import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';

/**
 * A Redis server for tests. It is the first of these three that is available: the server at REDIS_URL, `redis-server`
 * from PATH on a free port with its own folder, or a server written in JavaScript. The output names the chosen server.
 * REQUIRE_REAL_REDIS=1 forbids the JavaScript server.
 */
export interface TestRedis {
  readonly url: string;
  readonly kind: 'REDIS_URL' | 'redis-server' | 'js-redis-server';
  close(): Promise<void>;
}

/** A Redis server for one test. The test may flush, kill and restart it, so it is never the server at REDIS_URL. */
export interface OwnRedis extends TestRedis {
  /** The folder for the server's files. */
  readonly folder: string;
  flush(): Promise<void>;
  /** Kills the server with SIGKILL and keeps its files. */
  kill(): Promise<void>;
  /** Starts the server again on the same port. */
  start(): Promise<void>;
}

export interface RedisSettings {
  /**
   * Lines of redis.conf as arguments, such as `['--appendonly', 'no']`. By default, the server has an append-only file
   * and does not evict keys.
   */
  readonly settings?: readonly string[];
}

export async function startRedis(): Promise<TestRedis> {
  const url = process.env.REDIS_URL;
  if (url === undefined || url === '') return await startOwnRedis();
  printServer('the server at REDIS_URL');
  return { url, kind: 'REDIS_URL', close: async () => {} };
}

export async function startOwnRedis({ settings = DURABLE }: RedisSettings = {}): Promise<OwnRedis> {
  const version = installedVersion();
  if (version !== null) {
    printServer(`redis-server ${version} from PATH`);
    return await startProcess('redis-server', ({ port, folder }) => {
      const fixed = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--loglevel', 'warning'];
      return spawn('redis-server', [...fixed, ...settings], { stdio: 'ignore' });
    });
  }
  if (isSet(process.env.REQUIRE_REAL_REDIS))
    throw new Error('REQUIRE_REAL_REDIS is set, but PATH contains no redis-server. Install Redis.');
  printServer('js-redis-server (no redis-server on PATH)');
  return await startProcess('js-redis-server', ({ port }) =>
    spawn(process.execPath, [JS_REDIS, String(port)], { stdio: 'ignore' }),
  );
}

/** Returns whether `redis-server` is installed, because a few properties need a real Redis. */
export function hasRealRedis(): boolean {
  return installedVersion() !== null;
}

type Start = (at: { readonly port: number; readonly folder: string }) => ChildProcess;

async function startProcess(kind: OwnRedis['kind'], start: Start): Promise<OwnRedis> {
  const folder = mkdtempSync(join(tmpdir(), 'registry-mirror-redis-'));
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  let server: ChildProcess | null = null;
  const killServer = () => server?.kill('SIGKILL');
  process.once('exit', killServer);

  const own: OwnRedis = {
    url,
    kind,
    folder,
    start: async () => {
      server = start({ port, folder });
      await untilReady(url);
    },
    kill: async () => {
      const running = server;
      if (running === null) return;
      server = null;
      const gone = new Promise((resolve) => running.once('exit', resolve));
      running.kill('SIGKILL');
      await gone;
    },
    flush: () => flush(url),
    close: async () => {
      await own.kill();
      process.off('exit', killServer);
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await own.start();
  return own;
}

async function flush(url: string): Promise<void> {
  const redis = new Redis(url);
  await redis.flushall();
  redis.disconnect();
}

async function untilReady(url: string): Promise<void> {
  const redis = new Redis(url, { maxRetriesPerRequest: null, retryStrategy: () => 20 });
  redis.on('error', () => {});
  await redis.ping();
  redis.disconnect();
}

function installedVersion(): string | null {
  try {
    const output = execFileSync('redis-server', ['--version'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return / v=([\d.]+)/.exec(output)?.[1] ?? null;
  } catch {
    return null;
  }
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}

function printServer(which: string): void {
  process.stderr.write(`Redis for these tests: ${which}\n`);
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}

const JS_REDIS = join(import.meta.dirname, 'js_redis.ts');
const DURABLE = ['--appendonly', 'yes', '--maxmemory-policy', 'noeviction', '--save', ''];
