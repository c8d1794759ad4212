import type { Database } from 'better-sqlite3';
import { isJsonObject, type Json, parseJson, stringifyJson } from '../../src/json/json.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';

export interface Comparison {
  readonly upstream: number;
  readonly listed: number;
  readonly records: number;
  /** At most ten ids of missing or different records, each with the reason. */
  readonly differences: readonly string[];
}

/** Compares the mirror's stored responses with the upstream's records, field by field. */
export function compareWithUpstream(db: Database, sandbox: Sandbox): Comparison {
  const responseOf = db.prepare<[string], { body: Buffer; encoding: string | null }>(
    `SELECT b.body, b.encoding FROM entity e JOIN _answer a ON a.call_id = e._call_id
     JOIN _answer b ON b.call_id = coalesce(a.same_as, a.call_id) WHERE e.entity_id = ?`,
  );
  const differences: string[] = [];
  let upstream = 0;
  for (const { id } of sandbox.companies.all()) {
    upstream += 1;
    if (differences.length >= 10) continue;
    const expected = sandbox.catalogue.record(id)?.text;
    const response = responseOf.get(id);
    if (response === undefined) differences.push(`${id}: no record`);
    else if (expected !== undefined && canonical(response.body.toString()) !== canonical(expected.toString()))
      differences.push(`${id}: differs`);
  }
  return {
    upstream,
    listed: db.prepare('SELECT count(*) FROM search_result').pluck().get() as number,
    records: db.prepare('SELECT count(*) FROM entity WHERE _gone_at IS NULL').pluck().get() as number,
    differences,
  };
}

/** Returns JSON with sorted keys, in which numbers keep all their digits. */
export function canonical(text: string): string {
  return stringifyJson(sorted(parseJson(text)));
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}
