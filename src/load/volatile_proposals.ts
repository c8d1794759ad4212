import { recordKeys } from '../dialect/body_values.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { readBody } from '../dialect/response_body.ts';
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts';
import { answerTable } from '../warehouse/answer.ts';
import { unlikeConfirmations } from '../warehouse/answered_calls.ts';
import { pointerFromTop } from '../warehouse/inferred_schema.ts';
import { settledSchema } from '../warehouse/settled_mapping.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import { volatilePaths, withoutVolatile } from './content.ts';
import { differences } from './difference.ts';

/** A field that differs in nearly every refresh, so its changes are meaningless. */
interface VolatileProposal {
  /** The JSON Pointer to add to `dialect.volatile`. */
  readonly pointer: string;
  readonly refreshes: number;
  /** The share of these refreshes in which the field differed, from 0 to 1. */
  readonly share: number;
}

const MIN_REFRESHES = 5;
const MIN_SHARE = 0.9;
const MAX_PAIRS = 50;

/**
 * Proposes volatile fields, based on the refreshes so far. These are fields in records and summaries that nearly always
 * differ, and fields in the envelope that differ although the record is unchanged. Unless the dialect lists these
 * fields, every refresh stores a whole response instead of a reference.
 */
export function proposeVolatile({ db }: Warehouse, dialect: Dialect): VolatileProposal[] {
  const known = new Set(dialect.volatile);
  const proposals = [...changeShares(db), ...envelopeShares(db, dialect)].filter(
    ({ pointer, refreshes, share }) =>
      refreshes >= MIN_REFRESHES && share >= MIN_SHARE && !known.has(pointer),
  );
  return [...new Map(proposals.map((proposal) => [proposal.pointer, proposal])).values()];
}

/** Returns the share of refreshes in which each field in records and summaries differed. */
function changeShares(db: Warehouse['db']): VolatileProposal[] {
  const { tables, roots } = settledSchema(db);
  const changed = [...tables.values()].flatMap(({ columns }) => columns.filter(({ changes }) => changes > 0));
  return changed.map((path) => {
    const refreshes = roots[path.table.resource].compared;
    const share = refreshes === 0 ? 0 : path.changes / refreshes;
    return { pointer: pointerFromTop(path), refreshes, share };
  });
}

/** Returns the fields outside the record that differ between responses with the same record. */
function envelopeShares(db: Warehouse['db'], dialect: Dialect): VolatileProposal[] {
  const responses = answerTable(db);
  const ignored = volatilePaths(dialect.volatile);
  const bodyOf = (callId: number): JsonObject => {
    const stored = responses.read(callId);
    const json =
      stored === null ? undefined : readBody(stored.body, stored.headers['content-type'] ?? '').json;
    return isJsonObject(json) ? withoutRecord(withoutVolatile(json, ignored), dialect.entity.root) : {};
  };
  const { pairs, refreshes } = unlikeConfirmations(db, MAX_PAIRS);
  const times = new Map<string, number>();
  for (const { before, after } of pairs)
    for (const { path } of differences(bodyOf(before), bodyOf(after)))
      times.set(path, (times.get(path) ?? 0) + 1);
  return [...times].map(([pointer, count]) => ({ pointer, refreshes, share: count / refreshes }));
}

function withoutRecord(body: Json, root: string): JsonObject {
  const around = root === '' ? {} : withoutVolatile(body, [recordKeys(root, '*')]);
  return isJsonObject(around) ? around : {};
}
