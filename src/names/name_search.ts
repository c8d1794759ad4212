import type { IdentifierMatch, NameMatch } from '../dialect/dialect.ts';
import { foldText, wordsOf } from './folding.ts';
import { type NameIndex, prefixRange, type Range, textAt, utf8 } from './name_index.ts';
import { lowerBound } from './ordered_texts.ts';
import { foldedIdentifier } from './query_matching.ts';
import { bitRanks, concatenated, listOfRanks, type Ranks, rangeOfRanks } from './ranks.ts';

export interface CompanyQuery {
  /** The value `any` means both names and identifiers, for a search with one parameter for both. */
  readonly by: 'name' | 'identifier' | 'any';
  readonly text: string;
  readonly names: NameSearch;
  readonly identifiers: IdentifierSearch;
}

/**
 * - prefix: the name starts with the query
 * - token: every word in the query is a word in the name
 * - token_prefix: every word in the query is the start of a word in the name
 * - substring: the name contains the query
 */
export type NameSearch = Exclude<NameMatch, 'unknown'>;
export type IdentifierSearch = Exclude<IdentifierMatch, 'unknown'>;

/** Folds names for the index and queries for the search. */
export const fold = (text: string): string => foldText(text, 'diacritics');

/**
 * Finds companies and returns them in this order:
 *
 * 1. the exact identifier
 * 2. names that start with the query, beginning with the exact name
 * 3. other matching names
 * 4. longer identifiers that start with the query
 *
 * Ties are ordered by folded name and id, so the order is always the same for the same mirror.
 */
export function findRanks(index: NameIndex, query: CompanyQuery): Ranks {
  const text = query.text.trim();
  if (text === '') return query.by === 'identifier' ? NOTHING : rangeOfRanks(0, index.companies);
  const identifiers = query.by === 'name' ? NO_RANGE : identifierRange(index, text, query.identifiers);
  if (query.by === 'identifier') return listOfRanks(index.byId.subarray(identifiers.from, identifiers.to));

  const exact = exactIdentifiers(index, text, identifiers);
  const withPrefix = prefixRange(index.names, utf8(fold(text)));
  const named = namedRanks(index, query, withPrefix);
  // Within the range of identifiers, exact matches come first.
  const longer = index.byId.subarray(identifiers.from + exact.length, identifiers.to);
  const others = named.size === 0 ? longer : longer.filter((rank) => !named.has(rank));
  return concatenated([
    listOfRanks(exact),
    ...ranksWithin(named, withPrefix, exact, query.names),
    named.outside(withPrefix, exact),
    listOfRanks(others),
  ]);
}

/** The companies with names that match a query. */
interface Named {
  readonly size: number;
  has(rank: number): boolean;
  /** Returns the matches that do not start with the query. Call it last, because it may change the set. */
  outside(withPrefix: Range, except: Uint32Array): Ranks;
}

function namedRanks(index: NameIndex, { names, text }: CompanyQuery, withPrefix: Range): Named {
  switch (names) {
    case 'prefix':
      return { ...rangeOfRanks(withPrefix.from, withPrefix.to), outside: () => NOTHING };
    case 'token':
    case 'token_prefix':
      return ranksOfWords(index, wordsOf(fold(text)), names);
    case 'substring':
      return listed(ranksContaining(index, utf8(fold(text))));
  }
}

/** Returns the matching names that start with the query, excluding those already listed. */
function ranksWithin(
  named: Named,
  withPrefix: Range,
  except: Uint32Array,
  how: CompanyQuery['names'],
): Ranks[] {
  if (how === 'token') {
    // A name that starts with the query does not always match. For example, "acme" starts with "acm", but "acm" is not
    // one of its words.
    const ranks = [...rangeOfRanks(withPrefix.from, withPrefix.to).slice(0, withPrefix.to - withPrefix.from)];
    return [listOfRanks(Uint32Array.from(ranks.filter((rank) => named.has(rank) && !except.includes(rank))))];
  }
  const cuts = [...except].filter((rank) => isIn(withPrefix, rank)).sort((a, b) => a - b);
  const starts = [withPrefix.from, ...cuts.map((rank) => rank + 1)];
  return starts.map((from, at) => rangeOfRanks(from, cuts[at] ?? withPrefix.to));
}

