import got, { type Got, RequestError } from 'got';
import type { Clock } from '../clock.ts';
import type { Credentials } from '../config/credentials.ts';
import type { Reply } from '../dialect/classify.ts';
import { readBody } from '../dialect/response_body.ts';
import { withoutParameters, withParts } from '../dialect/url_template.ts';
import { messageOf } from '../errors.ts';
import { cutText, headersTooLargeText, KEY_IN_BODY, tooLargeText } from '../outcome.ts';
import { ACCEPTED_ENCODINGS, decompressed, isCompressed } from './compressed_body.ts';
import type { Connection } from './connection.ts';
import { openRedaction, REMOVED, type Redaction } from './key_redaction.ts';

/** The result of one HTTP request, made without retries, redirects or a cache. */
type Sent =
  | { readonly is: 'reply'; readonly sentAtMs: number; readonly durationMs: number; readonly reply: Reply }
  /** The request was sent or may have been sent, but no usable reply arrived. */
  | {
      readonly is: 'lost';
      readonly sentAtMs: number;
      readonly durationMs: number;
      readonly status: number | null;
      readonly why: string;
      /** The first bytes of the reply; absent if none can be kept. */
      readonly reply?: Reply;
    }
  /** No byte of the request left the machine. */
  | { readonly is: 'unsent'; readonly why: string }
  /** The slot expired before the request could be sent. */
  | { readonly is: 'missed' };

interface SendOptions {
  readonly credentials: Credentials;
  readonly userAgent: string;
  readonly responseTimeoutMs: number;
  readonly maxBodyBytes: number;
}

/** Sends one request on an open connection, unless `notAfterMs` (epoch milliseconds) has passed. Never rejects. */
export type Send = (connection: Connection, url: URL, notAfterMs: number) => Promise<Sent>;

/** Sends requests with the account's key. */
export class Sender {
  readonly #parameter: Credentials['parameter'];
  readonly #request: Pick<HttpRequestOptions, 'client' | 'clock' | 'maxBodyBytes' | 'redaction'>;
  #failedReuses = 0;

