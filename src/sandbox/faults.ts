import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { FastifyReply } from 'fastify';
import type { ApiResponse } from '../api/request_context.ts';

/** How one answer goes wrong. Where a fault spoils the real answer, it is the answer that the client should have got. */
export type Fault =
  /** Another answer altogether. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly body?: string;
      readonly headers?: Record<string, string>;
    }
  /** The connection is cut before a byte of the answer. */
  | { readonly kind: 'reset_before_headers' }
  /** The connection is cut after the headers and `bytes` (default 1) of the body. */
  | { readonly kind: 'reset_after_headers'; readonly bytes?: number }
  /** Nothing comes, and the connection stays open. */
  | { readonly kind: 'hang' }
  /** The answer comes `ms` late. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** The body comes byte by byte, one every `everyMs` (default 100). */
  | { readonly kind: 'slow_drip'; readonly everyMs?: number }
  /** Chunked and properly ended, but only the first half (or `bytes`) of the body. */
  | { readonly kind: 'truncated'; readonly bytes?: number }
  /** Content-Length is off by `by` bytes (default +10: more is promised than comes). */
  | { readonly kind: 'wrong_content_length'; readonly by?: number }
  | { readonly kind: 'html' }
  | { readonly kind: 'empty' }
  | { readonly kind: 'not_json' }
  /** A body of this many bytes, of valid JSON. */
  | { readonly kind: 'huge_body'; readonly bytes: number }
  /** The same, compressed to a thousandth. */
  | { readonly kind: 'gzip_bomb'; readonly bytes: number }
  | { readonly kind: 'redirect'; readonly to: string; readonly status?: number }
  | { readonly kind: 'wrong_content_type'; readonly type?: string }
  | { readonly kind: 'bom' }
  | { readonly kind: 'invalid_utf8' }
  /** The body after the given change. */
  | { readonly kind: 'altered'; readonly body: (text: string) => string };

export type FaultKind = Fault['kind'];

/** Delivers an answer as the fault has it. Timers end with the connection. */
export function deliverFaulty(fault: Fault, answer: ApiResponse, reply: FastifyReply): void {
  const respelt = respell(fault, answer);
  if (respelt !== null) {
    reply.code(respelt.status).headers(respelt.headers).send(respelt.body);
    return;
  }
  reply.hijack();
  misbehave(fault, answer, reply);
}

/** Faults that are only another content. null: the fault lies in the way of sending. */
function respell(
  fault: Fault,
  answer: ApiResponse,
): (Omit<ApiResponse, 'body'> & { body: string | Buffer }) | null {
  const bytes = (body: Buffer) => ({ ...answer, body });
  switch (fault.kind) {
    case 'status':
      return { status: fault.status, headers: fault.headers ?? {}, body: fault.body ?? '' };
    case 'html':
      return { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, body: HTML };
    case 'empty':
      return { ...answer, status: 200, body: '' };
    case 'not_json':
      return { ...answer, status: 200, body: '{"results": [,], ' };
    case 'redirect':
      return { status: fault.status ?? 302, headers: { location: fault.to }, body: '' };
    case 'wrong_content_type':
      return { ...answer, headers: { ...answer.headers, 'content-type': fault.type ?? 'text/plain' } };
    case 'truncated':
      return bytes(Buffer.from(answer.body).subarray(0, fault.bytes ?? answer.body.length >> 1));
    case 'bom':
      return bytes(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(answer.body)]));
    case 'invalid_utf8':
      return bytes(withBrokenByte(Buffer.from(answer.body)));
    case 'altered':
      return { ...answer, body: fault.body(answer.body) };
    default:
      return null;
  }
}

function misbehave(fault: Fault, answer: ApiResponse, { raw }: FastifyReply): void {
  const { status, headers } = answer;
  const body = Buffer.from(answer.body);
  switch (fault.kind) {
    case 'reset_before_headers':
      raw.socket?.resetAndDestroy();
      break;
    case 'reset_after_headers':
      raw.writeHead(status, { ...headers, 'content-length': body.length });
      // Cut once the bytes have left, or nothing of them would arrive.
      raw.write(body.subarray(0, fault.bytes ?? 1), () =>
        setTimeout(() => raw.socket?.resetAndDestroy(), 20),
      );
      break;
    case 'hang':
      break;
    case 'delay':
      later(raw, fault.ms, () =>
        raw.writeHead(status, { ...headers, 'content-length': body.length }).end(body),
      );
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

function later(raw: FastifyReply['raw'], delayMs: number, act: () => void): void {
  const timer = setTimeout(act, delayMs);
  raw.once('close', () => clearTimeout(timer));
}

function drip(raw: FastifyReply['raw'], body: Buffer, everyMs: number): void {
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

/** `{"padding":"   …   "}` of exactly this many bytes, in pieces. */
function* paddedJson(bytes: number): Generator<Buffer> {
  const head = Buffer.from('{"padding":"');
  const tail = Buffer.from('"}');
  const piece = Buffer.alloc(65_536, ' ');
  yield head;
  let left = Math.max(0, bytes - head.length - tail.length);
  while (left > 0) {
    const size = Math.min(left, piece.length);
    yield piece.subarray(0, size);
    left -= size;
  }
  yield tail;
}

/** A byte that UTF-8 never has, inside the first text of the body. */
function withBrokenByte(body: Buffer): Buffer {
  const at = body.indexOf('"') + 1;
  return Buffer.concat([body.subarray(0, at), Buffer.from([0xff, 0xfe]), body.subarray(at)]);
}
