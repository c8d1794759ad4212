import { bytesHash } from './content.ts';

/** Returns the hashes of the ids on a page, in order. */
export function hashOfIds(entityIds: readonly string[]): Buffer {
  return Buffer.concat(entityIds.map((entityId) => bytesHash(entityId).subarray(0, ID_HASH_BYTES)));
}

/** Splits the hashes of the ids on a page. */
export function hashesIn(fingerprint: Buffer): string[] {
  const count = Math.floor(fingerprint.length / ID_HASH_BYTES);
  return Array.from({ length: count }, (_, at) =>
    fingerprint.toString('latin1', at * ID_HASH_BYTES, (at + 1) * ID_HASH_BYTES),
  );
}

// Two different ids in a listing of a million companies have the same hash with a probability of 0.2%.
export const ID_HASH_BYTES = 6;
