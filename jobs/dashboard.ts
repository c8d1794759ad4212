import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { FastifyAdapter } from '@bull-board/fastify';
import { Queue } from 'bullmq';
import fastify, { type FastifyInstance } from 'fastify';
import type { Redis } from 'ioredis';
import { redisKeysOf } from './queue.ts';

/** The dashboard for all queues under one key prefix in Redis. */
export interface Board {
  readonly app: FastifyInstance;
  close(): Promise<void>;
}

export interface BoardOptions {
  readonly redis: Redis;
  readonly prefix: string;
  readonly path: string;
  /** True if the dashboard offers no actions. */
  readonly isReadOnly: boolean;
  /** Names of this worker's own queues, which are shown immediately. */
  readonly own: readonly string[];
  now(): number;
}

export async function openBoard({ redis, prefix, path, isReadOnly, own, now }: BoardOptions): Promise<Board> {
  const shown = new Map<string, Queue>();
  const app = fastify({ routerOptions: { ignoreTrailingSlash: true } });
  const serverAdapter = new FastifyAdapter();
  serverAdapter.setBasePath(path);
  const board = createBullBoard({
    queues: [],
    serverAdapter,
    options: { uiConfig: { boardTitle: 'registry-mirror', hideRedisDetails: true, showMetrics: true } },
  });
  const show = (name: string) => {
    if (shown.has(name)) return;
    const queue = new Queue(name, { connection: redis, prefix, skipMetasUpdate: true });
    // Ignore connection errors here, because the worker logs them.
    queue.on('error', () => {});
    shown.set(name, queue);
    board.addQueue(new BullMQAdapter(queue, { readOnlyMode: isReadOnly }));
  };
  own.forEach(show);
  await app.register(serverAdapter.registerPlugin(), { prefix: path });
  const refresh = async () => {
    const seenAt = await redis.hgetall(redisKeysOf(prefix, '').queues);
    for (const [name, at] of Object.entries(seenAt)) if (now() - Date.parse(at) < UNUSED_AFTER_MS) show(name);
  };
  // If Redis is lost, the worker logs it, and the dashboard still shows the known queues.
  const tryRefresh = () => void refresh().catch(() => {});
  const timer = setInterval(tryRefresh, REFRESH_EVERY_MS);
  tryRefresh();

  await app.ready();
  return {
    app,
    close: async () => {
      clearInterval(timer);
      await app.close();
      for (const queue of shown.values()) await queue.close();
    },
  };
}

const REFRESH_EVERY_MS = 5000;
const UNUSED_AFTER_MS = 7 * 24 * 60 * 60_000;
