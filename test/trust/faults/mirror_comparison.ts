import type { Database } from 'better-sqlite3';
import { type Json, parseJson, stringifyJson } from '../../../src/json/json.ts';
import { segmentsOf, valueAt } from '../../../src/json/pointer.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { answerTable } from '../../../src/warehouse/answer.ts';
import { exists } from '../../../src/warehouse/sandbox_companies.ts';
import { canonical } from '../../support/equality.ts';

/** The result of comparing the mirror with the current registry. */
export interface MirrorComparison {
  readonly existing: number;
  /** How many existing companies the mirror knows. */
  readonly known: number;
  /** How many records match the upstream's. */
  readonly equal: number;
  /** Describes known companies that differ. */
  readonly differences: readonly string[];
  /** Existing companies that the mirror has marked as gone. */
  readonly falselyGone: readonly string[];
}

export function compareMirror(sandbox: Sandbox, db: Database): MirrorComparison {
  const known = new Map(
    (db.prepare('SELECT entity_id AS id, gone_at AS goneAt FROM _company').all() as KnownRow[]).map((row) => [
      row.id,
      row,
    ]),
  );
  const differences: string[] = [];
  const falselyGone: string[] = [];
  let [existing, listed, equal] = [0, 0, 0];
  const recordOf = recordReader(sandbox, db);
  for (const company of sandbox.companies.all()) {
    const { id } = company;
    const row = known.get(id);
    if (!exists(company)) {
      if (row !== undefined && row.goneAt === null)
        differences.push(`${id}: deleted upstream but not gone in the mirror`);
      continue;
    }
    existing += 1;
    if (row === undefined) continue;
    listed += 1;
    if (row.goneAt !== null) falselyGone.push(`${id}: marked as gone, but exists`);
    const record = recordOf(id);
    if (record === null) differences.push(`${id}: no record`);
    else if (record.mirrored !== record.upstream) differences.push(`${id}: differs`);
    else equal += 1;
  }
  return { existing, known: listed, equal, differences, falselyGone };
}

interface KnownRow {
  readonly id: string;
  readonly goneAt: string | null;
}

function recordReader(sandbox: Sandbox, db: Database) {
  const { entity, volatile } = sandbox.dialect;
  const responses = answerTable(db);
  const callOf = db.prepare<[string], number>('SELECT _call_id FROM entity WHERE entity_id = ?').pluck();
  const plain = (record: Json) => canonical(stringifyJson(volatile.reduce(without, record)));
  return (id: string) => {
    const call = callOf.get(id);
    const response = call === undefined ? null : responses.body(call);
    const upstream = sandbox.catalogue.document(id)?.text;
    if (response === null || upstream === undefined) return null;
    // A byte order mark is not part of the text.
    const body = parseJson(response.toString().replace(/^\uFEFF/, ''));
    return { mirrored: plain(valueAt(body, entity.root) ?? null), upstream: plain(parseJson(upstream)) };
  };
}

/** The record without one volatile field, which must be at the top level. */
function without(record: Json, pointer: string): Json {
  const [key, ...deeper] = segmentsOf(pointer);
  if (key === undefined || deeper.length > 0)
    throw new Error(`The volatile field ${pointer} is not at the top level of the record.`);
  return Object.fromEntries(Object.entries(record as object).filter(([name]) => name !== key));
}
