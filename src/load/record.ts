import type { Json, JsonObject } from '../json/json.ts';
import { type LoadResult, noChange } from '../load_result.ts';
import { searchText } from '../names/search_index_text.ts';
import type { Outcome, RecordAnswer } from '../outcome.ts';
import { addVersion } from '../warehouse/company_history.ts';
import { type Known, type KnownRow, newKnown } from '../warehouse/known.ts';
import { setTime, storedVersion } from '../warehouse/payload.ts';
import { changedValue, noteChanges, noteCompared, ratesAfterFetch } from './changes.ts';
import { isSame, withoutVolatile } from './content.ts';
import { type Difference, differences } from './difference.ts';
import { writeRows } from './entity_rows.ts';
import type { LoadSession } from './load_session.ts';
import { shred } from './shred.ts';
import { isSameResponse, latestDocument } from './stored_response.ts';

/** Loads a record, which can be new, changed or unchanged. */
export function deriveRecord(session: LoadSession, outcome: Outcome, answer: RecordAnswer): LoadResult {
  const known = session.known.find(answer.entityId);
  if (known === undefined || known.fetchedAt === null)
    return storeRecord(session, outcome, answer, known, null);
  const recordCallId = storedVersion(session.db, known.entityId)?.callId ?? null;
  const stored = recordCallId === null ? null : session.responses.read(recordCallId);
  if (outcome.body !== null && stored?.body.equals(outcome.body))
    return confirmRecord(session, outcome, answer, known, recordCallId);

  const before = latestDocument(session, known.entityId);
  const now = withoutVolatile(answer.document, session.ignored);
  if (before === null || !isSame(withoutVolatile(before, session.ignored), now))
    return storeRecord(session, outcome, answer, known, before);
  const isSameBody = recordCallId !== null && isSameResponse(session, outcome, recordCallId);
  return confirmRecord(session, outcome, answer, known, isSameBody ? recordCallId : null);
}

/** Loads a tombstone with content. Its fields replace those in the last version. Missing fields keep their values. */
export function storeTombstone(
  session: LoadSession,
  outcome: Outcome,
  answer: RecordAnswer,
  known: KnownRow | undefined,
): void {
  const before = known?.fetchedAt == null ? null : latestDocument(session, known.entityId);
  const document: JsonObject = { ...before, ...answer.document };
  writeVersion(session, outcome, known, {
    document,
    found: before === null ? [] : compare(session, before, document),
    isTombstone: true,
    facts: { name: answer.name ?? known?.name ?? null },
  });
}

/** Records a fetch that returned an unchanged record. */
function confirmRecord(
  session: LoadSession,
  outcome: Outcome,
  answer: RecordAnswer,
  known: KnownRow,
  sameAs: number | null,
): LoadResult {
  const at = outcome.sentAt;
  noteReturn(session, outcome, known);
  // If the entity has returned, a new version with the same content starts.
  if (known.goneAt !== null) addVersion(session.db, known.entityId, outcome.callId, false);
  const rates = ratesAfterFetch(session, known, at, false);
  const name = answer.name ?? known.name;
  session.known.replace({ ...known, ...rates, ...existingAt(at), name });
  setTime(session.db, '_fetched_at', answer.entityId, at);
  noteCompared(session, session.tables.entity);
  return { ...noChange(outcome), record: { isNew: false, changed: false }, sameAs };
}

function storeRecord(
  session: LoadSession,
  outcome: Outcome,
  answer: RecordAnswer,
  known: KnownRow | undefined,
  before: JsonObject | null,
): LoadResult {
  const found = before === null ? [] : compare(session, before, answer.document);
  // A list in a different order is not a change, but its rows are written in the new order.
  const changed = before === null || found.length > 0;
  if (known !== undefined) noteReturn(session, outcome, known);
  writeVersion(session, outcome, known, {
    document: answer.document,
    found: changed ? found : null,
    isTombstone: false,
    facts: {
      ...existingAt(outcome.sentAt),
      ...(known !== undefined && ratesAfterFetch(session, known, outcome.sentAt, changed)),
      name: answer.name ?? known?.name ?? null,
    },
  });
  return {
    ...noChange(outcome),
    record: { isNew: known?.fetchedAt == null, changed },
    newCompanies: known === undefined ? 1 : 0,
  };
}

interface Version {
  readonly document: JsonObject;
  /** Null if only the content's order has changed. */
  readonly found: readonly Difference[] | null;
  readonly isTombstone: boolean;
  readonly facts: Partial<Known>;
}

function writeVersion(
  session: LoadSession,
  outcome: Outcome,
  known: KnownRow | undefined,
  version: Version,
): void {
  const { callId, sentAt } = outcome;
  const entityId = known?.entityId ?? entityOf(outcome);
  const changedAt =
    version.found === null ? (storedVersion(session.db, entityId)?.changedAt ?? sentAt) : sentAt;
  const { rows, formerNames, identifiers } = shred(session.schema, session.tables.entity, version.document);
  const after: Known = {
    ...(known ?? newKnown(entityId, sentAt)),
    ...searchText(entityId, formerNames, identifiers),
    askedAt: sentAt,
    fetchedAt: sentAt,
    ...version.facts,
  };
  const isNew = known?.fetchedAt == null;
  const own = [sentAt, changedAt, after.goneAt, callId];
  after.recordVersion = writeRows(session, { entityId, callId, rows, own, isNew });
  if (known === undefined) session.known.add(after);
  else session.known.replace({ ...after, knownId: known.knownId });
  if (version.found === null && known?.goneAt == null) return;
  noteChanges(
    session,
    session.tables.entity,
    { entityId, observedAt: sentAt, notBefore: known?.fetchedAt ?? null, callId },
    version.found ?? [],
  );
  addVersion(session.db, entityId, callId, version.isTombstone);
}

/** Records that a gone company has returned. */
function noteReturn(session: LoadSession, { callId, sentAt }: Outcome, known: KnownRow): void {
  if (known.goneAt === null) return;
  session.addChange({
    entityId: known.entityId,
    observedAt: sentAt,
    notBefore: known.askedAt,
    path: '_gone_at',
    columnName: '_gone_at',
    before: known.goneAt,
    after: changedValue(null),
    callId,
  });
  setTime(session.db, '_gone_at', known.entityId, null);
}

function existingAt(at: string) {
  return {
    askedAt: at,
    fetchedAt: at,
    flaggedAt: null,
    missingAt: null,
    missingShape: null,
    missingRun: null,
    missingCall: null,
    goneAt: null,
  } satisfies Partial<Known>;
}

function compare(session: LoadSession, before: Json, after: Json): Difference[] {
  return differences(
    withoutVolatile(before, session.ignored) as JsonObject,
    withoutVolatile(after, session.ignored) as JsonObject,
  );
}

function entityOf({ call }: Outcome): string {
  if (call.kind !== 'entity') throw new TypeError('only an entity call has an entity id');
  return call.entityId;
}
