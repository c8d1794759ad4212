import type { CatalogueQuery, Reader } from '../api/catalogue.ts';
import { bytesOfIndex, type NameIndex } from '../names/name_index.ts';
import { findRanks } from '../names/name_search.ts';
import type { Ranks } from '../names/ranks.ts';

/** What a query finds, and in which state of the mirror: ranks mean nothing without their index. */
export interface SearchResult {
  readonly index: NameIndex;
  readonly ranks: Ranks;
}

/**
 * Results by query. Who asks for the first page gets the present state of the mirror, and who pages on gets the
 * state that the first page came from, so that no row repeats or is lost while the mirror changes.
 */
export interface SearchResults {
  list(query: CatalogueQuery, reader: Reader | undefined, nowMs: number): SearchResult;
}

export function openSearchResults(currentIndex: () => NameIndex): SearchResults {
  let present = openState(currentIndex());
  let earlier: State[] = [];

  const look = (nowMs: number): void => {
    const index = currentIndex();
    if (index === present.index) return;
    earlier = withinBytes([present, ...earlier].filter((state) => state.isHeld(nowMs)));
    present = openState(index);
  };

  return {
    list(query, reader, nowMs) {
      look(nowMs);
      const key = keyOf(query);
      if (reader === undefined) return present.list(key, query);
      const place = `${reader.account}\n${key}`;
      const states = reader.from === 0 ? [] : [present, ...earlier];
      const state = states.find((one) => one.isRead(place, nowMs)) ?? present;
      state.read(place, nowMs);
      return state.list(key, query);
    },
  };
}

/** One state of the mirror: results over it, and who is reading them. */
interface State {
  readonly index: NameIndex;
  list(key: string, query: CatalogueQuery): SearchResult;
  isRead(place: string, nowMs: number): boolean;
  /** Does anybody still page through it? */
  isHeld(nowMs: number): boolean;
  read(place: string, nowMs: number): void;
}

function openState(index: NameIndex): State {
  const results = new Map<string, SearchResult>();
  const readers = new Map<string, number>();
  let bytes = 0;
  let readAtMs = Number.NEGATIVE_INFINITY;
  return {
    index,
    list(key, query) {
      const known = results.get(key);
      if (known !== undefined) return known;
      const listing = { index, ranks: findRanks(index, query) };
      results.set(key, listing);
      bytes += bytesOf(listing);
      while (bytes > MOST_BYTES && results.size > 1) bytes -= bytesOf(dropOldest(results));
      return listing;
    },
    isRead: (place, nowMs) => nowMs - (readers.get(place) ?? Number.NEGATIVE_INFINITY) <= HELD_MS,
    isHeld: (nowMs) => nowMs - readAtMs <= HELD_MS,
    read(place, nowMs) {
      readAtMs = nowMs;
      // Put anew, so that the map stays in the order of use.
      readers.delete(place);
      readers.set(place, nowMs);
      if (readers.size > MOST_READERS) dropOldest(readers);
    },
  };
}

/** The latest states whose indexes fit together into the memory for them. */
function withinBytes(states: readonly State[]): State[] {
  let bytes = 0;
  return states.filter(({ index }) => {
    bytes += bytesOfIndex(index);
    return bytes <= MOST_INDEX_BYTES;
  });
}

function bytesOf({ ranks }: SearchResult): number {
  return ranks.bytes + OVERHEAD_BYTES;
}

function dropOldest<V>(map: Map<string, V>): V {
  const [key, value] = map.entries().next().value as [string, V];
  map.delete(key);
  return value;
}

function keyOf({ by, text, names, identifiers }: CatalogueQuery): string {
  return `${by} ${names} ${identifiers} ${text}`;
}

/** A reader who asks for no further page within this time begins anew. */
const HELD_MS = 5 * 60_000;
const MOST_INDEX_BYTES = 512 * 1024 * 1024;
const MOST_READERS = 2_000;
const MOST_BYTES = 32 * 1024 * 1024;
const OVERHEAD_BYTES = 1_000;
