import type { ApiProfile } from '../api/api_profile.ts';
import type { Pointer } from '../dialect/dialect.ts';
import { isJsonObject, type Json, type JsonObject, parseJson, stringifyJson } from '../json/json.ts';
import { placedAt, setOwn } from '../json/json_template.ts';
import { valueAt } from '../json/pointer.ts';
import type { StoredCompany } from './company_store.ts';

/** How the shape words one company: as a list item, as a record, and as what is left of a deleted one. */
export interface Wording {
  summaryOf(company: StoredCompany): string;
  recordOf(company: StoredCompany): string;
  tombstoneOf(company: StoredCompany, deletedAtMs: number): string;
}

export function wordingOf(profile: ApiProfile): Wording {
  const idOf = profile.ids === 'number' ? BigInt : (id: string) => id;
  const document = (company: StoredCompany, fields: JsonObject, at: Places): Json => {
    const named = placedAt(placedAt({}, at.id, idOf(company.id)), at.name, company.name);
    return withFields(named, at.fields_at, fields);
  };

  return {
    summaryOf(company) {
      const shown = chosen(fieldsOf(company), profile.summary.fields);
      return stringifyJson(document(company, shown, profile.summary));
    },
    recordOf(company) {
      let worded = document(company, fieldsOf(company), profile.record);
      if (profile.gone.live !== undefined) worded = placedAt(worded, profile.gone.at, profile.gone.live);
      for (const pointer of profile.record.volatile) worded = placedAt(worded, pointer, VOLATILE);
      return stringifyJson(worded);
    },
    tombstoneOf(company, deletedAtMs) {
      const day = new Date(deletedAtMs).toISOString().slice(0, 10);
      return stringifyJson(
        placedAt(document(company, {}, profile.record), profile.gone.at, profile.gone.is ?? day),
      );
    },
  };
}

/** Can it be written as a JSON number and read back as the same text? */
export function isNumericId(id: string): boolean {
  return /^(0|[1-9]\d*)$/.test(id);
}

interface Places {
  readonly id: Pointer;
  readonly name: Pointer;
  readonly fields_at: Pointer;
}

/** Fills the volatile places of a record, where it has any. */
export function withVolatile(text: string, value: string): string {
  return text.includes(VOLATILE) ? text.replaceAll(VOLATILE, value) : text;
}

// Long enough to stand in no company's name.
const VOLATILE = '\u{10FFFD}volatile\u{10FFFD}';

function fieldsOf(company: StoredCompany): JsonObject {
  const fields = parseJson(company.fieldsText);
  return isJsonObject(fields) ? fields : {};
}

/** The fields beside id and name; a field of the same key gives way to them. */
function withFields(named: Json, at: Pointer, fields: JsonObject): Json {
  const existing = valueAt(named, at);
  const merged = isJsonObject(existing) ? existing : {};
  for (const [key, value] of Object.entries(fields)) {
    if (!Object.hasOwn(merged, key)) setOwn(merged, key, value);
  }
  return placedAt(named, at, merged);
}

function chosen(fields: JsonObject, names: readonly string[] | null): JsonObject {
  if (names === null) return fields;
  const shown: JsonObject = {};
  for (const name of names) {
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (value !== undefined) setOwn(shown, name, value);
  }
  return shown;
}
