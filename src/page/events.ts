import type { ServerResponse } from 'node:http';

/** Notifies browsers of changes by Server-Sent Events. */
export interface Events {
  /** Sends events on this response, which stays open. Returns false if too many responses are open. */
  open(response: ServerResponse): boolean;
  close(): void;
}

/**
 * Each event contains only the mirror's version. A browser that already shows this version needs no update. `version`
 * is polled only while at least one browser is connected.
 */
export function openEvents(version: () => string): Events {
  const listeners = new Set<ServerResponse>();
  let timer: NodeJS.Timeout | null = null;
  let lastVersion = '';
  let quietMs = 0;

  const send = (event: 'message' | 'tick', present: string) => {
    quietMs = 0;
    for (const response of listeners) response.write(`event: ${event}\ndata: ${present}\n\n`);
  };
  const poll = () => {
    const present = version();
    quietMs += POLL_EVERY_MS;
    if (present !== lastVersion) send('message', present);
    // Send an event even if nothing changed, because the ages on the page increase and events keep the connection open.
    else if (quietMs >= TICK_EVERY_MS) send('tick', present);
    lastVersion = present;
  };
  const remove = (response: ServerResponse) => {
    listeners.delete(response);
    if (listeners.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  };

  return {
    open(response) {
      if (listeners.size >= MAX_LISTENERS) return false;
      if (timer === null) lastVersion = version();
      response.write(`retry: ${RETRY_MS}\ndata: ${lastVersion}\n\n`);
      timer ??= setInterval(poll, POLL_EVERY_MS).unref();
      listeners.add(response);
      response.once('close', () => remove(response));
      return true;
    },
    close() {
      for (const response of listeners) response.end();
      if (timer !== null) clearInterval(timer);
    },
  };
}

const POLL_EVERY_MS = 1_000;
const TICK_EVERY_MS = 15_000;
const RETRY_MS = 3_000;
const MAX_LISTENERS = 1_000;
