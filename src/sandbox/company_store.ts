import { type JsonObject, stringifyJson } from '../json/json.ts';

/** A company whatever the shape that it is told in: `fields` is all but the id and the name. */
export interface Company {
  readonly id: string;
  readonly name: string;
  readonly fields: JsonObject;
}

/** A company as it is kept: immutable, so that a change makes a new one. */
export interface StoredCompany {
  readonly id: string;
  readonly name: string;
  /** The other fields as JSON text: a million objects would not fit. */
  readonly fieldsText: string;
  /** Epoch milliseconds of the deletion; null while the company exists. */
  readonly goneAtMs: number | null;
}

/** The truth of the sandbox: companies that can change while they are asked for. */
export interface CompanyStore {
  /** Companies that exist now. */
  count(): number;
  /** The company or its tombstone; null for an id that never was. */
  get(id: string): StoredCompany | null;
  /** Companies and tombstones, in the order in which they came. */
  all(): Iterable<StoredCompany>;
  /** Adds a company, or replaces the one (or the tombstone) that has its id. */
  put(company: Company): void;
  /** Deletes a company and leaves a tombstone. False where there is none. */
  remove(id: string, nowMs: number): boolean;
  /** Tells of every change from now on: what was there and what is there now. Returns how to end that. */
  watch(watcher: Watcher): () => void;
}

export type Watcher = (before: StoredCompany | null, after: StoredCompany) => void;

/** Takes the first company of every id. */
export function companyStore(companies: Iterable<Company>): CompanyStore {
  const held = new Map<string, StoredCompany>();
  const watchers = new Set<Watcher>();
  for (const company of companies) if (!held.has(company.id)) held.set(company.id, stored(company));
  let living = held.size;

  const replace = (after: StoredCompany) => {
    const before = held.get(after.id) ?? null;
    living += Number(exists(after)) - Number(exists(before));
    held.set(after.id, after);
    for (const watcher of watchers) watcher(before, after);
  };

  return {
    count: () => living,
    get: (id) => held.get(id) ?? null,
    all: () => held.values(),
    put: (company) => replace(stored(company)),
    remove(id, nowMs) {
      const company = held.get(id);
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

/** Is this a company, and not nothing or a tombstone? */
export function exists(company: StoredCompany | null): boolean {
  return company !== null && company.goneAtMs === null;
}

function stored(company: Company): StoredCompany {
  return { id: company.id, name: company.name, fieldsText: stringifyJson(company.fields), goneAtMs: null };
}
