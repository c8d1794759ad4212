import { scalarText } from '../dialect/decode.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { type Json, parseJson, stringifyJson } from '../json/json.ts';
import { elementsOf, type Slice, sliceAt } from '../json/json_slices.ts';
import { placedAt } from '../json/json_template.ts';
import { segmentsOf, valueAt } from '../json/pointer.ts';
import { lowerBound } from '../names/ordered_texts.ts';

/** What the list items are cut out of. */
export interface SummarySource {
  /** Another value says that list items may have changed. */
  readonly version: () => number;
  /** The call that last brought the company's list item; null: none did. */
  readonly listingCall: (entityId: string) => number | null;
  /** The answer of a call; null: it was pruned. */
  readonly answer: (callId: number) => string | null;
  /** The answer with the company's record; null: there is none. */
  readonly record: (entityId: string) => string | null;
}

/**
 * The list item of a company, as the upstream last gave it in a search. One that no search ever showed gets an
 * item with its id and its name, where the dialect says that they stand.
 */
export function openSummaries(dialect: Dialect, source: SummarySource): Summaries {
  let version = source.version();
  const items = leastRecentlyUsed<Item>(MOST_BYTES, ({ text }) => text.length * 2 + OVERHEAD_BYTES);
  const pages = leastRecentlyUsed<Page>(MOST_PAGE_BYTES, ({ text }) => text.length * 2);

  const pageOf = (callId: number): Page | null => {
    const known = pages.get(String(callId));
    if (known !== undefined) return known;
    const text = source.answer(callId);
    if (text === null) return null;
    const page = readPage(dialect, text);
    pages.set(String(callId), page);
    return page;
  };

  const read = (entityId: string, callId: number | null): string => {
    const page = callId === null ? null : pageOf(callId);
    const item = page === null ? null : itemIn(dialect, page, entityId);
    return item ?? inventedItem(dialect, entityId, source.record(entityId));
  };

  return {
    look() {
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
  /** Looks whether anything was written; the items after it are those of that moment or later. */
  look(): void;
  of(entityId: string): string;
}

interface Item {
  /** null: made up from the record, which may have changed since. */
  readonly callId: number | null;
  /** The version at which it was last held against the file. */
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

/** The item with this id: first among those in which the id's text occurs, then, for ids written with escapes, among all. */
function itemIn({ search }: Dialect, { text, items }: Page, entityId: string): string | null {
  const isMeant = (item: Slice) => {
    const document = parseJson(text.slice(item.from, item.to));
    return scalarText(valueAt(valueAt(document, search.item), search.id)) === entityId;
  };
  const item = itemsHolding(text, items, entityId).find(isMeant) ?? items.find(isMeant);
  if (item === undefined) return null;
  // A copy: a slice of a string keeps the whole page in memory.
  return Buffer.from(text.slice(item.from, item.to)).toString();
}

function itemsHolding(text: string, items: readonly Slice[], wanted: string): Slice[] {
  const holding = new Set<Slice>();
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) {
    const item = items[lowerBound(items.length, (index) => (items[index]?.to ?? 0) <= at)];
    if (item !== undefined && item.from <= at) holding.add(item);
  }
  return [...holding];
}

function inventedItem({ search, entity }: Dialect, entityId: string, record: string | null): string {
  const document = record === null ? undefined : valueAt(parseJson(record), entity.root);
  const id = valueAt(document, entity.id) ?? entityId;
  const name = entity.name === null ? undefined : valueAt(document, entity.name);
  const summary: Json = placedAt({}, search.id, id);
  const named = search.name === null || name === undefined ? summary : placedAt(summary, search.name, name);
  return stringifyJson(placedAt({}, search.item, named));
}

/** A map that forgets what was not used for longest, within a bound on what the values weigh. */
function leastRecentlyUsed<V>(mostBytes: number, weight: (value: V) => number) {
  const values = new Map<string, V>();
  let bytes = 0;
  const drop = (key: string, value: V) => {
    values.delete(key);
    bytes -= weight(value);
  };
  return {
    get(key: string): V | undefined {
      const value = values.get(key);
      if (value === undefined) return undefined;
      values.delete(key);
      values.set(key, value);
      return value;
    },
    set(key: string, value: V): void {
      const before = values.get(key);
      if (before !== undefined) drop(key, before);
      values.set(key, value);
      bytes += weight(value);
      for (const [oldest, held] of values) {
        if (bytes <= mostBytes || values.size === 1) break;
        drop(oldest, held);
      }
    },
  };
}

const MOST_BYTES = 64 * 1024 * 1024;
const MOST_PAGE_BYTES = 8 * 1024 * 1024;
const OVERHEAD_BYTES = 200;
