import { type JsonObject, stringifyJson } from '../json/json.ts';

/** A company independent of an API profile. `fields` are all fields except id and name. */
export interface Company {
  readonly id: string;
  readonly name: string;
  readonly fields: JsonObject;
}

/** A stored company. It is immutable: a change creates a new object. */
export interface StoredCompany {
  readonly id: string;
  readonly name: string;
  /** The other fields as JSON text, which takes less memory than objects. */
  readonly fieldsText: string;
  /** Epoch milliseconds of the deletion; null while the company exists. */
  readonly goneAtMs: number | null;
}

/** The companies of the sandbox. They can change while requests are served. */
export interface CompanyStore {
  /** The number of companies that exist. */
  count(): number;
  /** The company or its tombstone; null for an id that never existed. */
  get(id: string): StoredCompany | null;
  /** Companies and tombstones, in the order of their creation. */
  all(): Iterable<StoredCompany>;
  /** Adds a company, or replaces the company or tombstone with its id. */
  put(company: Company): void;
  /** Replaces a company by a tombstone. Returns false if the company does not exist. */
  remove(id: string, nowMs: number): boolean;
  /** Calls the watcher after each change, with the company before and after. Returns a function that stops this. */
  watch(watcher: Watcher): () => void;
}

export type Watcher = (before: StoredCompany | null, after: StoredCompany) => void;

/** Of several companies with the same id, the store uses the first. */
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

/** Is this a company that is not deleted? */
export function exists(company: StoredCompany | null): boolean {
  return company !== null && company.goneAtMs === null;
}

function stored(company: Company): StoredCompany {
  return { id: company.id, name: company.name, fieldsText: stringifyJson(company.fields), goneAtMs: null };
}
