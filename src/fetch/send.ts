import got, { type Got, RequestError } from 'got';
import type { Clock } from '../clock.ts';
import type { Reply } from '../dialect/classify.ts';
import type { Lane } from './lane.ts';

/** One HTTP attempt on a lane: no retry, no redirect, no cache. */
export type Sent =
  | { readonly is: 'reply'; readonly sentAtMs: number; readonly durationMs: number; readonly reply: Reply }
  /** The request left (or may have), and no usable reply came. */
  | {
      readonly is: 'lost';
      readonly sentAtMs: number;
      readonly durationMs: number;
      readonly status: number | null;
      readonly why: string;
    }
  /** No byte of the request left. */
  | { readonly is: 'unsent'; readonly why: string }
  /** The slot was over before the request could leave. */
  | { readonly is: 'missed' };

export interface SendOptions {
  readonly apiKey: string;
  readonly userAgent: string;
  readonly responseTimeoutMs: number;
  readonly maxBodyBytes: number;
}

export type Send = (lane: Lane, url: URL, notAfterMs: number) => Promise<Sent>;

export function openSend(options: SendOptions, clock: Clock): Send {
  const client = got.extend({
    headers: {
      authorization: `Bearer ${options.apiKey}`,
      accept: 'application/json',
      'user-agent': options.userAgent,
    },
    retry: { limit: 0 },
    followRedirect: false,
    throwHttpErrors: false,
    timeout: { request: options.responseTimeoutMs },
  });
  return (lane, url, notAfterMs) =>
    new Attempt(client, lane, url, notAfterMs, options.maxBodyBytes, clock).run();
}

class Attempt {
  readonly #client: Got;
  readonly #lane: Lane;
  readonly #url: URL;
  readonly #notAfterMs: number;
  readonly #maxBodyBytes: number;
  readonly #clock: Clock;
  #sentAtMs: number | null = null;
  #isMissed = false;

  constructor(client: Got, lane: Lane, url: URL, notAfterMs: number, maxBodyBytes: number, clock: Clock) {
    this.#client = client;
    this.#lane = lane;
    this.#url = url;
    this.#notAfterMs = notAfterMs;
    this.#maxBodyBytes = maxBodyBytes;
    this.#clock = clock;
  }

  run(): Promise<Sent> {
    return new Promise((resolve) => {
      const stream = this.#client.stream(this.#url, { agent: this.#lane.agents });
      const chunks: Buffer[] = [];
      let receivedBytes = 0;
      let status: number | null = null;
      let isOver = false;
      const finish = (sent: Sent) => {
        if (isOver) return;
        isOver = true;
        resolve(sent);
      };

      stream.once('request', (request) => {
        // Node writes the request in the very tick of this event: the last moment to call it off.
        request.once('socket', () => {
          const nowMs = this.#clock.now();
          if (nowMs <= this.#notAfterMs) {
            this.#sentAtMs = nowMs;
            return;
          }
          this.#isMissed = true;
          request.destroy(new Error('the slot was missed'));
        });
      });
      stream.once('response', (response: { statusCode: number }) => {
        status = response.statusCode;
      });
      stream.on('data', (chunk: Buffer) => {
        receivedBytes += chunk.length;
        chunks.push(chunk);
        if (receivedBytes <= this.#maxBodyBytes) return;
        finish(this.#lost(status, `the body is larger than ${this.#maxBodyBytes} bytes (upstream.max_body)`));
        stream.destroy();
      });
      stream.once('end', () => {
        const response = stream.response;
        if (response === undefined || status === null) return finish(this.#lost(status, 'no answer came'));
        const headers = response.headers as Record<string, string | undefined>;
        finish(this.#reply({ status, headers, body: Buffer.concat(chunks) }));
      });
      stream.once('error', (error) => finish(this.#failed(status, error)));
      stream.once('close', () => finish(this.#lost(status, 'the answer ended before it was whole')));
    });
  }

  #reply(reply: Reply): Sent {
    const sentAtMs = this.#sentAtMs ?? this.#clock.now();
    return { is: 'reply', sentAtMs, durationMs: this.#clock.now() - sentAtMs, reply };
  }

  #failed(status: number | null, error: unknown): Sent {
    if (this.#isMissed) return { is: 'missed' };
    const why = describe(error);
    return this.#sentAtMs === null ? { is: 'unsent', why } : this.#lost(status, why);
  }

  #lost(status: number | null, why: string): Sent {
    const sentAtMs = this.#sentAtMs ?? this.#clock.now();
    return { is: 'lost', sentAtMs, durationMs: this.#clock.now() - sentAtMs, status, why };
  }
}

/** A network error in a few words; never the request's options, which hold the key. */
export function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null;
  if (error instanceof RequestError && code === 'ETIMEDOUT')
    return `no whole answer in time (${error.message})`;
  return code === null || error.message.includes(code) ? error.message : `${code}: ${error.message}`;
}
