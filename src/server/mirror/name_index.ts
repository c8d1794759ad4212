import { lowerBound } from '../lower_bound.ts';

/**
 * Names and ids of every company of the mirror, packed into a few arrays: some seventy bytes a company, no
 * objects, so that millions fit beside the server and travel between threads at no cost. Immutable: a changed
 * mirror gets a new index. A company is known by its rank, its place in the order of folded names and ids.
 */
export interface NameIndex {
  readonly companies: number;
  /** Folded names by rank. */
  readonly names: PackedTexts;
  /** Ids by rank, as they are written. */
  readonly ids: PackedTexts;
  /** Ranks in the order of upper-cased ids. */
  readonly byId: Uint32Array;
  /** The distinct words of all names, in the order of their bytes. */
  readonly words: PackedTexts;
  /** Ranks of the names that hold word w: `postings[postingStarts[w] .. postingStarts[w + 1])`, ascending. */
  readonly postings: Uint32Array;
  readonly postingStarts: Uint32Array;
}

/** Everything that it consists of: can be handed to another thread without a copy. */
export function buffersOf({ names, ids, byId, words, postings, postingStarts }: NameIndex): ArrayBuffer[] {
  const arrays = [names.bytes, names.starts, ids.bytes, ids.starts, byId, words.bytes, words.starts];
  return [...arrays, postings, postingStarts].map(({ buffer }) => buffer as ArrayBuffer);
}

export function bytesOfIndex(index: NameIndex): number {
  return buffersOf(index).reduce((sum, { byteLength }) => sum + byteLength, 0);
}

/** Texts in UTF-8, one after another: text i is `bytes[starts[i] .. starts[i + 1])`. */
export interface PackedTexts {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly starts: Uint32Array;
}

export function textAt({ bytes, starts }: PackedTexts, index: number): string {
  return decoder.decode(bytes.subarray(starts[index], starts[index + 1]));
}

/** The texts that begin with the prefix, in a list that is ordered by bytes: [from, to). */
export function prefixRange(texts: PackedTexts, prefix: Uint8Array): Range {
  const length = texts.starts.length - 1;
  return {
    from: lowerBound(length, (index) => comparePrefix(texts, index, prefix) < 0),
    to: lowerBound(length, (index) => comparePrefix(texts, index, prefix) <= 0),
  };
}

export interface Range {
  readonly from: number;
  readonly to: number;
}

export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Negative: the text comes before all that begin with the prefix · 0: it begins with it · positive: after them. */
function comparePrefix({ bytes, starts }: PackedTexts, index: number, prefix: Uint8Array): number {
  const start = starts[index] ?? 0;
  const length = (starts[index + 1] ?? 0) - start;
  for (let at = 0; at < prefix.length; at++) {
    if (at >= length) return -1;
    const difference = (bytes[start + at] ?? 0) - (prefix[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();
