import type { IdentifierMatch, NameMatch } from '../dialect/dialect.ts';
import { foldText, wordsOf } from './folding.ts';
import { type NameIndex, prefixRange, type Range, textAt, utf8 } from './name_index.ts';
import { lowerBound } from './ordered_texts.ts';
import { bitRanks, concatenated, listOfRanks, type Ranks, rangeOfRanks } from './ranks.ts';

/** A search in the name index. */
export interface CompanyQuery {
  /** any: one parameter takes names and identifiers alike. */
  readonly by: 'name' | 'identifier' | 'any';
  readonly text: string;
  readonly names: NameSearch;
  readonly identifiers: IdentifierSearch;
}

/**
 * prefix: the name starts with the query · token: every word of the query is a word of the name ·
 * token_prefix: every word of the query starts a word of the name · substring: the name contains the query.
 */
export type NameSearch = Exclude<NameMatch, 'unknown'>;
export type IdentifierSearch = Exclude<IdentifierMatch, 'unknown'>;

/** How names are folded before they are indexed and searched for. */
export const fold = (text: string): string => foldText(text, 'diacritics');

/**
 * The companies that a query finds, best first: the identifier itself · names that begin with the text, the
 * exact name first · other names that hold its words · identifiers that begin with it. Equals stand in the
 * order of folded name and id, so that the same mirror always answers in the same order.
 */
export function findRanks(index: NameIndex, query: CompanyQuery): Ranks {
  const text = query.text.trim();
  if (text === '') return query.by === 'identifier' ? NOTHING : rangeOfRanks(0, index.companies);
  const identifiers = query.by === 'name' ? NO_RANGE : identifierRange(index, text, query.identifiers);
  if (query.by === 'identifier') return listOfRanks(index.byId.subarray(identifiers.from, identifiers.to));

  const exact = exactIdentifiers(index, text, identifiers);
  const begins = prefixRange(index.names, utf8(fold(text)));
  const named = namedRanks(index, query, begins);
  // Exact identifiers are the first of their range.
  const longer = index.byId.subarray(identifiers.from + exact.length, identifiers.to);
  const others = named.size === 0 ? longer : longer.filter((rank) => !named.has(rank));
  return concatenated([
    listOfRanks(exact),
    ...within(named, begins, exact, query.names),
    named.outside(begins, exact),
    listOfRanks(others),
  ]);
}

/** Names that a query finds: those in the range of its prefix, and all others apart. */
interface Named {
  readonly size: number;
  has(rank: number): boolean;
  outside(begins: Range, except: Uint32Array): Ranks;
}

function namedRanks(index: NameIndex, { names, text }: CompanyQuery, begins: Range): Named {
  switch (names) {
    case 'prefix':
      return { ...rangeOfRanks(begins.from, begins.to), outside: () => NOTHING };
    case 'token':
    case 'token_prefix':
      return ranksOfWords(index, wordsOf(fold(text)), names);
    case 'substring':
      return listed(ranksHolding(index, utf8(fold(text))));
  }
}

/** The names that begin with the text, less those that stand above them. */
function within(named: Named, begins: Range, except: Uint32Array, how: CompanyQuery['names']): Ranks[] {
  if (how === 'token') {
    // "acm" begins "acme", and is no word of it.
    const ranks = [...rangeOfRanks(begins.from, begins.to).slice(0, begins.to - begins.from)];
    return [listOfRanks(Uint32Array.from(ranks.filter((rank) => named.has(rank) && !except.includes(rank))))];
  }
  const cuts = [...except].filter((rank) => isIn(begins, rank)).sort((a, b) => a - b);
  const starts = [begins.from, ...cuts.map((rank) => rank + 1)];
  return starts.map((from, place) => rangeOfRanks(from, cuts[place] ?? begins.to));
}

