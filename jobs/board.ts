import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { FastifyAdapter } from '@bull-board/fastify';
import { Queue } from 'bullmq';
import type { FastifyPluginCallback } from 'fastify';
import type { Redis } from 'ioredis';
import { keysOf } from './queue.ts';

/** The queue dashboard, over every queue that any worker keeps under a prefix of this Redis. */
export interface Board {
  readonly plugin: FastifyPluginCallback;
  /** Looks which queues there are now. Throws when Redis cannot be asked. */
  refresh(nowMs: number): Promise<void>;
  close(): Promise<void>;
}

export interface BoardOptions {
  readonly redis: Redis;
  readonly prefix: string;
  readonly path: string;
  /** Shows and changes nothing. */
  readonly isReadOnly: boolean;
  /** Queues of this worker, shown from the start. */
  readonly own: readonly string[];
}

export function openBoard({ redis, prefix, path, isReadOnly, own }: BoardOptions): Board {
  const shown = new Map<string, Queue>();
  const server = new FastifyAdapter().setBasePath(path);
  const board = createBullBoard({
    queues: [],
    serverAdapter: server,
    options: { uiConfig: { boardTitle: 'registry-mirror', hideRedisDetails: true } },
  });

  const show = (name: string) => {
    const queue = new Queue(name, { connection: redis, prefix, skipMetasUpdate: true });
    // Connection errors are reported by the worker; here there is nobody to tell.
    queue.on('error', () => {});
    shown.set(name, queue);
    board.addQueue(new BullMQAdapter(queue, { readOnlyMode: isReadOnly }));
  };
  for (const name of own) show(name);

  return {
    plugin: server.registerPlugin(),
    refresh: async (nowMs) => {
      const seenAt = await redis.hgetall(keysOf(prefix, '').queues);
      for (const [name, at] of Object.entries(seenAt))
        if (!shown.has(name) && nowMs - Date.parse(at) < FORGOTTEN_AFTER_MS) show(name);
    },
    close: async () => {
      for (const queue of shown.values()) await queue.close();
    },
  };
}

const FORGOTTEN_AFTER_MS = 7 * 24 * 60 * 60_000;