  constructor(options: SendOptions, clock: Clock) {
    const { credentials, maxBodyBytes } = options;
    this.#parameter = credentials.parameter;
    this.#request = {
      client: clientOf(options),
      clock,
      maxBodyBytes,
      redaction: openRedaction(credentials.secrets),
    };
  }

  readonly send: Send = async (connection, url, notAfterMs) => {
    connection.startCall();
    const sent = await new HttpRequest({
      ...this.#request,
      connection,
      url: withParameter(url, this.#parameter),
      notAfterMs,
    }).run();
    // Some upstreams close every connection after one response, without saying so.
    if (sent.is === 'lost' && sent.status === null && connection.isReused) this.#failedReuses += 1;
    if (sent.is !== 'reply' || this.#failedReuses >= MAX_FAILED_REUSES) connection.discard();
    return sent;
  };
}

function clientOf({ credentials, userAgent, responseTimeoutMs }: SendOptions): Got {
  return got.extend({
    headers: {
      // Some registries use a JSON media type of their own and reject requests that do not accept it.
      accept: 'application/json, application/*+json;q=0.9, */*;q=0.1',
      ...credentials.headers,
      'accept-encoding': ACCEPTED_ENCODINGS,
      'user-agent': userAgent,
    },
    retry: { limit: 0 },
    decompress: false,
    followRedirect: false,
    throwHttpErrors: false,
    timeout: { request: responseTimeoutMs },
    maxHeaderSize: MAX_HEADER_BYTES,
  });
}

/** Adds the key to the URL. All other code sees the URL without it. */
function withParameter(url: URL, parameter: Credentials['parameter']): URL {
  if (parameter === null) return url;
  const [name, key] = parameter;
  // In a link, the parameter was removed from the response.
  return withParts(withoutParameters(url, [name, REMOVED]), [String(new URLSearchParams({ [name]: key }))]);
}

/** Node's own limit is 16 KiB, but some proxies add long policies and cookies. */
const MAX_HEADER_BYTES = 256 * 1024;

interface HttpRequestOptions {
  readonly client: Got;
  readonly clock: Clock;
  readonly maxBodyBytes: number;
  readonly redaction: Redaction;
  readonly connection: Connection;
  readonly url: URL;
  readonly notAfterMs: number;
}

class HttpRequest {
  readonly #options: HttpRequestOptions;
  #sentAtMs: number | null = null;
  /** A time that does not change when the clock is set. */
  #startedMs = 0;
  #isMissed = false;
  #status: number | null = null;

  constructor(options: HttpRequestOptions) {
    this.#options = options;
  }

  /** Resolves at the first event that ends the stream, and ignores later events. */
  run(): Promise<Sent> {
    const { client, url, connection, maxBodyBytes } = this.#options;
    return new Promise((resolve) => {
      const stream = client.stream(url, { agent: connection.agents });
      const chunks: Buffer[] = [];
      let receivedBytes = 0;
      // Only the first event that ends the stream receives the chunks, because `close` follows each of the others.
      const takeChunks = () => chunks.splice(0);
      const cut = (why: string) => {
        const received = takeChunks();
        if (received.length === 0) return this.#failed(why);
        const whole = this.#ended(stream.response?.headers, received);
        if (whole.is === 'reply' && isWhole(whole.reply)) {
          connection.discard();
          return whole;
        }
        return this.#incomplete(cutText(why), stream.response?.headers, received);
      };

      stream.once('request', (request) => {
        // Node passes the socket to this listener. Without the listener, the socket could stay open after the request.
        request.once('upgrade', (response: { statusCode?: number }) => {
          this.#status = response.statusCode ?? null;
          resolve(this.#failed('the upstream switched to another protocol (101 Switching Protocols)'));
          stream.destroy();
        });
        // Node writes the request in the same tick as this event, so this is the last chance to cancel it.
        request.once('socket', () => {
          if (this.#isInTime()) return;
          request.destroy(new Error('the slot was missed'));
        });
      });
      stream.once('response', (response: { statusCode: number }) => {
        this.#status = response.statusCode;
      });
      stream.on('data', (chunk: Buffer) => {
        receivedBytes += chunk.length;
        if (receivedBytes <= maxBodyBytes) return void chunks.push(chunk);
        const received = [...takeChunks(), chunk];
        resolve(this.#incomplete(tooLargeText(maxBodyBytes), stream.response?.headers, received));
        stream.destroy();
      });
      stream.once('end', () => resolve(this.#ended(stream.response?.headers, takeChunks())));
      stream.once('error', (error) => resolve(cut(errorText(error))));
      stream.once('close', () => resolve(cut('the response ended before it was complete')));
    });
  }

  #isInTime(): boolean {
    const nowMs = this.#options.clock.now();
    this.#isMissed = nowMs > this.#options.notAfterMs;
    if (!this.#isMissed) [this.#sentAtMs, this.#startedMs] = [nowMs, performance.now()];
    return !this.#isMissed;
  }

  #ended(headers: object | undefined, chunks: readonly Buffer[]): Sent {
    const { redaction } = this.#options;
    if (headers === undefined || this.#status === null || this.#sentAtMs === null)
      return this.#failed('no response arrived');
    const received = Buffer.concat(chunks);
    const body = decompressed(received, encodingIn(headers), this.#options.maxBodyBytes);
    if (body === null) return this.#failed(tooLargeText(this.#options.maxBodyBytes));
    const reply = redaction.reply({ status: this.#status, headers: { ...headers }, body });
    if (reply === null) return this.#failed(KEY_IN_BODY);
    return { is: 'reply', sentAtMs: this.#sentAtMs, durationMs: this.#durationMs, reply };
  }

  /** Keeps the first bytes of a body, as far as they can be decompressed and the key can be removed from them. */
  #incomplete(cause: string, headers: object | undefined, chunks: readonly Buffer[]): Sent {
    const { maxBodyBytes, redaction } = this.#options;
    const failed = this.#failed(cause);
    if (failed.is !== 'lost' || failed.status === null) return failed;
    const received = Buffer.concat(chunks);
    const body = decompressed(received, encodingIn(headers), maxBodyBytes);
    if (body === null || isCompressed(body, body === received ? encodingIn(headers) : '')) return failed;
    const reply = redaction.firstBytes({ status: failed.status, headers: { ...headers }, body });
    if (reply === null || reply.body.length === 0) return failed;
    return { ...failed, reply: { ...reply, body: reply.body.subarray(0, maxBodyBytes) } };
  }

  #failed(cause: string): Sent {
    const why = this.#options.redaction.text(cause);
    if (this.#isMissed) return { is: 'missed' };
    if (this.#sentAtMs === null) return { is: 'unsent', why };
    return { is: 'lost', sentAtMs: this.#sentAtMs, durationMs: this.#durationMs, status: this.#status, why };
  }

  /** Whole milliseconds, because a fraction would take seven more bytes in each row of `_call`. */
  get #durationMs(): number {
    return Math.round(performance.now() - this.#startedMs);
  }
}

/** Returns whether nothing but the end mark of a transfer is missing. No part of a JSON object or array is JSON itself. */
function isWhole({ body, headers }: Reply): boolean {
  const { json } = readBody(body, headers['content-type'] ?? '');
  return typeof json === 'object' && json !== null;
}

function encodingIn(headers: object | undefined): string | undefined {
  return (headers as Record<string, string | undefined> | undefined)?.['content-encoding'];
}

/** After this many calls were lost on connections that had been used before, each call gets a new connection. */
const MAX_FAILED_REUSES = 2;

/** Returns a short description of a network error. It omits the request options, because they contain the key. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null;
  if (error instanceof RequestError && code === 'ETIMEDOUT')
    return `no complete response in time (${error.message})`;
  if (code === 'HPE_HEADER_OVERFLOW') return headersTooLargeText(MAX_HEADER_BYTES);
  const message = networkMessageOf(error);
  return code === null || message.includes(code) ? message : `${code}: ${message}`;
}

/**
 * If a host has several addresses, Node throws an AggregateError without a message. Only its inner errors have
 * messages.
 */
function networkMessageOf(error: Error): string {
  if (!(error instanceof AggregateError) || error.message !== '') return error.message;
  return error.errors.map(messageOf).join('; ');
}
