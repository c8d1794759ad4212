import { RecentValues } from '../api/recent_values.ts';
import { idIn, nameIn, recordIn } from '../dialect/body_values.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { type Json, parseJson, scalarText, stringifyJson } from '../json/json.ts';
import { elementsOf, type Slice, sliceAt } from '../json/json_slices.ts';
import { placedAt } from '../json/json_template.ts';
import { segmentsOf, valueAt } from '../json/pointer.ts';
import { lowerBound } from '../names/ordered_texts.ts';

/** The stored responses that contain the list items. */
export interface SummarySource {
  /** Returns a number that changes when list items change. */
  readonly version: () => number;
  /** Returns the call id of the last response that lists the company, or null if there is none. */
  readonly listingCall: (entityId: string) => number | null;
  /** Returns the response to a call, or null if the response was pruned. */
  readonly response: (callId: number) => string | null;
  /** Returns the response that contains the company's record, or null if there is none. */
  readonly record: (entityId: string) => string | null;
}

/**
 * Returns a company's list item from the last search response that lists the company. If no search has found the
 * company, the item has only the id and the name.
 */
export function openSummaries(dialect: Dialect, source: SummarySource): Summaries {
  let version = source.version();
  const items = new RecentValues<Item>(MAX_BYTES, ({ text }) => text.length * 2 + OVERHEAD_BYTES);
  const pages = new RecentValues<Page>(MAX_PAGE_BYTES, ({ text }) => text.length * 2);

  const pageOf = (callId: number): Page | null => {
    const known = pages.get(String(callId));
    if (known !== undefined) return known;
    const text = source.response(callId);
    if (text === null) return null;
    const page = readPage(dialect, text);
    pages.set(String(callId), page);
    return page;
  };

  const read = (entityId: string, callId: number | null): string => {
    const page = callId === null ? null : pageOf(callId);
    const item = page === null ? null : itemIn(dialect, page, entityId);
    return item ?? itemFromRecord(dialect, entityId, source.record(entityId));
  };

  return {
    checkVersion() {
      version = source.version();
    },
    of(entityId) {
      const known = items.get(entityId);
      if (known?.version === version) return known.text;
      const callId = source.listingCall(entityId);
      const isSame = known !== undefined && callId !== null && known.callId === callId;
      const text = isSame ? known.text : read(entityId, callId);
      items.set(entityId, { callId, version, text });
      return text;
    },
  };
}

export interface Summaries {
  /** Checks for a new version. Items returned from now on are at least that new. */
  checkVersion(): void;
  of(entityId: string): string;
}

interface Item {
  /**
   * The call that returned the item, or null if the item was made from the record. An item from a record is rebuilt for
   * each version, because the record may have changed.
   */
  readonly callId: number | null;
  /** The version when the item was last checked. */
  readonly version: number;
  readonly text: string;
}

interface Page {
  readonly text: string;
  readonly items: readonly Slice[];
}

function readPage({ search }: Dialect, text: string): Page {
  const list = sliceAt(text, segmentsOf(search.results));
  return { text, items: list === null ? [] : elementsOf(text, list) };
}

/**
 * Returns the list item with this id. Items with the id in their text are parsed first. If none of them matches, all
 * items are parsed, because the id may be written with JSON escapes.
 */
function itemIn({ search }: Dialect, { text, items }: Page, entityId: string): string | null {
  const hasId = (item: Slice) => {
    const document = parseJson(text.slice(item.from, item.to));
    return scalarText(idIn(valueAt(document, search.item), search)) === entityId;
  };
  const item = itemsContaining(text, items, entityId).find(hasId) ?? items.find(hasId);
  if (item === undefined) return null;
  // The item is copied, because a slice of the string would keep the whole page in memory.
  return Buffer.from(text.slice(item.from, item.to)).toString();
}

function itemsContaining(text: string, items: readonly Slice[], wanted: string): Slice[] {
  const found = new Set<Slice>();
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) {
    const item = items[lowerBound(items.length, (index) => (items[index]?.to ?? 0) <= at)];
    if (item !== undefined && item.from <= at) found.add(item);
  }
  return [...found];
}

function itemFromRecord({ search, entity }: Dialect, entityId: string, record: string | null): string {
  const document = record === null ? undefined : recordIn(entity.root, parseJson(record), entityId);
  const id = idIn(document, entity) ?? entityId;
  const name = nameIn(document, entity);
  const summary: Json = placedAt({}, search.id, id);
  const named = search.name === null || name === null ? summary : placedAt(summary, search.name, name);
  return stringifyJson(placedAt({}, search.item, named));
}

const MAX_BYTES = 64 * 1024 * 1024;
const MAX_PAGE_BYTES = 8 * 1024 * 1024;
const OVERHEAD_BYTES = 200;
