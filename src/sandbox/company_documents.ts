import type { ApiProfile } from '../api/api_profile.ts';
import type { Pointer } from '../dialect/dialect.ts';
import { isJsonObject, type Json, type JsonObject, stringifyJson } from '../json/json.ts';
import { placedAt, setOwn } from '../json/json_template.ts';
import { valueAt } from '../json/pointer.ts';
import { fieldsOf, type StoredCompany } from './company_store.ts';

/** Writes companies as JSON text in an API profile's format. */
export interface CompanyDocuments {
  summaryOf(company: StoredCompany): string;
  recordOf(company: StoredCompany): string;
  tombstoneOf(company: StoredCompany, deletedAtMs: number): string;
}

export function companyDocuments(profile: ApiProfile): CompanyDocuments {
  const idOf = profile.ids === 'number' ? BigInt : (id: string) => id;
  const document = (company: StoredCompany, fields: JsonObject, at: DocumentPaths): Json => {
    const idPath = at.other_id !== null && /\D/.test(company.id) ? at.other_id : at.id;
    const identified = placedAt({}, idPath, idOf(company.id));
    const before = at.former_name === null ? identified : placedAt(identified, at.former_name, FORMER_NAME);
    const named = placedAt(before, at.name, company.name);
    return withFields(named, at.fields_at, fields);
  };

  return {
    summaryOf(company) {
      const shown = selected(fieldsOf(company), profile.summary.fields);
      return stringifyJson(document(company, shown, profile.summary));
    },
    recordOf(company) {
      let record = document(company, fieldsOf(company), profile.record);
      if (profile.gone.live !== undefined) record = placedAt(record, profile.gone.at, profile.gone.live);
      for (const pointer of profile.record.volatile) record = placedAt(record, pointer, VOLATILE);
      return stringifyJson(record);
    },
    tombstoneOf(company, deletedAtMs) {
      const day = new Date(deletedAtMs).toISOString().slice(0, 10);
      return stringifyJson(
        placedAt(document(company, {}, profile.record), profile.gone.at, profile.gone.is ?? day),
      );
    },
  };
}

/** Returns whether the id stays unchanged when it is written and read as a JSON number. */
export function isNumericId(id: string): boolean {
  return /^(0|[1-9]\d*)$/.test(id);
}

/** Every company's former name, if the profile has a path for former names. */
const FORMER_NAME = 'Former Name';

interface DocumentPaths {
  readonly id: Pointer;
  readonly other_id: Pointer | null;
  readonly former_name: Pointer | null;
  readonly name: Pointer;
  readonly fields_at: Pointer;
}

/** Replaces the placeholder for volatile fields in a record's text with a value. */
export function withVolatile(text: string, value: string): string {
  return text.includes(VOLATILE) ? text.replaceAll(VOLATILE, value) : text;
}

// A placeholder that occurs in no company.
const VOLATILE = '\u{10FFFD}volatile\u{10FFFD}';

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
