import { LRUCache } from 'lru-cache';
import type { CompanyQuery } from '../names/query_matching.ts';

interface ListingSource {
  /** Finds the keys of all companies that match a query, in a fixed order. */
  find(query: CompanyQuery): Uint32Array;
  /** Returns the id of the company with this key, or null if the company no longer exists. */
  entityId(key: number): string | null;
  /** Returns a value that changes when a query can have other matches. */
  version(): string;
}

/** A query's matches. */
export interface Listing {
  readonly total: number;
  /** Returns the ids of at most `count` matches, starting at position `from` (counted from 0). */
  ids(from: number, count: number): readonly string[];
}

/** The account that requests a page, and the page's position. */
export interface Reader {
  readonly account: string;
  /** The position of the first requested row, counted from 0. */
  readonly from: number;
}

/** The keys of a query's matches at one time. */
interface FoundKeys {
  readonly version: string;
  readonly keys: Uint32Array;
}

/** One account that reads a listing page by page. */
interface Reading {
  readonly listing: FoundKeys;
  readonly atMs: number;
}

/**
 * Finds a query's matches once and keeps them for its later pages. The first page shows the current matches. An
 * account's later pages come from the same listing, so that no row is repeated or missing while the data change.
 */
export class Listings {
  readonly #source: ListingSource;
  readonly #current = new LRUCache<string, FoundKeys>({ maxSize: MAX_BYTES, sizeCalculation: bytesOf });
  readonly #readings = new LRUCache<string, Reading>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ listing }) => bytesOf(listing),
  });

  constructor(source: ListingSource) {
    this.#source = source;
  }

  matches(query: CompanyQuery, reader: Reader | undefined, nowMs: number): Listing {
    const { keys } = reader === undefined ? this.#find(query) : this.#read(query, reader, nowMs);
    return {
      total: keys.length,
      ids: (from, count) =>
        [...keys.subarray(from, from + count)]
          .map((key) => this.#source.entityId(key))
          .filter((id) => id !== null),
    };
  }

  #read(query: CompanyQuery, { account, from }: Reader, nowMs: number): FoundKeys {
    const name = `${account}\n${nameOf(query)}`;
    const before = from === 0 ? undefined : this.#readings.get(name);
    const isRecent = before !== undefined && nowMs - before.atMs <= KEPT_MS;
    const listing = isRecent ? before.listing : this.#find(query);
    this.#readings.set(name, { listing, atMs: nowMs });
    return listing;
  }

  #find(query: CompanyQuery): FoundKeys {
    const name = nameOf(query);
    const version = this.#source.version();
    const known = this.#current.get(name);
    if (known?.version === version) return known;
    const listing = { version, keys: this.#source.find(query) };
    this.#current.set(name, listing);
    return listing;
  }
}

function bytesOf({ keys }: FoundKeys): number {
  return keys.byteLength + OVERHEAD_BYTES;
}

function nameOf({ by, text, names, identifiers }: CompanyQuery): string {
  return `${by} ${names} ${identifiers} ${text}`;
}

/** If an account requests no further page for this long, the next page shows the current matches. */
const KEPT_MS = 5 * 60_000;
const OVERHEAD_BYTES = 4_000;
const MAX_BYTES = 128 * 1024 * 1024;
