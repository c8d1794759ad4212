import { randomUUID } from 'node:crypto';
import type { ApiProfile } from '../api/api_profile.ts';
import { Listings } from '../api/catalogue.ts';
import { RejectedRequest } from '../api/problems.ts';
import { placedAtPath } from '../dialect/body_values.ts';
import type { Pointer } from '../dialect/dialect.ts';
import { UsageError } from '../errors.ts';
import { isJsonObject, type Json, type JsonObject, stringifyJson } from '../json/json.ts';
import { placedAt, setOwn } from '../json/json_template.ts';
import { valueAt } from '../json/pointer.ts';
import type { CompanyQuery } from '../names/query_matching.ts';
import {
  exists,
  fieldsOf,
  type SandboxCompanies,
  type StoredCompany,
} from '../warehouse/sandbox_companies.ts';

/** A catalogue of the sandbox's companies. It also shows the documents that a complete mirror contains. */
export type CompanyCatalogue = ReturnType<typeof companyCatalogue>;

/** Creates a catalogue of the sandbox's companies in one profile's format. */
export function companyCatalogue(store: SandboxCompanies, profile: ApiProfile, now: () => number) {
  if (profile.ids === 'number') rejectOtherIds(store);
  const { record, search, stats, dialect } = profile;
  const documents = companyDocuments(profile);
  const listings = new Listings(store.finder(search.folding, search.order));

  const documentOf = (id: string) => {
    const company = store.get(id);
    if (company === null) return null;
    return { document: documents.recordOf(company), gone: !exists(company) };
  };
  // A page of the sandbox shows the present matches, as pages of a registry do.
  const matchesOf = (query: CompanyQuery) => listings.matches(query, store.version, null);
  const summaryOf = (id: string) => {
    const company = store.get(id);
    return company !== null && exists(company) ? documents.summaryOf(company) : null;
  };
  return {
    matches: matchesOf,
    search(query: CompanyQuery) {
      const matches = matchesOf(query);
      const most = search.results_per_company;
      const all = most === 1 ? null : matches.ids(0, matches.total).flatMap((id) => entriesOf(id, most));
      const entries = (from: number, count: number): readonly Entry[] =>
        all?.slice(from, from + count) ?? matches.ids(from, count).map((id) => ({ id, number: null }));
      return {
        total: all?.length ?? matches.total,
        items: (from: number, count: number) =>
          entries(from, count).map(({ id, number }) => {
            const summary = summaryOf(id) ?? {};
            const item = number === null ? summary : placedAt(summary, '/entry', number);
            return stringifyJson(placedAt({}, dialect.search.item, item));
          }),
      };
    },
    record(id: string) {
      const found = documentOf(id);
      if (found === null && record.missing === 'empty_list')
        return { text: stringifyJson(placedAt({}, dialect.entity.root.replace(/\/0$/, ''), [])) };
      if (found === null) throw new RejectedRequest({ code: 'entity_not_found' });
      if (found.gone && dialect.entity.gone === null)
        throw new RejectedRequest({ code: record.gone === 'gone' ? 'entity_gone' : 'entity_not_found' });
      return {
        text: stringifyJson(placedAt(withFixed({}, record.fixed), dialect.entity.root, found.document)),
      };
    },
    stats() {
      const body = { updated_at: new Date(now()).toISOString(), coverage: { complete: true } };
      const { total } = dialect.stats;
      const complete = withFixed(body, stats.fixed);
      return stringifyJson(total === null ? complete : placedAt(complete, total, store.count()));
    },
    /** Returns a company's record without the envelope around it, or null for an id that never existed. */
    document(id: string) {
      const found = documentOf(id);
      return found === null ? null : { text: stringifyJson(found.document), gone: found.gone };
    },
    /** Returns a company's list item without the wrapper around it, or null for an unknown or deleted company. */
    summary(id: string) {
      const summary = summaryOf(id);
      return summary === null ? null : stringifyJson(summary);
    },
  };
}

