import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { ApiResponse, FaultSender } from '../../src/sandbox/arrivals.ts';

/** A fault in one response. It alters the correct response, or replaces it. */
export type Fault =
  /** Sends a different response instead. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly body?: string;
      readonly headers?: Record<string, string>;
    }
  /** Resets the connection before the first byte of the response. */
  | { readonly kind: 'reset_before_headers' }
  /** Resets the connection after the headers and the first `bytes` (default 1) of the body. */
  | { readonly kind: 'reset_after_headers'; readonly bytes?: number }
  /** Sends no response and leaves the connection open. */
  | { readonly kind: 'hang' }
  /** Sends the response after a delay of `ms` milliseconds. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** Sends the body byte by byte, one byte every `everyMs` milliseconds (default 100). */
  | { readonly kind: 'slow_drip'; readonly everyMs?: number }
  /** Sends a complete HTTP message, but with only the first `bytes` of the body (default: the first half). */
  | { readonly kind: 'truncated'; readonly bytes?: number }
  /**
   * Sends a Content-Length that is `by` bytes larger than the body (default 10). A negative number makes it smaller.
   */
  | { readonly kind: 'wrong_content_length'; readonly by?: number }
  | { readonly kind: 'html' }
  | { readonly kind: 'empty' }
  | { readonly kind: 'not_json' }
  /** Sends valid JSON of this length. */
  | { readonly kind: 'huge_body'; readonly bytes: number }
  /** Sends valid JSON of this length, compressed to about a thousandth of its size. */
  | { readonly kind: 'gzip_bomb'; readonly bytes: number }
  | { readonly kind: 'redirect'; readonly to: string; readonly status?: number }
  | { readonly kind: 'wrong_content_type'; readonly type?: string }
  | { readonly kind: 'bom' }
  | { readonly kind: 'invalid_utf8' }
  /** Sends the correct body after `body` has altered it. */
  | { readonly kind: 'altered'; readonly body: (text: string) => string };

/** Returns a sandbox's `faults`. `choose` returns the fault in one response, or null for none. */
export function faulty(choose: (request: Parameters<FaultSender>[0]) => Fault | null): FaultSender {
  return (request, response, raw) => {
    const fault = choose(request);
    if (fault !== null) sendWithFault(fault, response, raw);
    return fault?.kind ?? null;
  };
}

/** Sends a response with a fault. Its timers are cleared when the connection closes. */
function sendWithFault(fault: Fault, response: ApiResponse, raw: ServerResponse): void {
  const altered = alteredResponse(fault, response);
  if (altered !== null) sendComplete(altered, raw);
  else if (fault.kind === 'delay') {
    const timer = setTimeout(() => sendComplete(response, raw), fault.ms);
    raw.once('close', () => clearTimeout(timer));
  } else sendIncorrectly(fault, response, raw);
}

function sendComplete({ status, headers, body }: AlteredResponse, raw: ServerResponse): void {
  raw.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
}

type AlteredResponse = Omit<ApiResponse, 'body'> & { readonly body: string | Buffer };

/**
 * Returns the altered response for a fault that changes only the status, the headers or the body. Returns null for a
 * fault in transmission.
 */
function alteredResponse(fault: Fault, response: ApiResponse): AlteredResponse | null {
  const withBytes = (body: Buffer) => ({ ...response, body });
  // A faulty response still has the time of the sandbox's clock.
  const date = response.headers.date === undefined ? {} : { date: response.headers.date };
  switch (fault.kind) {
    case 'status':
      return { status: fault.status, headers: { ...date, ...fault.headers }, body: fault.body ?? '' };
    case 'html':
      return { status: 200, headers: { ...date, 'content-type': 'text/html; charset=utf-8' }, body: HTML };
    case 'empty':
      return { ...response, status: 200, body: '' };
    case 'not_json':
      return { ...response, status: 200, body: '{"results": [,], ' };
    case 'redirect':
      return { status: fault.status ?? 302, headers: { ...date, location: fault.to }, body: '' };
    case 'wrong_content_type':
      return { ...response, headers: { ...response.headers, 'content-type': fault.type ?? 'text/plain' } };
    case 'truncated':
      return withBytes(Buffer.from(response.body).subarray(0, fault.bytes ?? response.body.length >> 1));
    case 'bom':
      return withBytes(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(response.body)]));
    case 'invalid_utf8':
      return withBytes(withInvalidBytes(Buffer.from(response.body)));
    case 'altered':
      return { ...response, body: fault.body(response.body) };
    default:
      return null;
  }
}

function sendIncorrectly(fault: Fault, response: ApiResponse, raw: ServerResponse): void {
  const { status, headers } = response;
  const body = Buffer.from(response.body);
  switch (fault.kind) {
    case 'reset_before_headers':
      raw.socket?.resetAndDestroy();
      break;
    case 'reset_after_headers':
      raw.writeHead(status, { ...headers, 'content-length': body.length });
      // The reset waits until the bytes are sent, because an immediate reset would discard them.
      raw.write(body.subarray(0, fault.bytes ?? 1), () =>
        setTimeout(() => raw.socket?.resetAndDestroy(), 20),
      );
      break;
    case 'hang':
      break;
    case 'slow_drip':
      raw.writeHead(status, { ...headers, 'content-length': body.length });
      drip(raw, body, fault.everyMs ?? 100);
      break;
    case 'wrong_content_length': {
      const length = Math.max(0, body.length + (fault.by ?? 10));
      raw.strictContentLength = false;
      raw.writeHead(status, { ...headers, 'content-length': length, connection: 'close' });
      raw.end(body, () => raw.socket?.end());
      break;
    }
    case 'huge_body':
      raw.writeHead(200, { ...headers, 'content-length': fault.bytes });
      Readable.from(paddedJson(fault.bytes)).pipe(raw);
      break;
    case 'gzip_bomb':
      raw.writeHead(200, { ...headers, 'content-encoding': 'gzip' });
      Readable.from(paddedJson(fault.bytes))
        .pipe(createGzip({ level: 9 }))
        .pipe(raw);
      break;
  }
}

const HTML =
  '<!DOCTYPE html>\n<html><head><title>Maintenance</title></head><body><h1>We will be back soon</h1></body></html>\n';

function drip(raw: ServerResponse, body: Buffer, everyMs: number): void {
  let sent = 0;
  const timer = setInterval(() => {
    if (sent < body.length) raw.write(body.subarray(sent, ++sent));
    if (sent >= body.length) {
      clearInterval(timer);
      raw.end();
    }
  }, everyMs);
  raw.once('close', () => clearInterval(timer));
}

/** Generates `{"padding":"   …   "}` of exactly this length, in chunks. */
function* paddedJson(bytes: number): Generator<Buffer> {
  const head = Buffer.from('{"padding":"');
  const tail = Buffer.from('"}');
  const piece = Buffer.alloc(65_536, ' ');
  yield head;
  let remaining = Math.max(0, bytes - head.length - tail.length);
  while (remaining > 0) {
    const size = Math.min(remaining, piece.length);
    yield piece.subarray(0, size);
    remaining -= size;
  }
  yield tail;
}

/** Inserts bytes that are not valid UTF-8 into the first string of the body. */
function withInvalidBytes(body: Buffer): Buffer {
  const at = body.indexOf('"') + 1;
  return Buffer.concat([body.subarray(0, at), Buffer.from([0xff, 0xfe]), body.subarray(at)]);
}
