import { LRUCache } from 'lru-cache';
import { idIn, nameIn, placedAtPath, recordIn } from '../dialect/body_values.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { parseBody } from '../dialect/response_body.ts';
import { companyIn, elementsAt, resultsIn } from '../dialect/search_results.ts';
import { scalarText, stringifyJson } from '../json/json.ts';
import { placedAt } from '../json/json_template.ts';

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
export class Summaries {
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
