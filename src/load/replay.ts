import { openClassify } from '../dialect/classify.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { DEFAULT_MAPPING, type Mapping } from '../dialect/mapping.ts';
import type { Outcome, Verdict } from '../outcome.ts';
import { callsInOrder, type StoredCall } from '../warehouse/call.ts';
import { DEFAULT_LIMITS } from '../warehouse/inferred_schema.ts';
import { type Quarantined, quarantineRegister } from '../warehouse/quarantine.ts';
import { live } from '../warehouse/table_naming.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import { derive } from './derive.ts';
import { type LoadSession, openLoadSession } from './load_session.ts';
import { enterRun, outcomeOfStored } from './stored.ts';

/** What came of one entry. */
export interface Replayed {
  readonly quarantineId: number;
  /** replayed: it is in the tables now; superseded: newer content is there; open: still not understood, and why. */
  readonly state: 'replayed' | 'superseded' | 'open';
  readonly why: string | null;
}

/**
 * Reads quarantined answers again by today's dialect, in the order in which they came, without a call. Never
 * puts older content over newer. The caller holds the warehouse's lock.
 */
export function replayQuarantined(options: {
  readonly warehouse: Warehouse;
  readonly dialect: Dialect;
  readonly mapping?: Mapping;
  readonly entries: readonly Quarantined[];
}): Replayed[] {
  const { warehouse, dialect, mapping = DEFAULT_MAPPING, entries } = options;
  const limits = { ...DEFAULT_LIMITS, columns: mapping.max_columns };
  const session = openLoadSession({ warehouse, dialect, runId: 0, naming: live, mapping, limits });
  const classify = openClassify(dialect);
  const register = quarantineRegister(warehouse.db);
  const callAfter = callsInOrder(warehouse.db);
  const byCall = [...Map.groupBy(entries, ({ callId }) => callId)].sort(([a], [b]) => a - b);

  return warehouse.write(() => {
    const replayed = byCall.flatMap(([callId, some]) => {
      const [row] = callAfter(callId - 1, 1);
      return row?.callId === callId
        ? replayCall(row, some)
        : some.map((entry) => open(entry, 'its call is missing'));
    });
    session.save();
    for (const { quarantineId, state } of replayed)
      if (state !== 'open') register.setState(quarantineId, state);
    return replayed;
  });

  function replayCall(row: StoredCall, some: readonly Quarantined[]): Replayed[] {
    const outcome = outcomeOfStored(session, classify, row);
    const { body, status, verdict } = outcome;
    if (body === null || status === null)
      return some.map((entry) => open(entry, 'its response is no longer stored'));
    if (verdict.is === 'broken') return some.map((entry) => open(entry, verdict.why));
    if (isOutdated(session, outcome))
      return some.map(({ quarantineId }) => ({ quarantineId, state: 'superseded', why: null }));
    enterRun(session, row.runId);
    derive(session, { ...outcome, verdict: withoutNewer(session, outcome) });
    return some.map((entry) => outcomeOf(entry, verdict));
  }
}

function outcomeOf(entry: Quarantined, verdict: Verdict): Replayed {
  const rejected = verdict.is === 'ok' && verdict.answer.kind === 'search' ? verdict.answer.rejected : [];
  // An entry without a position covers many results, and may cover this one.
  const still = rejected.find(({ position }) => position === null || position === entry.position);
  return still === undefined
    ? { quarantineId: entry.quarantineId, state: 'replayed', why: null }
    : open(entry, still.why);
}

/** The record was fetched again since, or forgotten. */
function isOutdated(session: LoadSession, { call, sentAt }: Outcome): boolean {
  if (call.kind !== 'entity') return false;
  const fetchedAt = session.known.find(call.entityId)?.fetchedAt ?? null;
  return (fetchedAt !== null && fetchedAt > sentAt) || session.forgotten.has(call.entityId);
}

/** Companies of an old page that were listed again since are left as they are. */
function withoutNewer(session: LoadSession, { sentAt, verdict }: Outcome): Verdict {
  if (verdict.is !== 'ok' || verdict.answer.kind !== 'search') return verdict;
  const rows = verdict.answer.rows.filter(({ entityId }) => {
    const listedAt = session.known.find(entityId)?.listedAt ?? null;
    return listedAt === null || listedAt <= sentAt;
  });
  return { is: 'ok', answer: { ...verdict.answer, rows } };
}

function open({ quarantineId }: Quarantined, why: string): Replayed {
  return { quarantineId, state: 'open', why };
}
