import type { IdentifierSearch, NameSearch } from '../api/catalogue.ts';
import { type Folding, foldText, wordsOf } from '../names/folding.ts';
import { lowerBound } from '../names/ordered_texts.ts';

/** The ids and names of companies, by position in the segment. */
export interface Entries {
  readonly ids: readonly string[];
  readonly names: readonly string[];
}

/**
 * An immutable index of some companies. A result is a list of positions in `entries`, ordered by folded name, then by
 * id. Parts of the index that only some query rules need are built when they are first used.
 */
export interface Segment {
  findNames(rule: NameSearch, query: string): Uint32Array;
  findIdentifiers(rule: IdentifierSearch, query: string): Uint32Array;
  foldedName(position: number): string;
}

export function buildSegment(entries: Entries, folding: Folding): Segment {
  const folded = entries.names.map((name) => foldText(name, folding));
  const byName = sortedPositions(folded, (a, b) => compareText(entries.ids[a] ?? '', entries.ids[b] ?? ''));
  const sortedNames = Array.from(byName, (position) => folded[position] ?? '');
  const words = once(() => buildWords(sortedNames));
  const text = once(() => joinNames(sortedNames));
  const ids = once(() => buildIds(entries.ids));

  return {
    foldedName: (position) => folded[position] ?? '',
    findNames(rule, query) {
      const wanted = foldText(query, folding);
      if (wanted === '') return byName;
      switch (rule) {
        case 'prefix': {
          const [from, to] = prefixRange(sortedNames, wanted);
          return byName.subarray(from, to);
        }
        case 'token':
        case 'token_prefix':
          return positionsAt(byName, ranksOfWords(words(), wordsOf(wanted), rule));
        case 'substring':
          return positionsAt(byName, ranksContaining(text(), wanted));
      }
    },
    findIdentifiers(rule, query) {
      const wanted = query.toUpperCase();
      if (rule === 'none') return new Uint32Array(0);
      const [from, to] =
        rule === 'exact' ? equalRange(ids().sorted, wanted) : prefixRange(ids().sorted, wanted);
      return ids().positions.subarray(from, to);
    },
  };
}

/** Compares two strings by UTF-16 code units, so that the order does not depend on the locale. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

interface Words {
  readonly sorted: readonly string[];
  /** The postings of word i are `ranks[starts[i] .. starts[i + 1])`, in ascending order. */
  readonly starts: Uint32Array;
  readonly ranks: Uint32Array;
}

interface Joined {
  readonly text: string;
  readonly starts: Uint32Array;
}

interface Ids {
  readonly sorted: readonly string[];
  readonly positions: Uint32Array;
}

// Separates the names in the text. No folded name contains this character, so no match can span two names.
const SEPARATOR = '\u0000';

function once<T>(build: () => T): () => T {
  let built: { readonly value: T } | null = null;
  return () => {
    built ??= { value: build() };
    return built.value;
  };
}

function sortedPositions(keys: readonly string[], tie: (a: number, b: number) => number): Uint32Array {
  const positions = Uint32Array.from(keys.keys());
  return positions.sort((a, b) => compareText(keys[a] ?? '', keys[b] ?? '') || tie(a, b));
}

function buildIds(ids: readonly string[]): Ids {
  const keys = ids.map((id) => id.toUpperCase());
  const positions = sortedPositions(keys, (a, b) => compareText(ids[a] ?? '', ids[b] ?? ''));
  return { positions, sorted: Array.from(positions, (position) => keys[position] ?? '') };
}

function buildWords(sortedNames: readonly string[]): Words {
  const postings = new Map<string, number[]>();
  sortedNames.forEach((name, rank) => {
    for (const word of new Set(wordsOf(name))) {
      const ranks = postings.get(word);
      if (ranks) ranks.push(rank);
      else postings.set(word, [rank]);
    }
  });
  const sorted = [...postings.keys()].sort(compareText);
  const starts = new Uint32Array(sorted.length + 1);
  sorted.forEach((word, index) => {
    starts[index + 1] = (starts[index] ?? 0) + (postings.get(word)?.length ?? 0);
  });
  const ranks = new Uint32Array(starts[sorted.length] ?? 0);
  sorted.forEach((word, index) => {
    ranks.set(postings.get(word) ?? [], starts[index] ?? 0);
  });
  return { sorted, starts, ranks };
}

function joinNames(sortedNames: readonly string[]): Joined {
  const starts = new Uint32Array(sortedNames.length);
  let at = 1;
  sortedNames.forEach((name, rank) => {
    starts[rank] = at;
    at += name.length + 1;
  });
  return { text: `${SEPARATOR}${sortedNames.join(SEPARATOR)}${SEPARATOR}`, starts };
}

/**
 * Returns, in ascending order, the ranks of the names that contain all wanted words. A query without words has no
 * matches.
 */
function ranksOfWords(words: Words, wanted: readonly string[], rule: 'token' | 'token_prefix'): Uint32Array {
  if (wanted.length === 0) return new Uint32Array(0);
  const found = wanted.map((word) => ranksOfWord(words, word, rule)).sort((a, b) => a.length - b.length);
  return found.reduce(intersection);
}

function ranksOfWord(words: Words, wanted: string, rule: 'token' | 'token_prefix'): Uint32Array {
  const [from, to] = rule === 'token' ? equalRange(words.sorted, wanted) : prefixRange(words.sorted, wanted);
  const ranks = words.ranks.subarray(words.starts[from], words.starts[to]);
  return to - from > 1 ? Uint32Array.from(new Set(ranks)).sort() : ranks;
}

function intersection(few: Uint32Array, many: Uint32Array): Uint32Array {
  return few.filter((rank) => many[lowerBound(many.length, (i) => (many[i] ?? 0) < rank)] === rank);
}

function ranksContaining({ text, starts }: Joined, wanted: string): Uint32Array {
  if (wanted.includes(SEPARATOR)) return new Uint32Array(0);
  const ranks: number[] = [];
  let at = text.indexOf(wanted, 1);
  while (at !== -1) {
    const rank = lowerBound(starts.length, (i) => (starts[i] ?? 0) <= at) - 1;
    ranks.push(rank);
    // Continues with the next name, because one match in each name is enough.
    at = text.indexOf(wanted, starts[rank + 1] ?? text.length);
  }
  return Uint32Array.from(ranks);
}

function positionsAt(byName: Uint32Array, ranks: Uint32Array): Uint32Array {
  return ranks.map((rank) => byName[rank] ?? 0);
}

function prefixRange(sorted: readonly string[], prefix: string): [from: number, to: number] {
  const from = lowerBound(sorted.length, (i) => (sorted[i] ?? '') < prefix);
  const to = lowerBound(sorted.length, (i) => {
    const text = sorted[i] ?? '';
    return text < prefix || text.startsWith(prefix);
  });
  return [from, to];
}

function equalRange(sorted: readonly string[], key: string): [from: number, to: number] {
  return [
    lowerBound(sorted.length, (i) => (sorted[i] ?? '') < key),
    lowerBound(sorted.length, (i) => (sorted[i] ?? '') <= key),
  ];
}
