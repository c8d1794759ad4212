import type { ServerResponse } from 'node:http';

/** Tells browsers that there is something new (Server-Sent Events): that, and never what. */
export interface Events {
  /** Keeps the response open. False: there are too many already. */
  open(response: ServerResponse): boolean;
  close(): void;
}

/** `version`: another value says that the mirror changed. It is looked at only while somebody listens. */
export function openEvents(version: () => unknown): Events {
  const listeners = new Set<ServerResponse>();
  let timer: NodeJS.Timeout | null = null;
  let known: unknown;
  let quietMs = 0;

  const tell = (word: string) => {
    quietMs = 0;
    for (const response of listeners) response.write(`data: ${word}\n\n`);
  };
  const look = () => {
    const present = version();
    quietMs += LOOK_EVERY_MS;
    if (present !== known) tell('changed');
    // Ages grow and minutes pass, also where nothing is written; and it keeps the connection open.
    else if (quietMs >= TELL_AT_LEAST_MS) tell('tick');
    known = present;
  };
  const leave = (response: ServerResponse) => {
    listeners.delete(response);
    if (listeners.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  };

  return {
    open(response) {
      if (listeners.size >= MOST_LISTENERS) return false;
      response.write(`retry: ${RETRY_MS}\n\n`);
      if (timer === null) known = version();
      timer ??= setInterval(look, LOOK_EVERY_MS).unref();
      listeners.add(response);
      response.once('close', () => leave(response));
      return true;
    },
    close() {
      for (const response of listeners) response.end();
      if (timer !== null) clearInterval(timer);
    },
  };
}

const LOOK_EVERY_MS = 1_000;
const TELL_AT_LEAST_MS = 15_000;
const RETRY_MS = 3_000;
const MOST_LISTENERS = 100;
