import type { CatalogueQuery, Reader } from '../api/catalogue.ts';
import { bytesOfIndex, type NameIndex } from '../names/name_index.ts';
import { findRanks } from '../names/name_search.ts';
import type { Ranks } from '../names/ranks.ts';

/** A query's result. Ranks are positions in the index. */
export interface SearchResult {
  readonly index: NameIndex;
  readonly ranks: Ranks;
}

/**
 * Caches results by query. A listing's first page comes from the current index. Its later pages come from the same
 * index, so that no row is repeated or missing while the mirror changes.
 */
export interface SearchResults {
  list(query: CatalogueQuery, reader: Reader | undefined, nowMs: number): SearchResult;
}

export function openSearchResults(currentIndex: () => NameIndex): SearchResults {
  let present = openIndexState(currentIndex());
  let earlier: IndexState[] = [];

  const followIndex = (nowMs: number): void => {
    const index = currentIndex();
    if (index === present.index) return;
    earlier = withinBytes([present, ...earlier].filter((state) => state.isInUse(nowMs)));
    present = openIndexState(index);
  };

  return {
    list(query, reader, nowMs) {
      followIndex(nowMs);
      const key = keyOf(query);
      if (reader === undefined) return present.list(key, query);
      const reading = `${reader.account}\n${key}`;
      const states = reader.from === 0 ? [] : [present, ...earlier];
      const state = states.find((one) => one.isRead(reading, nowMs)) ?? present;
      state.markRead(reading, nowMs);
      return state.list(key, query);
    },
  };
}

/** An index, its cached results, and their readings. A reading is one account paging through one query's results. */
interface IndexState {
  readonly index: NameIndex;
  list(key: string, query: CatalogueQuery): SearchResult;
  isRead(reading: string, nowMs: number): boolean;
  /** Returns whether any of this index's results was read recently. */
  isInUse(nowMs: number): boolean;
  markRead(reading: string, nowMs: number): void;
}

function openIndexState(index: NameIndex): IndexState {
  const results = new Map<string, SearchResult>();
  const readings = new Map<string, number>();
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
      while (bytes > MAX_BYTES && results.size > 1) bytes -= bytesOf(dropOldest(results));
      return listing;
    },
    isRead: (reading, nowMs) => nowMs - (readings.get(reading) ?? Number.NEGATIVE_INFINITY) <= KEPT_MS,
    isInUse: (nowMs) => nowMs - readAtMs <= KEPT_MS,
    markRead(reading, nowMs) {
      readAtMs = nowMs;
      // The entry is deleted before it is added again, so that the map is ordered by last use.
      readings.delete(reading);
      readings.set(reading, nowMs);
      if (readings.size > MAX_READINGS) dropOldest(readings);
    },
  };
}

/** Returns the latest states whose indexes together fit in the memory limit. */
function withinBytes(states: readonly IndexState[]): IndexState[] {
  let bytes = 0;
  return states.filter(({ index }) => {
    bytes += bytesOfIndex(index);
    return bytes <= MAX_INDEX_BYTES;
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

/** If an account requests no further page for this long, the next page is read from the current index. */
const KEPT_MS = 5 * 60_000;
const MAX_INDEX_BYTES = 512 * 1024 * 1024;
const MAX_READINGS = 2_000;
const MAX_BYTES = 32 * 1024 * 1024;
const OVERHEAD_BYTES = 1_000;
