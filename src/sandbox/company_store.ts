import { isJsonObject, type JsonObject, parseJson, stringifyJson } from '../json/json.ts';
import { type Folding, foldText } from '../names/folding.ts';
import { type MatchOrder, NameFinder } from '../warehouse/name_finder.ts';
import { SandboxCompanies, type SandboxRow } from '../warehouse/sandbox_companies.ts';

/** A company in a form that does not depend on an API profile. `fields` has all fields except id and name. */
export interface Company {
  readonly id: string;
  readonly name: string;
  readonly fields: JsonObject;
}

export type StoredCompany = SandboxRow;

/** The sandbox's companies. They can change while the sandbox handles requests. */
export class CompanyStore {
  readonly #rows = new SandboxCompanies();
  #folding: Folding = 'none';
  #count = 0;
  #version = 0;

  /** If several companies have the same id, the first one is used. */
  constructor(companies: Iterable<Company> = []) {
    this.add(companies);
  }

  /** Returns a number that changes with each change. */
  get version(): number {
    return this.#version;
  }

  /** Adds companies whose ids are not known yet. */
  add(companies: Iterable<Company>): void {
    this.#rows.add(storedRows(companies));
    this.#rows.indexNames((name) => foldText(name, this.#folding));
    this.#count = this.#rows.count();
    this.#version += 1;
  }

  /** Adds companies from a source that delivers them one by one, without holding all of them in memory. */
  async addAll(companies: AsyncIterable<Company> | Iterable<Company>): Promise<void> {
    let batch: Company[] = [];
    for await (const company of companies) {
      if (batch.push(company) < BATCH) continue;
      this.#rows.add(storedRows(batch));
      batch = [];
    }
    this.add(batch);
  }

  /** Returns a finder whose searches ignore these differences. */
  finder(folding: Folding, order: MatchOrder): NameFinder {
    const fold = (text: string) => foldText(text, folding);
    if (folding !== this.#folding) this.#rows.indexNames(fold);
    this.#folding = folding;
    return new NameFinder(this.#rows.db, { fold, isFolded: true, order, hasTrigrams: false });
  }

  /** Returns the number of companies, not counting deleted ones. */
  count(): number {
    return this.#count;
  }

  /** Returns the company or its tombstone, or null for an id that never existed. */
  get(id: string): StoredCompany | null {
    return this.#rows.find(id);
  }

  /** Returns all companies and tombstones, in the order of their creation. */
  all(): Iterable<StoredCompany> {
    return this.#rows.all();
  }

  /** Adds a company. It replaces the company or tombstone that has the same id. */
  put(company: Company): void {
    if (!exists(this.get(company.id))) this.#count += 1;
    this.#rows.put(stored(company));
    this.#version += 1;
  }

  /** Replaces a company with a tombstone. Returns false if there is no such company. */
  remove(id: string, nowMs: number): boolean {
    const company = this.get(id);
    if (company === null || !exists(company)) return false;
    this.#rows.put({ ...company, goneAtMs: nowMs });
    this.#count -= 1;
    this.#version += 1;
    return true;
  }

  close(): void {
    this.#rows.close();
  }
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

function* storedRows(companies: Iterable<Company>): Generator<StoredCompany> {
  for (const company of companies) yield stored(company);
}

function stored({ id, name, fields }: Company): StoredCompany {
  return { id, name, fieldsText: stringifyJson(fields), goneAtMs: null };
}

const BATCH = 10_000;
