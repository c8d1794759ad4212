import { gunzipSync, inflateSync } from 'node:zlib';

/**
 * Decompresses a body that is still compressed, because the upstream did not state the compression in Content-Encoding
 * or compressed the body twice. Returns null if the result is larger than `maxBytes`. A body that is not compressed, or
 * cannot be decompressed, is returned unchanged.
 */
export function decompressed(body: Buffer, maxBytes: number): Buffer | null {
  const decompress = isGzip(body) ? gunzipSync : isZlib(body) ? inflateSync : null;
  if (decompress === null) return body;
  try {
    return decompress(body, { maxOutputLength: maxBytes });
  } catch (error) {
    return error instanceof RangeError ? null : body;
  }
}

function isGzip(body: Buffer): boolean {
  return body[0] === 0x1f && body[1] === 0x8b;
}

/** RFC 1950: the first byte is 0x78 for deflate, and the first two bytes are a multiple of 31. */
function isZlib(body: Buffer): boolean {
  return body[0] === 0x78 && body.length > 2 && body.readUInt16BE(0) % 31 === 0;
}
