/** A set of ranks (see `NameIndex`) in a fixed order. */
export interface Ranks {
  readonly size: number;
  has(rank: number): boolean;
  /** Returns at most `count` ranks, starting at position `from`. */
  slice(from: number, count: number): Iterable<number>;
  /** The memory that the set occupies, which counts towards a cache's limit. */
  readonly bytes: number;
}

export function rangeOfRanks(from: number, to: number): Ranks {
  const size = Math.max(0, to - from);
  return {
    size,
    bytes: 0,
    has: (rank) => rank >= from && rank < to,
    slice: (start, count) =>
      Array.from({ length: Math.max(0, Math.min(count, size - start)) }, (_, i) => from + start + i),
  };
}

/** Returns a set of the ranks, in the array's order. */
export function listOfRanks(ranks: Uint32Array): Ranks {
  let members: Set<number> | null = null;
  return {
    size: ranks.length,
    bytes: ranks.byteLength,
    has(rank) {
      members ??= new Set(ranks);
      return members.has(rank);
    },
    slice: (from, count) => ranks.subarray(from, from + count),
  };
}

/** A set with one bit per company, for results that are too large for a list. */
export interface BitRanks extends Ranks {
  add(rank: number): void;
  remove(rank: number): void;
}

export function bitRanks(companies: number): BitRanks {
  const words = new Uint32Array((companies + 31) >>> 5);
  let size = 0;
  const has = (rank: number) => ((words[rank >>> 5] ?? 0) & (1 << (rank & 31))) !== 0;
  return {
    get size() {
      return size;
    },
    bytes: words.byteLength,
    has,
    add(rank) {
      if (has(rank)) return;
      words[rank >>> 5] = (words[rank >>> 5] ?? 0) | (1 << (rank & 31));
      size += 1;
    },
    remove(rank) {
      if (!has(rank)) return;
      words[rank >>> 5] = (words[rank >>> 5] ?? 0) & ~(1 << (rank & 31));
      size -= 1;
    },
    slice: (from, count) => sliceOfBits(words, from, count),
  };
}

/** Concatenates sets that have no rank in common. */
export function concatenated(parts: readonly Ranks[]): Ranks {
  const filled = parts.filter((part) => part.size > 0);
  if (filled.length === 1 && filled[0] !== undefined) return filled[0];
  return {
    size: filled.reduce((sum, part) => sum + part.size, 0),
    bytes: filled.reduce((sum, part) => sum + part.bytes, 0),
    has: (rank) => filled.some((part) => part.has(rank)),
    slice(from, count) {
      const found: number[] = [];
      let skip = from;
      for (const part of filled) {
        if (found.length >= count) break;
        if (skip < part.size) found.push(...part.slice(skip, count - found.length));
        skip = Math.max(0, skip - part.size);
      }
      return found;
    },
  };
}

function sliceOfBits(words: Uint32Array, from: number, count: number): number[] {
  const found: number[] = [];
  let skip = from;
  for (let at = 0; at < words.length && found.length < count; at++) {
    const word = words[at] ?? 0;
    if (word === 0) continue;
    const population = populationOf(word);
    if (skip >= population) {
      skip -= population;
      continue;
    }
    for (let bit = 0; bit < 32 && found.length < count; bit++) {
      if ((word & (1 << bit)) === 0) continue;
      if (skip > 0) skip -= 1;
      else found.push(at * 32 + bit);
    }
  }
  return found;
}

/** Returns the number of set bits, counted in parallel (Warren, Hacker's Delight, section 5-1). */
function populationOf(word: number): number {
  let count = word - ((word >>> 1) & 0x5555_5555);
  count = (count & 0x3333_3333) + ((count >>> 2) & 0x3333_3333);
  return (((count + (count >>> 4)) & 0x0f0f_0f0f) * 0x0101_0101) >>> 24;
}
