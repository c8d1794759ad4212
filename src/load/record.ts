import type { Json, JsonObject } from '../dialect/json.ts';
import type { RecordAnswer } from '../outcome.ts';
import { type Known, type KnownRow, newKnown } from '../warehouse/known_row.ts';
import type { Books } from './books.ts';
import { changedValue, noteChanges, noteCompared } from './changes.ts';
import { bytesHash, contentHash, withoutVolatile } from './content.ts';
import { type Difference, differences } from './difference.ts';
import { type Answered, type Effect, NO_EFFECT } from './effect.ts';
import { latestDocument } from './history.ts';
import { writeRows } from './rows.ts';
import { isSameAnswer } from './same_answer.ts';
import { searchText } from './search_text.ts';
import { shred } from './shred.ts';

/** A record was answered: new, changed, or as it was. */
export function deriveRecord(books: Books, answered: Answered, answer: RecordAnswer): Effect {
  const known = books.known.find(answer.entityId);
  const hash = hashOf(books, answered, answer);
  return known?.recordHash?.equals(hash) === true
    ? confirmRecord(books, answered, answer, known)
    : storeRecord(books, answered, answer, known, hash);
}

/**
 * The upstream sent a tombstone with content. It lies over the record as it was: what it no longer says
 * stays in the columns.
 */
export function storeTombstone(
  books: Books,
  answered: Answered,
  answer: RecordAnswer,
  known: KnownRow | undefined,
): void {
  const before = documentBefore(books, known);
  const document: JsonObject = { ...before, ...answer.document };
  writeVersion(books, answered, known, {
    document,
    found: before === null ? [] : compare(books, before, document),
    isTombstone: true,
    facts: { name: answer.name ?? known?.name ?? null, recordHash: null },
  });
}

/** Where the record is the whole body and nothing in it is volatile, its bytes say as much and cost less. */
function hashOf({ dialect, ignored }: Books, { body }: Answered, { document }: RecordAnswer): Buffer {
  const isPlain = body !== null && dialect.entity.root === '' && ignored.length === 0;
  return isPlain ? bytesHash(body) : contentHash(document, ignored);
}

/** The upstream still holds what is stored. */
function confirmRecord(books: Books, answered: Answered, answer: RecordAnswer, known: KnownRow): Effect {
  const at = answered.sentAt;
  if (known.goneAt === null && known.missingAt === null && known.flaggedAt === null)
    books.known.fetchedAgain(known.knownId, at);
  else {
    noteReturn(books, answered, known);
    books.known.replace(known, { ...known, ...seenAlive(at), name: answer.name ?? known.name });
  }
  books.touch.fetchedAgain(answer.entityId, at);
  noteCompared(books, books.tables.entity);
  const stored = known.recordCallId;
  const sameAs = stored !== null && isSameAnswer(books, answered, stored) ? stored : null;
  return { ...NO_EFFECT, record: { isNew: false, changed: false }, sameAs };
}

function storeRecord(
  books: Books,
  answered: Answered,
  answer: RecordAnswer,
  known: KnownRow | undefined,
  recordHash: Buffer,
): Effect {
  const before = documentBefore(books, known);
  const found = before === null ? [] : compare(books, before, answer.document);
  // Another order of keys, or of a list, is another hash and no change.
  const changed = before === null || found.length > 0;
  if (known !== undefined) noteReturn(books, answered, known);
  writeVersion(books, answered, known, {
    document: answer.document,
    found: changed ? found : null,
    isTombstone: false,
    facts: { ...seenAlive(answered.sentAt), name: answer.name ?? known?.name ?? null, recordHash },
  });
  return {
    ...NO_EFFECT,
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

function writeVersion(books: Books, answered: Answered, known: KnownRow | undefined, version: Version): void {
  const { callId, sentAt } = answered;
  const entityId = known?.entityId ?? entityOf(answered);
  const changedAt = version.found === null ? (known?.changedAt ?? sentAt) : sentAt;
  const { rows, formerNames, identifiers } = shred(books.shape, books.tables.entity, version.document);
  const after: Known = {
    ...(known ?? newKnown(entityId, sentAt)),
    ...searchText(entityId, formerNames, identifiers),
    askedAt: sentAt,
    fetchedAt: sentAt,
    ...version.facts,
    changedAt,
    recordCallId: callId,
  };
  books.alter();
  if (known === undefined) books.known.add(after);
  else books.known.replace(known, { ...after, knownId: known.knownId });
  const own = [sentAt, changedAt, after.goneAt, callId];
  writeRows(books, { entityId, callId, rows, own, isNew: known?.fetchedAt == null });
  if (version.found === null) return;
  noteChanges(
    books,
    books.tables.entity,
    { entityId, observedAt: sentAt, notBefore: known?.fetchedAt ?? null, callId },
    version.found,
  );
  books.versions.add(entityId, callId, sentAt, version.isTombstone);
}

/** A company that was gone, and answers again. */
function noteReturn(books: Books, { callId, sentAt }: Answered, known: KnownRow): void {
  if (known.goneAt === null) return;
  books.changes.add({
    entityId: known.entityId,
    observedAt: sentAt,
    notBefore: known.askedAt,
    path: '_gone_at',
    before: known.goneAt,
    after: changedValue(null),
    callId,
  });
  books.touch.gone(known.entityId, null);
  books.versions.add(known.entityId, callId, sentAt, false);
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

function documentBefore(books: Books, known: KnownRow | undefined): JsonObject | null {
  return known?.fetchedAt == null ? null : latestDocument(books, known.entityId);
}

function compare(books: Books, before: Json, after: Json): Difference[] {
  return differences(
    withoutVolatile(before, books.ignored) as JsonObject,
    withoutVolatile(after, books.ignored) as JsonObject,
  );
}

function entityOf({ call }: Answered): string {
  if (call.kind !== 'entity') throw new TypeError('only a call for a record has an entity');
  return call.entityId;
}
