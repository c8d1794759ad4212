import type { Dialect } from '../dialect/dialect.ts';
import { readBody } from '../dialect/response_body.ts';
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts';
import { segmentsOf } from '../json/pointer.ts';
import { answerTable } from '../warehouse/answer.ts';
import { changeShares, unlikeConfirmations } from '../warehouse/refreshes.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import { volatilePlaces, withoutVolatile } from './content.ts';
import { differences } from './difference.ts';

/** A place that differs in nearly every refresh: its change is hardly a change. */
export interface VolatileProposal {
  /** For `dialect.volatile`. */
  readonly pointer: string;
  readonly refreshes: number;
  /** Of these refreshes, in how many it differed. */
  readonly share: number;
}

const LEAST_REFRESHES = 5;
const LEAST_SHARE = 0.9;
const SAMPLE = 50;

/**
 * What the refreshes so far suggest to ignore: fields of records and summaries that always differ, and what
 * differs around records that did not change (then every refresh stores a whole answer instead of a reference).
 */
export function proposeVolatile({ db }: Warehouse, dialect: Dialect): VolatileProposal[] {
  const known = new Set(dialect.volatile);
  const proposals = [...changeShares(db), ...envelopeShares(db, dialect)].filter(
    ({ pointer, refreshes, share }) =>
      refreshes >= LEAST_REFRESHES && share >= LEAST_SHARE && !known.has(pointer),
  );
  return [...new Map(proposals.map((proposal) => [proposal.pointer, proposal])).values()];
}

/** Confirmed records whose answer was not like the one before: where do the bodies differ? */
function envelopeShares(db: Warehouse['db'], dialect: Dialect): VolatileProposal[] {
  const answers = answerTable(db);
  const ignored = volatilePlaces(dialect.volatile);
  const bodyOf = (callId: number): JsonObject => {
    const stored = answers.read(callId);
    const json =
      stored === null ? undefined : readBody(stored.body, stored.headers['content-type'] ?? '').json;
    return isJsonObject(json) ? withoutRecord(withoutVolatile(json, ignored), dialect.entity.root) : {};
  };
  const { pairs, refreshes } = unlikeConfirmations(db, SAMPLE);
  const times = new Map<string, number>();
  for (const { before, after } of pairs)
    for (const { path } of differences(bodyOf(before), bodyOf(after)))
      times.set(path, (times.get(path) ?? 0) + 1);
  return [...times].map(([pointer, count]) => ({ pointer, refreshes, share: count / refreshes }));
}

function withoutRecord(body: Json, root: string): JsonObject {
  const around = root === '' ? {} : withoutVolatile(body, [segmentsOf(root)]);
  return isJsonObject(around) ? around : {};
}
