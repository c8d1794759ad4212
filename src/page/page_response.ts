import { hash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/**
 * Sends compressed documents with a content security policy to a browser. A document that the browser has cached is not
 * sent again.
 */

export interface Reply {
  readonly status: number;
  readonly body: string | Buffer;
  /** The content type. The default is HTML. */
  readonly type?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a reply, or 304 without a body if the browser has cached the same body. */
export async function sendReply(response: ServerResponse, reply: Reply): Promise<void> {
  const { status, body, type = 'text/html; charset=utf-8', headers = {} } = reply;
  const etag = `"${hash('sha256', body).slice(0, 20)}"`;
  const shared = { ...SECURITY_HEADERS, etag, 'cache-control': 'private, no-cache', ...headers };
  const { headers: asked, method } = response.req;
  if (status === 200 && asked['if-none-match']?.includes(etag) === true) {
    response.writeHead(304, shared).end();
    return;
  }
  const acceptsGzip = /\bgzip\b(?!;\s*q=0(\.0+)?(,|$))/.test(String(asked['accept-encoding'] ?? ''));
  const isLarge = Buffer.byteLength(body) > MIN_COMPRESSED_BYTES;
  const sent = acceptsGzip && isLarge ? await compressed(body) : Buffer.from(body);
  response.writeHead(status, {
    ...shared,
    'content-type': type,
    'content-length': String(sent.length),
    vary: 'accept-encoding, cookie',
    ...(acceptsGzip && isLarge ? { 'content-encoding': 'gzip' } : {}),
  });
  response.end(method === 'HEAD' ? undefined : sent);
}

export const SECURITY_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

const compressed = promisify<string | Buffer, Buffer>(gzip);
const MIN_COMPRESSED_BYTES = 1_000;
