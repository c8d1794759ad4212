import type { Database } from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import { type Catalogue, type CatalogueRecord, Listings } from '../api/catalogue.ts';
import { type ApiProblem, RejectedRequest } from '../api/problems.ts';
import { isoTime } from '../clock.ts';
import { idIn, nameIn, placedAtPath, recordIn } from '../dialect/body_values.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { parseBody } from '../dialect/response_body.ts';
import { companyIn, elementsAt, resultsIn } from '../dialect/search_results.ts';
import { isJsonObject, type JsonObject, scalarText, stringifyJson } from '../json/json.ts';
import { placedAt } from '../json/json_template.ts';
import { withoutDiacritics } from '../names/folding.ts';
import { latestStatistics, readCoverage, recordFreshness } from '../warehouse/coverage_counts.ts';
import { readSource } from '../warehouse/meta.ts';
import { NameFinder } from '../warehouse/name_finder.ts';
import {
  cacheForServing,
  fileVersion,
  listingCalls,
  responseTexts,
  type ServedState,
  servedRecords,
} from '../warehouse/serve_records.ts';

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
  const statistics = new LRUCache<'mirror', JsonObject>({
    max: 1,
    ttl: STATISTICS_MS,
    perf: { now },
    memoMethod: () => describeMirror(db),
  });

  return {
    count() {
      const { known, gone } = readCoverage(db);
      return known - gone;
    },
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
      return stringifyJson(withMirror(isJsonObject(own) ? own : {}, statistics.memo('mirror')));
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

const STATISTICS_MS = 60_000;

/** The stored responses that contain the list items. */
interface SummarySource {
  /** Returns the call id of the last response that lists the company, or null if there is none. */
  readonly listingCall: (entityId: string) => number | null;
  /** Returns the response to a call, or null if the response was pruned. */
  readonly response: (callId: number) => string | null;
  /** Returns the response that contains the company's record, or null if there is none. */
  readonly record: (entityId: string) => string | null;
}

/** The companies' list items, from the last search response that lists each company. */
class Summaries {
  readonly #dialect: Dialect;
  readonly #source: SummarySource;
  /** The items of the last used responses, as JSON text by entity id. */
  readonly #pages = new LRUCache<number, ReadonlyMap<string, string>>({
    maxSize: MAX_BYTES,
    sizeCalculation: sizeOf,
  });

  constructor(dialect: Dialect, source: SummarySource) {
    this.#dialect = dialect;
    this.#source = source;
  }

  /** Returns the companies' items. If no search has found a company, its item has only the id and the name. */
  of(entityIds: readonly string[]): string[] {
    return entityIds.map((entityId) => {
      const callId = this.#source.listingCall(entityId);
      const item = callId === null ? undefined : this.#itemsOf(callId).get(entityId);
      return item ?? itemFromRecord(this.#dialect, entityId, this.#source.record(entityId));
    });
  }

  #itemsOf(callId: number): ReadonlyMap<string, string> {
    const known = this.#pages.get(callId);
    if (known !== undefined) return known;
    const text = this.#source.response(callId);
    const items = text === null ? new Map<string, string>() : itemsIn(this.#dialect, text);
    if (text !== null) this.#pages.set(callId, items);
    return items;
  }
}

/** Returns the items in a search response by entity id. If a company has several items, the first one counts. */
function itemsIn({ search }: Dialect, text: string): ReadonlyMap<string, string> {
  const list = resultsIn(parseBody(text), search.results);
  const items = (elementsAt(list, search.results) ?? []).map(({ item }): [string, string] => [
    scalarText(idIn(companyIn(search, item), search)) ?? '',
    stringifyJson(item),
  ]);
  return new Map(items.reverse());
}

function sizeOf(items: ReadonlyMap<string, string>): number {
  return [...items].reduce((sum, [id, text]) => sum + (id.length + text.length) * 2, OVERHEAD_BYTES);
}

function itemFromRecord({ search, entity }: Dialect, entityId: string, record: string | null): string {
  const document = record === null ? undefined : recordIn(entity.root, parseBody(record), entityId);
  const id = idIn(document, entity) ?? entityId;
  const name = nameIn(document, entity);
  const summary = placedAtPath({}, search.id, id);
  const named = search.name === null || name === null ? summary : placedAtPath(summary, search.name, name);
  return stringifyJson(placedAt({}, search.item, named));
}

const MAX_BYTES = 64 * 1024 * 1024;
const OVERHEAD_BYTES = 200;
