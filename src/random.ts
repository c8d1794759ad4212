/** A seeded random generator. The same seed gives the same values on every machine. */
export interface Random {
  /** Returns a number in [0, 1). */
  next(): number;
  /** Returns an integer in [0, below). */
  below(below: number): number;
  /** Returns true with this probability. */
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
  /** Picks an item. Earlier items are picked more often, because the k-th item has a weight of about 1/k. */
  pickZipf<T>(items: readonly T[]): T;
  /** Picks a rank in [0, size). The k-th rank has a weight of about 1/k. */
  zipfRank(size: number): number;
}

/** The Mulberry32 generator: small and fast, but not suitable for cryptography. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  // The inverse of the cumulative distribution function for a density proportional to 1/x on [1, size + 1).
  const zipfRank = (size: number) =>
    Math.min(size - 1, Math.floor(Math.exp(next() * Math.log(size + 1))) - 1);
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    pick: (items) => itemAt(items, below(items.length)),
    pickZipf: (items) => itemAt(items, zipfRank(items.length)),
    zipfRank,
  };
}

/**
 * Computes the 32-bit hash FNV-1a (Fowler, Noll, Vo) of a text's UTF-16 units. Ordered by it, texts are in a random but
 * reproducible order.
 */
export function hashOfText(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

function itemAt<T>(items: readonly T[], index: number): T {
  if (index >= items.length) throw new RangeError('Cannot pick from an empty list.');
  return items[index] as T;
}
