import type { Database } from 'better-sqlite3';
import { isJsonObject, type Json, parseJson, stringifyJson } from '../../src/json/json.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { answerTable } from '../../src/warehouse/answer.ts';

export interface Comparison {
  readonly upstream: number;
  readonly listed: number;
  readonly records: number;
  /** At most ten ids of missing or different records, each with the reason. */
  readonly differences: readonly string[];
}

/** Compares the mirror's stored responses with the upstream's records, field by field. */
export function compareWithUpstream(db: Database, sandbox: Sandbox): Comparison {
  const answers = answerTable(db);
  const callOf = db.prepare<[string], number>('SELECT _call_id FROM entity WHERE entity_id = ?').pluck();
  const differences: string[] = [];
  let upstream = 0;
  for (const { id } of sandbox.companies.all()) {
    upstream += 1;
    if (differences.length >= 10) continue;
    const expected = sandbox.catalogue.document(id)?.text;
    const response = answers.body(callOf.get(id) ?? 0);
    if (response === null) differences.push(`${id}: no record`);
    else if (expected !== undefined && canonical(response.toString()) !== canonical(expected))
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
