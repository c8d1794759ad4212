import { wordsOf } from './folding.ts';
import { lowerBound } from './ordered_texts.ts';

/**
 * The names and ids of all companies in a few typed arrays, which use about 70 bytes per company. Millions of companies
 * therefore fit in memory, and the index can be passed to another thread without being copied. It is immutable: a new
 * index is built when the mirror changes. A company is identified by its rank, which is its position when companies are
 * sorted by folded name and then by id.
 */
export interface NameIndex {
  readonly companies: number;
  /** The folded names, by rank. */
  readonly names: PackedTexts;
  /** The ids, by rank, without folding. */
  readonly ids: PackedTexts;
  /** The ranks, sorted by upper-cased id. */
  readonly byId: Uint32Array;
  /** The distinct words of all names, sorted by their bytes. */
  readonly words: PackedTexts;
  /**
   * The names with the word w have the ranks `postings[postingStarts[w] .. postingStarts[w + 1])`, in ascending order.
   */
  readonly postings: Uint32Array;
  readonly postingStarts: Uint32Array;
}

/** Returns an index's buffers, which must be listed to transfer the index to another thread. */
export function buffersOf({ names, ids, byId, words, postings, postingStarts }: NameIndex): ArrayBuffer[] {
  const arrays = [names.bytes, names.starts, ids.bytes, ids.starts, byId, words.bytes, words.starts];
  return [...arrays, postings, postingStarts].map(({ buffer }) => buffer as ArrayBuffer);
}

export function bytesOfIndex(index: NameIndex): number {
  return buffersOf(index).reduce((sum, { byteLength }) => sum + byteLength, 0);
}

/** Concatenated UTF-8 texts. Text i is `bytes[starts[i] .. starts[i + 1])`. */
export interface PackedTexts {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly starts: Uint32Array;
}

export function textAt({ bytes, starts }: PackedTexts, index: number): string {
  return decoder.decode(bytes.subarray(starts[index], starts[index + 1]));
}

/** Returns the range of texts with this prefix. The texts must be sorted by their bytes. */
export function prefixRange(texts: PackedTexts, prefix: Uint8Array): Range {
  const length = texts.starts.length - 1;
  return {
    from: lowerBound(length, (index) => comparePrefix(texts, index, prefix) < 0),
    to: lowerBound(length, (index) => comparePrefix(texts, index, prefix) <= 0),
  };
}

/** A half-open range of indexes: [from, to). */
export interface Range {
  readonly from: number;
  readonly to: number;
}

export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/**
 * Compares a text with the range of texts that have a prefix. The result is negative if the text sorts before the
 * range, 0 if it is in the range, and positive if it sorts after the range.
 */
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

export interface IndexSource {
  /** The companies, sorted bytewise by folded name and then by id. */
  readonly byName: Iterable<{ readonly knownId: number; readonly entityId: string; readonly folded: string }>;
  /** The same companies' `knownId`s, sorted by upper-cased entity id. */
  readonly byId: () => Iterable<number>;
}

/** Builds the index in one pass. Only the index's own arrays are held in memory meanwhile. */
export function buildNameIndex(source: IndexSource): NameIndex {
  const names = packing();
  const ids = packing();
  const dictionary = wordDictionary();
  const rankOf = growing();
  let companies = 0;
  for (const { knownId, entityId, folded } of source.byName) {
    names.add(folded);
    ids.add(entityId);
    dictionary.add(folded, companies);
    rankOf.set(knownId, companies);
    companies += 1;
  }
  const byId = new Uint32Array(companies);
  let index = 0;
  for (const knownId of source.byId()) byId[index++] = rankOf.at(knownId);
  return { companies, names: names.packed(), ids: ids.packed(), byId, ...dictionary.postings() };
}

function packing() {
  const encoder = new TextEncoder();
  let bytes = new Uint8Array(1 << 16);
  const starts = growing();
  let length = 0;
  starts.push(0);
  return {
    add(text: string): void {
      // A UTF-16 unit needs at most three bytes.
      while (bytes.length - length < text.length * 3)
        bytes = new Uint8Array(bytes.buffer.transfer(2 * bytes.length));
      length += encoder.encodeInto(text, bytes.subarray(length)).written;
      starts.push(length);
    },
    packed: (): PackedTexts => ({ bytes: bytes.slice(0, length), starts: starts.array() }),
  };
}

/**
 * Collects words and numbers them in the order in which they are added. `postings` returns the words and their
 * postings, sorted by the words' bytes.
 */
function wordDictionary() {
  const numbers = new Map<string, number>();
  const counts = growing();
  const occurrences = { words: growing(), ranks: growing() };
  return {
    add(name: string, rank: number): void {
      for (const word of new Set(wordsOf(name))) {
        let number = numbers.get(word);
        if (number === undefined) {
          number = numbers.size;
          numbers.set(word, number);
          counts.push(0);
        }
        counts.increment(number);
        occurrences.words.push(number);
        occurrences.ranks.push(rank);
      }
    },
    postings(): Pick<NameIndex, 'words' | 'postings' | 'postingStarts'> {
      const sorted = [...numbers].map(([word, number]) => ({ bytes: Buffer.from(word), word, number }));
      sorted.sort((a, b) => Buffer.compare(a.bytes, b.bytes));
      const words = packing();
      const postingStarts = new Uint32Array(sorted.length + 1);
      const next = new Uint32Array(sorted.length);
      for (const [index, { word, number }] of sorted.entries()) {
        words.add(word);
        next[number] = postingStarts[index] ?? 0;
        postingStarts[index + 1] = (postingStarts[index] ?? 0) + counts.at(number);
      }
      const postings = new Uint32Array(occurrences.ranks.length);
      for (let i = 0; i < postings.length; i++) {
        const number = occurrences.words.at(i);
        const at = next[number] ?? 0;
        postings[at] = occurrences.ranks.at(i);
        next[number] = at + 1;
      }
      return { words: words.packed(), postings, postingStarts };
    },
  };
}

/** A list of unsigned integers. Its capacity doubles when it is full. */
function growing() {
  let numbers = new Uint32Array(1 << 12);
  let length = 0;
  return {
    get length() {
      return length;
    },
    push(value: number): void {
      this.set(length, value);
    },
    set(index: number, value: number): void {
      while (index >= numbers.length)
        numbers = new Uint32Array(numbers.buffer.transfer(2 * numbers.byteLength));
      numbers[index] = value;
      length = Math.max(length, index + 1);
    },
    increment(index: number): void {
      numbers[index] = (numbers[index] ?? 0) + 1;
    },
    at: (index: number): number => numbers[index] ?? 0,
    array: (): Uint32Array => numbers.slice(0, length),
  };
}
