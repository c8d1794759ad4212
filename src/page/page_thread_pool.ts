import { Worker } from 'node:worker_threads';
import type { PageReply, PageRequest } from './page_request.ts';
import type { PageSettings } from './page_settings.ts';

/**
 * The page is read and drawn in a thread of its own: counting a million companies for a chart must not hold up
 * a client of the endpoints.
 */
export interface PageThread {
  /** The document; null where there is no such page. Rejects where it cannot be made. */
  draw(ask: PageRequest): Promise<string | null>;
  close(): Promise<void>;
}

export function openPageThread(facts: PageSettings, now: () => number): PageThread {
  let worker: Worker | null = null;
  let last = 0;
  const waiting = new Map<number, { resolve(document: string | null): void; reject(error: Error): void }>();

  const failAll = (error: Error) => {
    worker = null;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  const started = (): Worker => {
    if (worker !== null) return worker;
    const file = `./page_thread.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`;
    // The clock of who opened the page, also where it is not the system's.
    const workerData = { facts, clockOffsetMs: now() - Date.now() };
    const begun = new Worker(new URL(file, import.meta.url), { workerData });
    begun.on('message', ({ number, document, failure }: PageReply) => {
      const asked = waiting.get(number);
      waiting.delete(number);
      if (failure === null) asked?.resolve(document);
      else asked?.reject(new Error(failure));
    });
    begun.on('error', failAll);
    begun.unref();
    worker = begun;
    return begun;
  };

  return {
    draw: (ask) =>
      new Promise((resolve, reject) => {
        last += 1;
        waiting.set(last, { resolve, reject });
        started().postMessage({ number: last, ask });
      }),
    async close() {
      await worker?.terminate();
      failAll(new Error('the page is closed'));
    },
  };
}
