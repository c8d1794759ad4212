import type { Json, JsonObject } from '../json/json.ts';
import { type LoadResult, noChange } from '../load_result.ts';
import { searchText } from '../names/search_index_text.ts';
import type { Outcome, RecordAnswer } from '../outcome.ts';
import { type Known, type KnownRow, newKnown } from '../warehouse/known_row.ts';
import { changedValue, noteChanges, noteCompared, ratesAfterFetch } from './changes.ts';
import { isSame, withoutVolatile } from './content.ts';
import { type Difference, differences } from './difference.ts';
import { writeRows } from './entity_rows.ts';
import { latestDocument } from './latest_document.ts';
import type { LoadSession } from './load_session.ts';
import { isSameAnswer } from './same_answer.ts';
import { shred } from './shred.ts';

/** A record was received: new, changed, or as stored. */
export function deriveRecord(session: LoadSession, outcome: Outcome, answer: RecordAnswer): LoadResult {
  const known = session.known.find(answer.entityId);
  const stored = known?.recordCallId == null ? null : session.answers.read(known.recordCallId);
  if (known === undefined || known.fetchedAt === null)
    return storeRecord(session, outcome, answer, known, null);
  if (outcome.body !== null && stored?.body.equals(outcome.body))
    return confirmRecord(session, outcome, answer, known, known.recordCallId);

  const before = latestDocument(session, known.entityId);
  const now = withoutVolatile(answer.document, session.ignored);
  if (before === null || !isSame(withoutVolatile(before, session.ignored), now))
    return storeRecord(session, outcome, answer, known, before);
  const isAllTheSame = known.recordCallId !== null && isSameAnswer(session, outcome, known.recordCallId);
  return confirmRecord(session, outcome, answer, known, isAllTheSame ? known.recordCallId : null);
}

/**
 * The upstream sent a tombstone with content. It lies over the record as it was: what it no longer says
 * stays in the columns.
 */
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

/** The upstream still holds what is stored. */
function confirmRecord(
  session: LoadSession,
  outcome: Outcome,
  answer: RecordAnswer,
  known: KnownRow,
  sameAs: number | null,
): LoadResult {
  const at = outcome.sentAt;
  if (known.goneAt === null && known.missingAt === null && known.flaggedAt === null)
    session.known.fetchedAgain(known.knownId, at, ratesAfterFetch(session, known, at, false));
  else {
    noteReturn(session, outcome, known);
    // What ended begins again, with the same content.
    if (known.goneAt !== null) session.versions.add(known.entityId, outcome.callId, at, false);
    const rates = ratesAfterFetch(session, known, at, false);
    session.known.replace(known, { ...known, ...rates, ...seenAlive(at), name: answer.name ?? known.name });
  }
  session.touch.fetchedAgain(answer.entityId, at);
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
  // Another order of a list is no change, but the rows follow it.
  const changed = before === null || found.length > 0;
  if (known !== undefined) noteReturn(session, outcome, known);
  writeVersion(session, outcome, known, {
    document: answer.document,
    found: changed ? found : null,
    isTombstone: false,
    facts: {
      ...seenAlive(outcome.sentAt),
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
  /** null: the content is as before, in another order. */
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
  const changedAt = version.found === null ? (known?.changedAt ?? sentAt) : sentAt;
  const { rows, formerNames, identifiers } = shred(session.schema, session.tables.entity, version.document);
  const after: Known = {
    ...(known ?? newKnown(entityId, sentAt)),
    ...searchText(entityId, formerNames, identifiers),
    askedAt: sentAt,
    fetchedAt: sentAt,
    ...version.facts,
    changedAt,
    recordCallId: callId,
  };
  session.alter();
  if (known === undefined) session.known.add(after);
  else session.known.replace(known, { ...after, knownId: known.knownId });
  const own = [sentAt, changedAt, after.goneAt, callId];
  writeRows(session, { entityId, callId, rows, own, isNew: known?.fetchedAt == null });
  if (version.found === null && known?.goneAt == null) return;
  noteChanges(
    session,
    session.tables.entity,
    { entityId, observedAt: sentAt, notBefore: known?.fetchedAt ?? null, callId },
    version.found ?? [],
  );
  session.versions.add(entityId, callId, sentAt, version.isTombstone);
}

/** A company that was gone, and answers again. */
function noteReturn(session: LoadSession, { callId, sentAt }: Outcome, known: KnownRow): void {
  if (known.goneAt === null) return;
  session.changes.add({
    entityId: known.entityId,
    observedAt: sentAt,
    notBefore: known.askedAt,
    path: '_gone_at',
    before: known.goneAt,
    after: changedValue(null),
    callId,
  });
  session.touch.gone(known.entityId, null);
}

function seenAlive(at: string) {
  return {
    lastSeenAt: at,
    askedAt: at,
    fetchedAt: at,
    flaggedAt: null,
    missingAt: null,
    missingShape: null,
    missingRun: null,
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
  if (call.kind !== 'entity') throw new TypeError('only a call for a record has an entity');
  return call.entityId;
}
