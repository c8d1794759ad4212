import { type Call, targetOf } from '../call.ts';
import { isoTime } from '../clock.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { DEFAULT_MAPPING, type Mapping } from '../dialect/mapping.ts';
import { type Outcome, type Verdict, wasSent } from '../outcome.ts';
import type { Failure, News } from '../plan/knowledge.ts';
import { callTable } from '../warehouse/call.ts';
import { settleMapping } from '../warehouse/mapping.ts';
import { live } from '../warehouse/naming.ts';
import { type RunCounts, runCounter } from '../warehouse/run.ts';
import { DEFAULT_LIMITS, type ShapeLimits } from '../warehouse/shape.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import { openBooks } from './books.ts';
import { derive } from './derive.ts';
import type { Answered, Effect } from './effect.ts';
import { noteFailure } from './failure.ts';
import { headersToKeep } from './headers.ts';
import { withoutEntities } from './redact.ts';
import { countSearchedWords } from './searched_words.ts';

export interface LoaderOptions {
  readonly warehouse: Warehouse;
  readonly dialect: Dialect;
  /** The run that pays for the calls (`startRun`). */
  readonly runId: number;
  /** How payloads become tables; of a warehouse with rows, the mapping that they were made by goes on. */
  readonly mapping?: Mapping;
  readonly limits?: Partial<ShapeLimits>;
}

/**
 * Writes all that a group of outcomes means in one transaction, and says what was learned, in order. An
 * outcome that was loaded before changes nothing and is left out of the news.
 */
export type Load = (outcomes: readonly Outcome[]) => News[];

export function openLoader({ warehouse, dialect, runId, ...options }: LoaderOptions): { load: Load } {
  const mapping = settleMapping(warehouse.db, options.mapping ?? DEFAULT_MAPPING).inForce;
  const limits = { ...DEFAULT_LIMITS, columns: mapping.max_columns, ...options.limits };
  const calls = callTable(warehouse.db);
  const runs = runCounter(warehouse.db);
  const toKeep = headersToKeep(dialect);
  const open = () => openBooks({ warehouse, dialect, runId, naming: live, mapping, limits });
  let books = open();
  books.describeRecords();
  warehouse.write(() => countSearchedWords(books));

  return {
    load: (outcomes) => {
      try {
        return warehouse.write(() => {
          // Another process may have added columns since.
          if (books.isOutdated()) books = open();
          return loadAll(outcomes);
        });
      } catch (error) {
        // What was rolled back in the file is still in memory.
        books = open();
        throw error;
      }
    },
  };

  function loadAll(outcomes: readonly Outcome[]): News[] {
    const loaded = outcomes.flatMap((outcome) => loadOne(outcome) ?? []);
    books.save();
    runs.add(runId, countsOf(loaded));
    return loaded.map(newsOf);
  }

  function loadOne(outcome: Outcome): Loaded | null {
    const answered = answeredOf(outcome);
    const fresh = isFirstFetch(outcome) ? 1 : 0;
    if (!calls.add({ ...callRow(outcome, answered), runId, new: fresh })) return null;
    const effect = derive(books, answered, outcome.verdict);
    keepAnswer(outcome, effect.sameAs);
    noteYield(answered.callId, effect, fresh);
    return { outcome, effect, failure: noteFailure(books, answered, verdictAfter(outcome, effect)) };
  }

  function keepAnswer({ call, callId, body: received, headers }: Outcome, sameAs: number | null): void {
    const body = withoutForgotten(call, received, headers);
    if (body === null) return;
    if (sameAs === null) books.answers.keep(callId, call.kind, body, toKeep(headers));
    else books.answers.keepReference(callId, sameAs, toKeep(headers));
  }

  function withoutForgotten(call: Call, body: Buffer | null, headers: Outcome['headers']): Buffer | null {
    const { forgotten } = books;
    if (forgotten.size === 0 || body === null || call.kind === 'stats') return body;
    if (call.kind === 'entity') return forgotten.has(call.entityId) ? null : body;
    return withoutEntities(dialect.search, body, headers?.['content-type'] ?? '', forgotten) ?? body;
  }

  /** Of the commonest call what it yields is known before it is written: that saves a second write. */
  function isFirstFetch({ call, verdict }: Outcome): boolean {
    return (
      call.kind === 'entity' &&
      verdict.is === 'ok' &&
      !books.forgotten.has(call.entityId) &&
      books.known.find(call.entityId)?.fetchedAt == null
    );
  }

  function noteYield(callId: number, { record, rows, newCompanies, note }: Effect, noted: number): void {
    const changed = rows.filter((row) => row.changed).length + (record?.changed && !record.isNew ? 1 : 0);
    const fresh = Math.max(newCompanies, record?.isNew ? 1 : 0);
    if (fresh !== noted || changed > 0 || note !== null) calls.yielded(callId, { new: fresh, changed, note });
  }
}

interface Loaded {
  readonly outcome: Outcome;
  readonly effect: Effect;
  readonly failure: Failure | null;
}

/** An answer of which nothing could be loaded is as good as none: its target waits like one that failed. */
function verdictAfter({ verdict }: Outcome, { quarantined, rows, record, note }: Effect): Verdict {
  const isInVain = verdict.is === 'ok' && quarantined > 0 && rows.length === 0 && record === null;
  return isInVain ? { is: 'broken', why: note ?? 'nothing of the answer could be loaded' } : verdict;
}

function answeredOf({ call, callId, sentAtMs, status, body, headers = {} }: Outcome): Answered {
  return { call, callId, sentAt: isoTime(sentAtMs), status, body, headers };
}

function callRow({ call, callId, durationMs, status, body, verdict }: Outcome, { sentAt }: Answered) {
  const rows =
    verdict.is !== 'ok' || verdict.answer.kind === 'stats'
      ? 0
      : verdict.answer.kind === 'record'
        ? 1
        : verdict.answer.rows.length;
  return {
    callId,
    kind: call.kind,
    target: targetOf(call),
    page: call.kind === 'search' ? call.page.index : null,
    reason: call.reason,
    expected: call.expected,
    sentAt,
    ms: durationMs,
    status,
    outcome: verdict.is,
    bytes: body?.length ?? 0,
    rows,
  };
}

function newsOf({ outcome, effect, failure }: Loaded): News {
  const { rows, query, record, missing, gone, quarantined } = effect;
  return {
    call: outcome.call,
    verdict: outcome.verdict.is,
    rows,
    query,
    record,
    missing,
    gone,
    quarantined,
    failure,
  };
}

function countsOf(loaded: readonly Loaded[]): RunCounts {
  const sum = (count: (one: Loaded) => number) => loaded.reduce((total, one) => total + count(one), 0);
  return {
    calls: sum(({ outcome }) => (wasSent(outcome) ? 1 : 0)),
    new: sum(({ effect }) => effect.newCompanies),
    changed: sum(({ effect }) => (effect.record?.changed && !effect.record.isNew ? 1 : 0)),
    gone: sum(({ effect }) => effect.goneCount),
    quarantined: sum(({ effect }) => effect.quarantined),
  };
}
