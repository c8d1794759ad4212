import {
  brotliDecompressSync,
  constants,
  gunzipSync,
  inflateRawSync,
  inflateSync,
  zstdDecompressSync,
} from 'node:zlib';
import { isOutOfMemory } from '../errors.ts';

/** The encodings that are requested, and that can be read even if their label is missing or wrong. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br, zstd';

/**
 * Decompresses a body. Its first bytes show its encoding, because some upstreams omit or mistake Content-Encoding,
 * compress the body twice, or leave out the end of the compressed data. Returns null if the result is larger than
 * `maxBytes`. A body that cannot be decompressed is returned unchanged.
 */
export function decompressed(body: Buffer, label: string | undefined, maxBytes: number): Buffer | null {
  let result = body;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const next = decompressedOnce(result, round === 0 ? (label ?? '') : '', maxBytes);
    if (next === null || next === result) return next;
    result = next;
  }
  return result;
}

/** Returns whether the body is compressed, as far as its label and its first bytes show. */
export function isCompressed(body: Buffer, label = ''): boolean {
  return candidates(body, label).length > 0;
}

function decompressedOnce(body: Buffer, label: string, maxBytes: number): Buffer | null {
  for (const decompress of candidates(body, label)) {
    try {
      const result = decompress(body, maxBytes);
      // Corrupt data can decompress to nothing, because their end need not be present.
      if (result.length > 0) return result;
    } catch (error) {
      if (isOutOfMemory(error)) throw error;
      if (error instanceof RangeError) return null;
    }
  }
  return body;
}

type Decompress = (body: Buffer, maxOutputLength: number) => Buffer;

function candidates(body: Buffer, label: string): Decompress[] {
  if (isGzip(body)) return [gunzip, gunzipStart];
  // Two bytes can look like zlib by chance, so without a label the data must be complete.
  if (isZlib(body)) return [label.includes('deflate') ? inflate : inflateAll];
  if (isZstd(body)) return [unzstd];
  // Brotli and raw deflate have no signature, so the label decides. A mistaken label then leaves the body unchanged.
  if (/\bbr\b/.test(label)) return [unbrotli];
  return /deflate/.test(label) ? [inflateRaw] : [];
}

// With a sync flush, data without their end are read as far as they go.
const flush = { finishFlush: constants.Z_SYNC_FLUSH };
const gunzip: Decompress = (body, maxOutputLength) => gunzipSync(body, { ...flush, maxOutputLength });
/** Decompresses gzip data that other bytes follow, as gzip itself does. The checksum must still match. */
const gunzipStart: Decompress = (body, maxOutputLength) => {
  const deflated = body.subarray(GZIP_HEADER_BYTES);
  const { engine } = inflateRawSync(deflated, { info: true, maxOutputLength }) as unknown as InflateInfo;
  return gunzip(
    body.subarray(0, GZIP_HEADER_BYTES + engine.bytesWritten + GZIP_TRAILER_BYTES),
    maxOutputLength,
  );
};
const inflate: Decompress = (body, maxOutputLength) => inflateSync(body, { ...flush, maxOutputLength });
const inflateAll: Decompress = (body, maxOutputLength) => inflateSync(body, { maxOutputLength });
const inflateRaw: Decompress = (body, maxOutputLength) => inflateRawSync(body, { ...flush, maxOutputLength });
const unzstd: Decompress = (body, maxOutputLength) => zstdDecompressSync(body, { maxOutputLength });
const unbrotli: Decompress = (body, maxOutputLength) =>
  brotliDecompressSync(body, { finishFlush: constants.BROTLI_OPERATION_FLUSH, maxOutputLength });

function isGzip(body: Buffer): boolean {
  return body[0] === 0x1f && body[1] === 0x8b;
}

/** RFC 1950: the first byte is 0x78 for deflate, and the first two bytes are a multiple of 31. */
function isZlib(body: Buffer): boolean {
  return body[0] === 0x78 && body.length > 2 && body.readUInt16BE(0) % 31 === 0;
}

function isZstd(body: Buffer): boolean {
  return body.length > 4 && body.readUInt32LE(0) === 0xfd2fb528;
}

/** The declared type lacks the result of the option `info`. */
interface InflateInfo {
  /** `bytesWritten` counts the bytes up to the end of the compressed data. */
  readonly engine: { readonly bytesWritten: number };
}

/** RFC 1952: a header without optional fields, which HTTP servers do not send, and a trailer with a checksum. */
const GZIP_HEADER_BYTES = 10;
const GZIP_TRAILER_BYTES = 8;
const MAX_ROUNDS = 2;
