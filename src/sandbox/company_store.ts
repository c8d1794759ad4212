import { isJsonObject, type JsonObject, parseJson, stringifyJson } from '../json/json.ts';

/** A company in a form that does not depend on an API profile. `fields` has all fields except id and name. */
export interface Company {
  readonly id: string;
  readonly name: string;
  readonly fields: JsonObject;
}

/** A stored company. The object is immutable: each change creates a new object. */
export interface StoredCompany {
  readonly id: string;
  readonly name: string;
  /** The other fields as JSON text, because text takes less memory than objects. */
  readonly fieldsText: string;
  /** When the company was deleted, in epoch milliseconds, or null while it exists. */
  readonly goneAtMs: number | null;
}

/** The sandbox's companies. They can change while the sandbox handles requests. */
export interface CompanyStore {
  /** Returns the number of companies, not counting deleted ones. */
  count(): number;
  /** Returns the company or its tombstone, or null for an id that never existed. */
  get(id: string): StoredCompany | null;
  /** Returns all companies and tombstones, in the order of their creation. */
  all(): Iterable<StoredCompany>;
  /** Adds a company. It replaces the company or tombstone that has the same id. */
  put(company: Company): void;
  /** Replaces a company with a tombstone. Returns false if there is no such company. */
  remove(id: string, nowMs: number): boolean;
  /**
   * Calls the watcher after each change, with the company before and after the change. Returns a function that removes
   * the watcher.
   */
  watch(watcher: Watcher): () => void;
}

export type Watcher = (before: StoredCompany | null, after: StoredCompany) => void;

/** Creates a store. If several companies have the same id, the first one is used. */
export function companyStore(companies: Iterable<Company>): CompanyStore {
  const byId = new Map<string, StoredCompany>();
  const watchers = new Set<Watcher>();
  for (const company of companies) if (!byId.has(company.id)) byId.set(company.id, stored(company));
  let existing = byId.size;

  const replace = (after: StoredCompany) => {
    const before = byId.get(after.id) ?? null;
    existing += Number(exists(after)) - Number(exists(before));
    byId.set(after.id, after);
    for (const watcher of watchers) watcher(before, after);
  };

  return {
    count: () => existing,
    get: (id) => byId.get(id) ?? null,
    all: () => byId.values(),
    put: (company) => replace(stored(company)),
    remove(id, nowMs) {
      const company = byId.get(id);
      if (company === undefined || !exists(company)) return false;
      replace({ ...company, goneAtMs: nowMs });
      return true;
    },
    watch(watcher) {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
  };
}

/** Returns whether this is a company that is not deleted. */
export function exists(company: StoredCompany | null): boolean {
  return company !== null && company.goneAtMs === null;
}

/** Parses a company's other fields. */
export function fieldsOf(company: StoredCompany): JsonObject {
  const fields = parseJson(company.fieldsText);
  return isJsonObject(fields) ? fields : {};
}

function stored(company: Company): StoredCompany {
  return { id: company.id, name: company.name, fieldsText: stringifyJson(company.fields), goneAtMs: null };
}
