import { openClassify } from '../dialect/classify.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { DEFAULT_MAPPING, type Mapping } from '../dialect/mapping.ts';
import type { Outcome, Verdict } from '../outcome.ts';
import { callsInOrder, type StoredCall } from '../warehouse/call.ts';
import { type Quarantined, setQuarantineState } from '../warehouse/quarantine.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import { derive } from './derive.ts';
import { LoadSession } from './load_session.ts';
import { outcomeOfStored } from './stored_attempt.ts';

/** The result of replaying one quarantine entry. */
export interface Replayed {
  readonly quarantineId: number;
  /**
   * - `replayed`: the response was loaded.
   * - `superseded`: newer content had already been loaded.
   * - `open`: the response still cannot be processed, for the reason in `why`.
   */
  readonly state: 'replayed' | 'superseded' | 'open';
  readonly why: string | null;
}

/**
 * Processes quarantined responses again with the current dialect, in the order of their calls. Makes no calls and never
 * replaces newer content with older content. The caller must hold the warehouse's lock.
 */
export function replayQuarantined(options: {
  readonly warehouse: Warehouse;
  readonly dialect: Dialect;
  readonly mapping?: Mapping;
  readonly entries: readonly Quarantined[];
}): Replayed[] {
  const { warehouse, dialect, mapping = DEFAULT_MAPPING, entries } = options;
  const session = new LoadSession({ warehouse, dialect, runId: 0, mapping });
  const classify = openClassify(dialect, session.meta.get('entity_url'));
  const byCall = [...Map.groupBy(entries, ({ callId }) => callId)].sort(([a], [b]) => a - b);

  return warehouse.write(() => {
    const replayed = byCall.flatMap(([callId, ofCall]) => {
      const [row] = callsInOrder(warehouse.db, callId - 1, 1);
      return row?.callId === callId
        ? replayCall(row, ofCall)
        : ofCall.map((entry) => open(entry, 'its call is missing'));
    });
    session.save();
    for (const { quarantineId, state } of replayed)
      if (state !== 'open') setQuarantineState(warehouse.db, quarantineId, state);
    return replayed;
  });

  function replayCall(row: StoredCall, ofCall: readonly Quarantined[]): Replayed[] {
    const outcome = outcomeOfStored(session, classify, row);
    const { body, status, verdict } = outcome;
    if (body === null || status === null)
      return ofCall.map((entry) => open(entry, 'its response is no longer stored'));
    if (verdict.is === 'broken') return ofCall.map((entry) => open(entry, verdict.why));
    if (isOutdated(session, outcome))
      return ofCall.map(({ quarantineId }) => ({ quarantineId, state: 'superseded', why: null }));
    session.enterRun(row.runId);
    derive(session, { ...outcome, verdict: withoutNewer(session, outcome) });
    return ofCall.map((entry) => resultOf(entry, verdict));
  }
}

function resultOf(entry: Quarantined, verdict: Verdict): Replayed {
  const rejected = verdict.is === 'ok' && verdict.answer.kind === 'search' ? verdict.answer.rejected : [];
  // A rejection without a position covers many results, possibly including this entry's.
  const rejection = rejected.find(({ position }) => position === null || position === entry.position);
  return rejection === undefined
    ? { quarantineId: entry.quarantineId, state: 'replayed', why: null }
    : open(entry, rejection.why);
}

/** Returns whether the record was fetched again later, or the company was forgotten. */
function isOutdated(session: LoadSession, { call, sentAt }: Outcome): boolean {
  if (call.kind !== 'entity') return false;
  const fetchedAt = session.known.find(call.entityId)?.fetchedAt ?? null;
  return (fetchedAt !== null && fetchedAt > sentAt) || session.forgotten.has(call.entityId);
}

/** Removes companies from an old page if a newer page has listed them. */
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
