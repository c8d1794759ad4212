import type { Database } from 'better-sqlite3';
import { type Json, parseJson, stringifyJson } from '../../../src/json/json.ts';
import { segmentsOf, valueAt } from '../../../src/json/pointer.ts';
import { exists } from '../../../src/sandbox/company_store.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { answerTable } from '../../../src/warehouse/answer.ts';
import { canonical } from '../../support/equality.ts';

/** The mirror held against the registry as it is now. */
export interface Holding {
  readonly living: number;
  /** Living companies that the mirror knows. */
  readonly known: number;
  /** Records that are as the upstream tells them. */
  readonly equal: number;
  /** What is known and not as it is: each a sentence. */
  readonly differences: readonly string[];
  /** Companies that exist, and that the mirror has declared gone. */
  readonly falselyGone: readonly string[];
}

export function holdAgainst(sandbox: Sandbox, db: Database): Holding {
  const known = new Map(
    (db.prepare('SELECT entity_id AS id, gone_at AS goneAt FROM _known').all() as KnownRow[]).map((row) => [
      row.id,
      row,
    ]),
  );
  const differences: string[] = [];
  const falselyGone: string[] = [];
  let [living, listed, equal] = [0, 0, 0];
  const recordOf = recordReader(sandbox, db);
  for (const company of sandbox.companies.all()) {
    const { id } = company;
    const row = known.get(id);
    if (!exists(company)) {
      if (row !== undefined && row.goneAt === null)
        differences.push(`${id}: deleted upstream, not gone here`);
      continue;
    }
    living += 1;
    if (row === undefined) continue;
    listed += 1;
    if (row.goneAt !== null) falselyGone.push(`${id}: declared gone, and it exists`);
    const record = recordOf(id);
    if (record === null) differences.push(`${id}: no record`);
    else if (record.mine !== record.theirs) differences.push(`${id}: differs`);
    else equal += 1;
  }
  return { living, known: listed, equal, differences, falselyGone };
}

interface KnownRow {
  readonly id: string;
  readonly goneAt: string | null;
}

function recordReader(sandbox: Sandbox, db: Database) {
  const { record: place } = sandbox.profile;
  const answers = answerTable(db);
  const callOf = db.prepare<[string], number>('SELECT _call_id FROM entity WHERE entity_id = ?').pluck();
  const plain = (record: Json) => canonical(stringifyJson(place.volatile.reduce(without, record)));
  return (id: string) => {
    const call = callOf.get(id);
    const answer = call === undefined ? null : answers.body(call);
    const theirs = sandbox.catalogue.record(id)?.text;
    if (answer === null || theirs === undefined) return null;
    // A byte order mark is no part of the text.
    const body = parseJson(answer.toString().replace(/^\uFEFF/, ''));
    return { mine: plain(valueAt(body, place.root) ?? null), theirs: plain(parseJson(theirs)) };
  };
}

/** The record without one of its volatile places, which stand at its top. */
function without(record: Json, pointer: string): Json {
  const [key, ...deeper] = segmentsOf(pointer);
  if (key === undefined || deeper.length > 0) throw new Error(`not at the top of the record: ${pointer}`);
  return Object.fromEntries(Object.entries(record as object).filter(([name]) => name !== key));
}
