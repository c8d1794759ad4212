import { createHash, timingSafeEqual } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import basicAuth from '@fastify/basic-auth';
import fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { boundedServer, isLoopback } from '../src/api/http_server.ts';
import { isoTime } from '../src/clock.ts';
import type { Secret } from '../src/config/config.ts';
import { UsageError } from '../src/errors.ts';
import type { Board } from './dashboard.ts';
import { type Measured, type Metrics, redisFault } from './metrics.ts';
import { isBlocking, type RegistryState, type RegistryWorker } from './registry_worker.ts';

/** The worker's HTTP server: /health, /ready, /metrics, and the dashboard under /queues. */
export interface HealthServer {
  /** The base URL, such as `http://127.0.0.1:9464`. */
  readonly url: string;
  close(): Promise<void>;
}

export interface HealthServerOptions {
  readonly host: string;
  readonly port: number;
  readonly password: Secret | null;
  /** Called only when the dashboard is first requested, because its libraries are large. */
  openBoard(): Promise<Board>;
  measure(): Measured;
  readonly metrics: Metrics;
}

export const BOARD_PATH = '/queues';

/**
 * Starts the server.
 *
 * @throws UsageError if another process uses the port.
 */
export async function openHealthServer(options: HealthServerOptions): Promise<HealthServer> {
  const { host, port, measure, metrics } = options;
  const app = fastify({ forceCloseConnections: true, serverFactory: boundedServer });
  // Other pages must not show the dashboard in a frame and make the user click in it.
  app.addHook('onRequest', (_request, reply, done) => {
    reply.raw.setHeader('content-security-policy', "frame-ancestors 'none'");
    done();
  });
  if (isLoopback(host)) rejectForeignHosts(app);
  app.get('/health', (_request, reply) => sendHealth(reply, measure()));
  app.get('/ready', (_request, reply) => sendReadiness(reply, measure()));
  app.get('/metrics', async (_request, reply) =>
    reply.type('text/plain; version=0.0.4; charset=utf-8').send(await metrics.text()),
  );
  await app.register(async (inner) => await addDashboard(inner, options));
  return { url: await listen(app, host, port), close: () => app.close() };
}

/**
 * The worker is healthy if the process responds and its loops are running. It is healthy even if Redis is slow or
 * faulty, because restarting the worker would not help.
 */
function sendHealth(reply: FastifyReply, measured: Measured): FastifyReply {
  const fault = redisFault(measured);
  const stuck = measured.registries.filter(({ state }) => isStuck(state, measured.nowMs));
  const ok = stuck.length === 0;
  return reply.code(ok ? 200 : 503).send({ ok, stuck: stuck.map(({ name }) => name), redis_error: fault });
}

function isStuck({ triedAtMs }: RegistryState, nowMs: number): boolean {
  return triedAtMs !== null && nowMs - triedAtMs > STUCK_AFTER_MS;
}

/**
 * The worker is ready if Redis accepts its commands in time, each queue has a leader (this worker or another), and the
 * files can be read.
 */
function sendReadiness(reply: FastifyReply, measured: Measured): FastifyReply {
  const { registries } = measured;
  const fault = redisFault(measured);
  const isReady = ({ state }: RegistryWorker) =>
    state.role !== 'starting' && !isLate(state, measured.nowMs) && !state.problems.some(isBlocking);
  const ok = fault === null && registries.every(isReady);
  return reply
    .code(ok ? 200 : 503)
    .send({ ok, redis: fault === null, redis_error: fault, registries: registries.map(describe) });
}

/** Returns whether this worker leads, but cannot reconcile its queue in time, for example because Redis is slow. */
function isLate({ leadsSinceMs, reconciledAtMs }: RegistryState, nowMs: number): boolean {
  return leadsSinceMs !== null && nowMs - Math.max(leadsSinceMs, reconciledAtMs ?? 0) > LATE_AFTER_MS;
}

function describe({ name, state }: RegistryWorker) {
  const { role, leader, running, snapshot, isPaused, problems } = state;
  const closedUntilMs = snapshot?.queue.closedUntilMs ?? null;
  const isForever = closedUntilMs === Number.POSITIVE_INFINITY;
  return {
    name,
    role,
    leader: leader?.worker ?? null,
    working: running,
    // Only the leader reads the queue and the files.
    paused: snapshot === null ? null : isPaused,
    allowance: snapshot === null ? null : closedUntilMs === null ? 'open' : isForever ? 'used_up' : 'waiting',
    allowance_resumes_at: closedUntilMs === null || isForever ? null : isoTime(closedUntilMs),
    problems,
  };
}

/**
 * Serves the dashboard. Without a password, it is read-only on a loopback address and not available on other addresses.
 * With a password, it also permits actions such as retrying and removing jobs.
 */
async function addDashboard(app: FastifyInstance, options: HealthServerOptions): Promise<void> {
  const { host, password, openBoard, measure } = options;
  if (password !== null) await requirePassword(app, password);
  else if (!isLoopback(host)) {
    app.all(`${BOARD_PATH}*`, (_request, reply) => reply.code(403).type('text/plain').send(NO_PASSWORD));
    return;
  }
  let board: Promise<Board> | null = null;
  app.addHook('onClose', async () => (await board)?.close());
  // Remove the default body parsers, because the dashboard has its own.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
  app.all(`${BOARD_PATH}*`, async (request, reply) => {
    const fault = redisFault(measure());
    if (fault !== null)
      return reply.code(503).type('text/plain').send(`The dashboard needs Redis: ${fault}.\n`);
    board ??= openBoard();
    const { app: inner } = await board;
    reply.hijack();
    inner.routing(request.raw, reply.raw);
  });
}

async function requirePassword(app: FastifyInstance, password: Secret): Promise<void> {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  let nextTry: Promise<unknown> = Promise.resolve();
  await app.register(basicAuth, {
    authenticate: { realm: 'registry-mirror' },
    validate: async (_user, given) => {
      if (timingSafeEqual(digest(given), digest(password.reveal()))) return;
      // Wrong passwords are rejected one at a time, so that nobody can try many of them in parallel.
      nextTry = nextTry.then(() => sleep(WRONG_PASSWORD_MS, undefined, { ref: false }));
      await nextTry;
      throw new Error('wrong password');
    },
  });
  app.addHook('onRequest', app.basicAuth);
}

const WRONG_PASSWORD_MS = 500;

/**
 * Prevents DNS rebinding. Otherwise, another site's page could reach this server through a host name that resolves to a
 * loopback address.
 */
function rejectForeignHosts(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ hostname }, reply) => {
    if (isLoopback(hostname)) return undefined;
    return reply.code(403).type('text/plain').send('This server accepts only requests to localhost.\n');
  });
}

async function listen(app: FastifyInstance, host: string, port: number): Promise<string> {
  try {
    return await app.listen({ host, port });
  } catch (error) {
    await app.close();
    const { code, message } = error as NodeJS.ErrnoException;
    throw new UsageError(`cannot listen on ${host}:${port} (${code ?? message})`, {
      hint:
        'Each worker on a machine needs its own `worker.health_port` (or REGISTRY_MIRROR_HEALTH_PORT): ' +
        'a free port, 0 for any free port, or null for none.',
      cause: error,
    });
  }
}

const NO_PASSWORD =
  'The dashboard is disabled, because other machines can reach this port and no password is set.\n' +
  'Set worker.board_password in the configuration, or set worker.health_host to 127.0.0.1.\n';
const STUCK_AFTER_MS = 120_000;
// The queue is reconciled every 5 s.
const LATE_AFTER_MS = 30_000;