function ranksOfWords(index: NameIndex, wanted: readonly string[], how: 'token' | 'token_prefix'): Named {
  const ranges = wanted.map((word) => ({ word, ...postingRange(index, word, how) }));
  const [rarest, ...others] = ranges.sort((a, b) => a.to - a.from - (b.to - b.from));
  if (rarest === undefined || rarest.from === rarest.to) return listed(new Uint32Array(0));
  const postings = index.postings.subarray(rarest.from, rarest.to);
  if (postings.length <= FEW) {
    const holdsOthers = wordTest(
      others.map(({ word }) => word),
      how,
    );
    const unique = Uint32Array.from(new Set(postings)).sort();
    return listed(
      others.length === 0 ? unique : unique.filter((rank) => holdsOthers(textAt(index.names, rank))),
    );
  }
  let found = bitsOf(index, postings, null);
  for (const { from, to } of others) found = bitsOf(index, index.postings.subarray(from, to), found);
  return {
    size: found.size,
    has: found.has,
    // The last that is asked of it: the bits themselves become the result.
    outside(begins, except) {
      for (const rank of except) found.remove(rank);
      for (let rank = begins.from; rank < begins.to; rank++) found.remove(rank);
      return found;
    },
  };
}

function bitsOf(index: NameIndex, postings: Uint32Array, among: Ranks | null) {
  const bits = bitRanks(index.companies);
  for (const rank of postings) if (among === null || among.has(rank)) bits.add(rank);
  return bits;
}

/** Does a folded name hold every one of the words? */
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
    outside: (begins, except) =>
      listOfRanks(ranks.filter((rank) => !isIn(begins, rank) && !except.includes(rank))),
  };
}

/** Where the postings stand of the words that fit: they lie one after another, because words are in order. */
function postingRange(
  { words, postingStarts }: NameIndex,
  word: string,
  how: 'token' | 'token_prefix',
): Range {
  const wanted = utf8(word);
  const fitting = prefixRange(words, wanted);
  const isWhole = (words.starts[fitting.from + 1] ?? 0) - (words.starts[fitting.from] ?? 0) === wanted.length;
  const to =
    how === 'token_prefix' ? fitting.to : fitting.from + (fitting.from < fitting.to && isWhole ? 1 : 0);
  return { from: postingStarts[fitting.from] ?? 0, to: postingStarts[to] ?? 0 };
}

/** Names that hold the bytes anywhere: one pass over all names. */
function ranksHolding({ names: { bytes, starts } }: NameIndex, wanted: Uint8Array): Uint32Array {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const companies = starts.length - 1;
  const found: number[] = [];
  let at = all.indexOf(wanted);
  while (at !== -1) {
    const rank = lowerBound(companies, (index) => (starts[index + 1] ?? 0) <= at);
    const end = starts[rank + 1] ?? bytes.length;
    const isInside = at + wanted.length <= end;
    if (isInside) found.push(rank);
    // On from the next name: one hit a name is enough. A hit across a border begins again one byte on.
    at = all.indexOf(wanted, isInside ? end : at + 1);
  }
  return Uint32Array.from(found);
}

function identifierRange(index: NameIndex, text: string, how: CompanyQuery['identifiers']): Range {
  if (how === 'none') return NO_RANGE;
  const wanted = upper(text);
  const idAt = (place: number) => upper(textAt(index.ids, index.byId[place] ?? 0));
  const { length } = index.byId;
  const from = lowerBound(length, (place) => compareBytes(idAt(place), wanted) < 0);
  const isBefore = (id: string) => (how === 'prefix' ? id.startsWith(wanted) : id === wanted);
  return { from, to: from + lowerBound(length - from, (offset) => isBefore(idAt(from + offset))) };
}

function exactIdentifiers(index: NameIndex, text: string, { from, to }: Range): Uint32Array {
  const wanted = upper(text);
  const found: number[] = [];
  for (let place = from; place < to; place++) {
    const rank = index.byId[place] ?? 0;
    if (upper(textAt(index.ids, rank)) !== wanted) break;
    found.push(rank);
  }
  return Uint32Array.from(found);
}

/** As SQLite's upper(), by which ids are ordered: ASCII alone. */
function upper(text: string): string {
  return text.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
}

/** The order of UTF-8, which JavaScript's own order differs from beyond the Basic Multilingual Plane. */
function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function isIn({ from, to }: Range, rank: number): boolean {
  return rank >= from && rank < to;
}

const NO_RANGE: Range = { from: 0, to: 0 };
const NOTHING = rangeOfRanks(0, 0);

// Up to so many candidates are looked at one by one; above it sets of bits are cheaper.
const FEW = 4_096;
