import type { Database } from 'better-sqlite3';
import { type Catalogue, type CatalogueRecord, Listings } from '../api/catalogue.ts';
import { type ApiProblem, RejectedRequest } from '../api/problems.ts';
import { isoTime } from '../clock.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { parseBody } from '../dialect/response_body.ts';
import { isJsonObject, type JsonObject, stringifyJson } from '../json/json.ts';
import { withoutDiacritics } from '../names/folding.ts';
import { recordFreshness } from '../warehouse/ages.ts';
import { readCoverage } from '../warehouse/coverage_counts.ts';
import { readSource } from '../warehouse/meta.ts';
import { NameFinder } from '../warehouse/name_finder.ts';
import { latestStatistics } from '../warehouse/registry_stats.ts';
import { fileVersion, listingCalls } from '../warehouse/serve_lists.ts';
import {
  cacheForServing,
  responseTexts,
  type ServedState,
  servedRecords,
} from '../warehouse/serve_records.ts';
import { Summaries } from './summaries.ts';

interface MirrorCatalogueOptions {
  /** The warehouse database, open for reading. */
  readonly db: Database;
  readonly dialect: Dialect;
  /** Whether the query parameter also accepts identifiers. */
  readonly namesTakeIdentifiers: boolean;
  /** Returns the time in epoch milliseconds. */
  readonly now: () => number;
}

export interface MirrorCatalogue extends Catalogue {
  /** Returns the number of companies that are not gone. */
  count(): number;
}

/**
 * Creates a catalogue of the companies in the warehouse. Records and list items are returned as the upstream sent them.
 * Searches read the name indexes in the warehouse.
 */
export function mirrorCatalogue(options: MirrorCatalogueOptions): MirrorCatalogue {
  const { db, dialect, namesTakeIdentifiers, now } = options;
  cacheForServing(db);
  const records = servedRecords(db);
  const textOf = responseTexts(db);
  const version = fileVersion(db);
  const listings = new Listings(
    new NameFinder(db, { fold: withoutDiacritics, isFolded: false, order: 'best', hasTrigrams: true }),
  );
  const summaries = new Summaries(dialect, {
    listingCall: listingCalls(db),
    response: textOf,
    record(entityId) {
      const state = records.latest(entityId);
      return state.is === 'record' ? state.text : null;
    },
  });
  const statistics = cached(STATISTICS_MS, now, () => describeMirror(db));

  return {
    count() {
      const { known, gone } = readCoverage(db);
      return known - gone;
    },
    matches: (query) => listings.matches(query, version(), null),
    search(query, reader) {
      const by = query.by === 'name' && namesTakeIdentifiers ? 'any' : query.by;
      const { total, ids } = listings.matches({ ...query, by }, version(), reader);
      return { total, items: (from, count) => summaries.of(ids(from, count)) };
    },
    record(id, atMs) {
      const state = atMs === null ? records.latest(id) : records.asOf(id, isoTime(atMs));
      if (state.is === 'record') return recordOf(state, now());
      if (state.is === 'gone') throw new RejectedRequest({ code: 'entity_gone' });
      const firstSeenAt = atMs === null ? null : records.firstSeenAt(id);
      throw new RejectedRequest(missingRecordProblem(records.latest(id), firstSeenAt));
    },
    stats() {
      const latest = latestStatistics(db);
      const text = latest === null ? null : textOf(latest.callId);
      const own = text === null ? {} : parseBody(text);
      return stringifyJson(withMirror(isJsonObject(own) ? own : {}, statistics()));
    },
  };
}

function recordOf(
  { text, seenAt, callId }: Extract<ServedState, { readonly is: 'record' }>,
  nowMs: number,
): CatalogueRecord {
  const ageSeconds = Math.max(0, Math.floor((nowMs - Date.parse(seenAt)) / 1000));
  return { text, headers: { etag: `"${callId.toString(36)}"`, 'x-mirror-age': String(ageSeconds) } };
}

function missingRecordProblem(latest: ServedState, firstSeenAt: string | null): ApiProblem {
  if (firstSeenAt !== null)
    return {
      code: 'entity_not_found',
      detail: `The mirror did not know this company at that time. Its first version was seen at ${firstSeenAt}.`,
    };
  return { code: latest.is === 'listed' ? 'record_not_mirrored' : 'entity_not_found' };
}

/** Adds the mirror's state to the registry's own figures. */
function withMirror(own: JsonObject, mirror: JsonObject): JsonObject {
  return { ...own, [Object.hasOwn(own, 'mirror') ? '_mirror' : 'mirror']: mirror };
}

function describeMirror(db: Database): JsonObject {
  const { known, fetched, gone, knownShare, fetchedShare, registryTotal, registryTotalAt } = readCoverage(db);
  const { oldest_at, newest_at, ...within } = recordFreshness(db);
  const { name, url, licence, attribution } = readSource(db);
  return {
    source: { name, url, licence, attribution },
    companies: known - gone,
    records: fetched,
    gone,
    coverage: {
      companies: knownShare,
      records: fetchedShare,
      registry_total: registryTotal,
      as_of: registryTotalAt,
    },
    freshness: { oldest_record_at: oldest_at, newest_record_at: newest_at, ...within },
  };
}

/** Caches a computed result for `forMs` milliseconds. */
function cached<T>(forMs: number, now: () => number, compute: () => T): () => T {
  let cachedValue: { readonly value: T; readonly untilMs: number } | null = null;
  return () => {
    if (cachedValue === null || now() >= cachedValue.untilMs)
      cachedValue = { value: compute(), untilMs: now() + forMs };
    return cachedValue.value;
  };
}

const STATISTICS_MS = 60_000;
