import type { ApiProfile } from '../api/api_profile.ts';
import { placedAtPath } from '../dialect/body_values.ts';
import type { Pointer } from '../dialect/dialect.ts';
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts';
import { placedAt, setOwn } from '../json/json_template.ts';
import { valueAt } from '../json/pointer.ts';
import { exists, fieldsOf, type StoredCompany } from '../warehouse/sandbox_companies.ts';

/** Writes companies as JSON documents in an API profile's format. */
interface CompanyDocuments {
  summaryOf(company: StoredCompany): Json;
  /** Returns the record, or the tombstone of a deleted company. */
  recordOf(company: StoredCompany): Json;
}

/** `volatileValue` returns another value for each record, for the fields that differ in every response. */
export function companyDocuments(
  { ids, summary, record, dialect }: ApiProfile,
  volatileValue: () => string,
): CompanyDocuments {
  const { gone } = dialect.entity;
  const idOf = ids === 'number' ? BigInt : (id: string) => id;
  const document = (company: StoredCompany, fields: JsonObject, at: IdPaths, facts: FieldPaths): Json => {
    const [otherPath = at.id] = at.id_fallbacks;
    const identified = placedAtPath({}, /\D/.test(company.id) ? otherPath : at.id, idOf(company.id));
    const { former_name, fields_at } = facts;
    const before = former_name === null ? identified : placedAt(identified, former_name, FORMER_NAME);
    return withFields(
      at.name === null ? before : placedAtPath(before, at.name, company.name),
      fields_at,
      fields,
    );
  };

  return {
    summaryOf: (company) =>
      document(company, selected(fieldsOf(company), summary.fields), dialect.search, summary),
    recordOf(company) {
      const isGone = !exists(company);
      const fields = isGone ? {} : fieldsOf(company);
      let result = document(company, fields, dialect.entity, record);
      if (isGone) {
        const day = new Date(company.goneAtMs ?? 0).toISOString().slice(0, 10);
        return placedAt(result, gone?.at ?? '/deleted_on', gone?.is ?? day);
      }
      if (gone !== null && record.live !== undefined) result = placedAt(result, gone.at, record.live);
      for (const pointer of dialect.volatile) result = placedAt(result, pointer, volatileValue());
      return result;
    },
  };
}

/** Returns whether the id stays unchanged when it is written and read as a JSON number. */
export function isNumericId(id: string): boolean {
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
