import { Worker } from 'node:worker_threads';
import { FailedError } from '../errors.ts';
import type { PageDocument, PageFailure, PageReply, PageRequest } from './page_request.ts';
import type { PageSettings } from './page_settings.ts';

/**
 * Reads and draws pages in a separate thread, so that a chart that queries a million companies does not delay the API's
 * clients.
 */
export interface PageThread {
  /** Resolves with the document, or with null if no such page exists. Rejects if the page cannot be drawn. */
  draw(request: PageRequest): Promise<PageDocument | null>;
  close(): Promise<void>;
}

/** The data that the thread receives when it starts. */
export interface PageThreadData {
  readonly settings: PageSettings;
  /** The difference between the caller's clock and the system clock, in milliseconds. */
  readonly clockOffsetMs: number;
}

/** Starts the thread at the first request, and restarts it after a crash. */
export function openPageThread(settings: PageSettings, now: () => number): PageThread {
  let worker: Worker | null = null;
  let lastNumber = 0;
  const pending = new Map<
    number,
    { resolve(document: PageDocument | null): void; reject(error: Error): void }
  >();

  const failAll = (error: Error) => {
    worker = null;
    for (const { reject } of pending.values()) reject(error);
    pending.clear();
  };
  const startWorker = (): Worker => {
    const file = `./page_thread.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`;
    const workerData: PageThreadData = { settings, clockOffsetMs: now() - Date.now() };
    const started = new Worker(new URL(file, import.meta.url), { workerData });
    started.on('message', ({ number, document, failure }: PageReply) => {
      const request = pending.get(number);
      pending.delete(number);
      if (failure === null) request?.resolve(document);
      else request?.reject(errorOf(failure));
    });
    started.on('error', failAll);
    started.unref();
    return started;
  };

  return {
    draw: (request) =>
      new Promise((resolve, reject) => {
        lastNumber += 1;
        pending.set(lastNumber, { resolve, reject });
        worker ??= startWorker();
        worker.postMessage({ number: lastNumber, request });
      }),
    async close() {
      await worker?.terminate();
      failAll(new Error('The status page is closed.'));
    },
  };
}

function errorOf({ stack, fault }: PageFailure): Error {
  if (fault === null) return new Error(stack);
  return new FailedError(fault.message, fault.remedy === null ? {} : { hint: fault.remedy });
}