function ranksOfWords(index: NameIndex, wanted: readonly string[], how: 'token' | 'token_prefix'): Named {
  const ranges = wanted.map((word) => ({ word, ...postingRange(index, word, how) }));
  const [rarest, ...others] = ranges.sort((a, b) => a.to - a.from - (b.to - b.from));
  if (rarest === undefined || rarest.from === rarest.to) return listed(new Uint32Array(0));
  const postings = index.postings.subarray(rarest.from, rarest.to);
  if (postings.length <= FEW) {
    const containsOthers = wordTest(
      others.map(({ word }) => word),
      how,
    );
    const unique = Uint32Array.from(new Set(postings)).sort();
    return listed(
      others.length === 0 ? unique : unique.filter((rank) => containsOthers(textAt(index.names, rank))),
    );
  }
  let found = bitsOf(index, postings, null);
  for (const { from, to } of others) found = bitsOf(index, index.postings.subarray(from, to), found);
  return {
    size: found.size,
    has: found.has,
    // To avoid a copy, the set itself is changed and returned.
    outside(withPrefix, except) {
      for (const rank of except) found.remove(rank);
      for (let rank = withPrefix.from; rank < withPrefix.to; rank++) found.remove(rank);
      return found;
    },
  };
}

function bitsOf(index: NameIndex, postings: Uint32Array, among: Ranks | null) {
  const bits = bitRanks(index.companies);
  for (const rank of postings) if (among === null || among.has(rank)) bits.add(rank);
  return bits;
}

/** Returns a function that tests whether a folded name has all wanted words. */
function wordTest(wanted: readonly string[], how: 'token' | 'token_prefix'): (name: string) => boolean {
  return (name) => {
    const words = wordsOf(name);
    return wanted.every((text) =>
      words.some((word) => (how === 'token' ? word === text : word.startsWith(text))),
    );
  };
}

function listed(ranks: Uint32Array): Named {
  const all = listOfRanks(ranks);
  return {
    size: all.size,
    has: all.has,
    outside: (withPrefix, except) =>
      listOfRanks(ranks.filter((rank) => !isIn(withPrefix, rank) && !except.includes(rank))),
  };
}

/** Returns the range of postings for all matching words. It is contiguous because the words are sorted. */
function postingRange(
  { words, postingStarts }: NameIndex,
  word: string,
  how: 'token' | 'token_prefix',
): Range {
  const wanted = utf8(word);
  const matching = prefixRange(words, wanted);
  const isWhole =
    (words.starts[matching.from + 1] ?? 0) - (words.starts[matching.from] ?? 0) === wanted.length;
  const to =
    how === 'token_prefix' ? matching.to : matching.from + (matching.from < matching.to && isWhole ? 1 : 0);
  return { from: postingStarts[matching.from] ?? 0, to: postingStarts[to] ?? 0 };
}

/** Returns the ranks of the names that contain the bytes. It scans all names once. */
function ranksContaining({ names: { bytes, starts } }: NameIndex, wanted: Uint8Array): Uint32Array {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const companies = starts.length - 1;
  const found: number[] = [];
  let at = all.indexOf(wanted);
  while (at !== -1) {
    const rank = lowerBound(companies, (index) => (starts[index + 1] ?? 0) <= at);
    const end = starts[rank + 1] ?? bytes.length;
    const isInside = at + wanted.length <= end;
    if (isInside) found.push(rank);
    // After a match, the scan continues at the next name. If the bytes span two names, they are not a match, and the
    // scan continues one byte later.
    at = all.indexOf(wanted, isInside ? end : at + 1);
  }
  return Uint32Array.from(found);
}

function identifierRange(index: NameIndex, text: string, how: CompanyQuery['identifiers']): Range {
  if (how === 'none') return NO_RANGE;
  const wanted = foldedIdentifier(text);
  const idAt = (position: number) => foldedIdentifier(textAt(index.ids, index.byId[position] ?? 0));
  const { length } = index.byId;
  const from = lowerBound(length, (position) => compareBytes(idAt(position), wanted) < 0);
  const matches = (id: string) => (how === 'prefix' ? id.startsWith(wanted) : id === wanted);
  return { from, to: from + lowerBound(length - from, (offset) => matches(idAt(from + offset))) };
}

function exactIdentifiers(index: NameIndex, text: string, { from, to }: Range): Uint32Array {
  const wanted = foldedIdentifier(text);
  const found: number[] = [];
  for (let position = from; position < to; position++) {
    const rank = index.byId[position] ?? 0;
    if (foldedIdentifier(textAt(index.ids, rank)) !== wanted) break;
    found.push(rank);
  }
  return Uint32Array.from(found);
}

/**
 * Compares texts by their UTF-8 bytes. JavaScript's comparison operators use UTF-16, which sorts differently beyond the
 * Basic Multilingual Plane.
 */
function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function isIn({ from, to }: Range, rank: number): boolean {
  return rank >= from && rank < to;
}

const NO_RANGE: Range = { from: 0, to: 0 };
const NOTHING = rangeOfRanks(0, 0);

// Up to this number of candidates, testing each name is cheaper than combining bit sets.
const FEW = 4_096;