/** One search result. A company has several if the profile lists each of its register entries. */
interface Entry {
  readonly id: string;
  /** The register entry's number, counted from 1, or null if the company has only one result. */
  readonly number: number | null;
}

/** Returns between 1 and `most` results for a company. */
function entriesOf(id: string, most: number): Entry[] {
  const count = 1 + ([...id].reduce((sum, character) => sum + character.charCodeAt(0), 0) % most);
  return Array.from({ length: count }, (_, index) => ({ id, number: index + 1 }));
}

function withFixed(body: Json, fixed: Readonly<Record<string, Json>>): Json {
  return Object.entries(fixed).reduce((document, [at, value]) => placedAt(document, at, value), body);
}

/**
 * Rejects ids that the profile cannot represent. All ids are checked at the start, because individual responses would
 * fail otherwise.
 */
function rejectOtherIds(store: SandboxCompanies): void {
  for (const { id } of store.all()) {
    if (isNumericId(id)) continue;
    throw new UsageError(
      `The profile requires ids that are JSON numbers, but the id "${id}" is not a number.`,
      {
        hint: 'Use another --shape, or companies whose ids are digits without a leading zero.',
      },
    );
  }
}

/** Returns functions that write companies as JSON documents in an API profile's format. */
function companyDocuments({ ids, summary, record, dialect }: ApiProfile) {
  const { gone } = dialect.entity;
  const idOf = ids === 'number' ? BigInt : (id: string) => id;
  const document = (company: StoredCompany, fields: JsonObject, at: IdPaths, facts: FieldPaths): Json => {
    const [otherPath = at.id] = at.id_fallbacks;
    const path = /\D/.test(company.id) ? otherPath : at.id;
    const identified = path === null ? {} : placedAtPath({}, path, idOf(company.id));
    const { former_name, fields_at } = facts;
    const before = former_name === null ? identified : placedAt(identified, former_name, FORMER_NAME);
    return withFields(
      at.name === null ? before : placedAtPath(before, at.name, company.name),
      fields_at,
      fields,
    );
  };

  return {
    summaryOf: (company: StoredCompany): Json =>
      document(company, selected(fieldsOf(company), summary.fields), dialect.search, summary),
    /** Returns the record, or the tombstone of a deleted company. */
    recordOf(company: StoredCompany): Json {
      const isGone = !exists(company);
      const fields = isGone ? {} : fieldsOf(company);
      let result = document(company, fields, dialect.entity, record);
      if (isGone) {
        const day = new Date(company.goneAtMs ?? 0).toISOString().slice(0, 10);
        return placedAt(result, gone?.at ?? '/deleted_on', gone?.is ?? day);
      }
      if (gone !== null && record.live !== undefined) result = placedAt(result, gone.at, record.live);
      for (const pointer of dialect.volatile) result = placedAt(result, pointer, randomUUID());
      return result;
    },
  };
}

/** Returns whether the id stays unchanged when it is written and read as a JSON number. */
function isNumericId(id: string): boolean {
  return /^(0|[1-9]\d*)$/.test(id);
}

/** Every company's former name, if the profile has a path for former names. */
const FORMER_NAME = 'Former Name';

type IdPaths = Pick<ApiProfile['dialect']['entity'], 'id' | 'id_fallbacks' | 'name'>;
type FieldPaths = Pick<ApiProfile['record'], 'former_name' | 'fields_at'>;

/** Adds all fields other than id and name. If a field has the same key as the id or the name, the field is dropped. */
function withFields(named: Json, at: Pointer, fields: JsonObject): Json {
  const existing = valueAt(named, at);
  const merged = isJsonObject(existing) ? existing : {};
  for (const [key, value] of Object.entries(fields)) {
    if (!Object.hasOwn(merged, key)) setOwn(merged, key, value);
  }
  return placedAt(named, at, merged);
}

function selected(fields: JsonObject, names: readonly string[] | null): JsonObject {
  if (names === null) return fields;
  const shown: JsonObject = {};
  for (const name of names) {
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (value !== undefined) setOwn(shown, name, value);
  }
  return shown;
}
