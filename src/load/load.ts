import Sqlite from 'better-sqlite3';
import { targetOf } from '../call.ts';
import { openClassify } from '../dialect/classify.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { DEFAULT_MAPPING, type Mapping } from '../dialect/mapping.ts';
import { messageOf } from '../errors.ts';
import type { LoadResult } from '../load_result.ts';
import { type Attempt, type Outcome, type Verdict, wasSent } from '../outcome.ts';
import { type CallResult, callTable } from '../warehouse/call.ts';
import { DEFAULT_LIMITS, type SchemaLimits } from '../warehouse/inferred_schema.ts';
import { type RunCounts, runCounter } from '../warehouse/run.ts';
import { settleMapping } from '../warehouse/settled_mapping.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import { derive } from './derive.ts';
import { withoutEntities } from './forget.ts';
import { headersToKeep } from './headers.ts';
import { openLoadSession } from './load_session.ts';
import { enterRun, outcomeOfStored, storedAttempt } from './stored_attempt.ts';
import { countSearchedWords } from './word_counts.ts';

export interface LoaderOptions {
  readonly warehouse: Warehouse;
  readonly dialect: Dialect;
  /** The run that makes the calls (`startRun`). */
  readonly runId: number;
  /** The records' URL with `{id}`. Default: the one that the warehouse stores. */
  readonly entityTemplate?: string;
  /** The mapping from payloads to tables. A warehouse that already has rows keeps the mapping that created them. */
  readonly mapping?: Mapping;
  readonly limits?: Partial<SchemaLimits>;
  /** Whether responses are moved to compressed blocks (default: true). */
  readonly compress?: boolean;
}

/**
 * Loads responses in two steps. It stores the unchanged response first and then processes it, so no data is lost if
 * processing fails.
 */
export interface Loader {
  /** Stores the attempt's unchanged response. Storing an attempt again has no effect. */
  store(attempt: Attempt): void;
  /**
   * Derives rows from a stored attempt in one transaction. Returns null if the outcome has already been processed. An
   * outcome that cannot be processed is quarantined.
   */
  process(outcome: Outcome): LoadResult | null;
  /** Stores and processes each of the outcomes. */
  load(outcomes: readonly Outcome[]): LoadResult[];
  /**
   * Processes the responses that an earlier run stored but did not process. A response that ends the process
   * MAX_TRIES_ALONE times in a row is quarantined. Returns the number of responses processed.
   */
  recover(): number;
  /** Indexes the remaining names, which the planner needs in the next run. */
  finish(): void;
}

export function openLoader({ warehouse, dialect, runId, ...options }: LoaderOptions): Loader {
  const mapping = settleMapping(warehouse.db, options.mapping ?? DEFAULT_MAPPING).inForce;
  const limits = { ...DEFAULT_LIMITS, columns: mapping.max_columns, ...options.limits };
  const calls = callTable(warehouse.db);
  const runs = runCounter(warehouse.db);
  const headersOf = headersToKeep(dialect);
  const open = () => openLoadSession({ warehouse, dialect, runId, mapping, limits });
  let session = open();
  /** The ids of calls that are stored but not yet processed. */
  const stored = new Set<number>();
  session.describeRecords();
  if (options.entityTemplate !== undefined) session.meta.set('entity_url', options.entityTemplate);
  finish();
  warehouse.write(() => countSearchedWords(session));

  function store(attempt: Attempt): void {
    warehouse.write(() => {
      if (!calls.add({ ...callRow(attempt), runId })) return;
      stored.add(attempt.callId);
      const body = withoutForgotten(attempt);
      if (body !== null) session.responses.keep(attempt.callId, body, headersOf(attempt.headers));
    });
  }

  function withoutForgotten({ call, body, headers }: Attempt): Buffer | null {
    const { forgotten } = session;
    if (forgotten.size === 0 || body === null || call.kind === 'stats') return body;
    if (call.kind === 'entity') return forgotten.has(call.entityId) ? null : body;
    return withoutEntities(dialect.search, body, headers?.['content-type'] ?? '', forgotten) ?? body;
  }

  function process(outcome: Outcome): LoadResult | null {
    if (!stored.has(outcome.callId)) return null;
    try {
      return processOnce(outcome);
    } catch (error) {
      if (isFailureOfFile(error)) throw error;
      const why = `the response cannot be processed: ${messageOf(error)}`;
      return processOnce({ ...outcome, verdict: { is: 'broken', why, isLasting: true } });
    }
  }

  function processOnce(outcome: Outcome): LoadResult {
    try {
      const result = warehouse.write(() => {
        // Another process may have added columns since the session was opened.
        if (session.isOutdated()) session = open();
        const derived = derive(session, outcome);
        if (derived.sameAs !== null) session.responses.refer(outcome.callId, derived.sameAs);
        calls.settle(callResult(outcome, derived));
        if (options.compress !== false) session.responses.packWaiting();
        // The planner reads the names before it chooses the next search.
        if (outcome.call.kind === 'search') session.names.indexNames();
        session.save();
        runs.add(session.runId, countsOf(outcome, derived));
        return derived;
      });
      stored.delete(outcome.callId);
      return result;
    } catch (error) {
      // The transaction was rolled back, but its changes are still in the session in memory.
      session = open();
      throw error;
    }
  }

  function recover(): number {
    const classify = openClassify(dialect, session.meta.get('entity_url'));
    const waiting = calls.unprocessed();
    for (const row of waiting) {
      stored.add(row.callId);
      enterRun(session, row.runId);
      const tries = triesAlone(session.meta.get(PROCESSED_ALONE), row.callId);
      session.meta.set(PROCESSED_ALONE, `${row.callId} ${tries + 1}`);
      const why = `the process ended ${tries + 1} times while it processed this response`;
      process(
        tries < MAX_TRIES_ALONE
          ? outcomeOfStored(session, classify, row)
          : { ...storedAttempt(session, row), verdict: { is: 'broken', why, isLasting: true } },
      );
      session.meta.set(PROCESSED_ALONE, null);
    }
    enterRun(session, runId);
    return waiting.length;
  }

  function finish(): void {
    warehouse.write(() => {
      session.names.indexNames();
      session.save();
    });
  }

  return {
    store,
    process,
    load: (outcomes) =>
      outcomes.flatMap((outcome) => {
        store(outcome);
        return process(outcome) ?? [];
      }),
    recover,
    finish,
  };
}

/** Returns whether the disk or the file failed. If so, the response is left for a later run, not quarantined. */
function isFailureOfFile(error: unknown): boolean {
  return error instanceof Sqlite.SqliteError && !error.code.startsWith('SQLITE_CONSTRAINT');
}

/** Returns the columns of `_call` that are known before processing. */
export function callRow({ call, callId, sentAt, sentAfter, durationMs, status, body, failure }: Attempt) {
  return {
    callId,
    kind: call.kind,
    target: targetOf(call),
    page: call.kind === 'search' ? call.page.index : null,
    reason: call.reason,
    expected: call.expected,
    sentAt,
    sentAfter: sentAfter ?? null,
    ms: durationMs,
    status,
    bytes: body?.length ?? 0,
    note: failure ?? null,
  };
}

/** Returns the columns of `_call` that are known only after processing. */
function callResult({ callId, verdict }: Outcome, result: LoadResult): CallResult {
  const { record, rows, newCompanies, note } = result;
  return {
    callId,
    outcome: verdict.is,
    rows: rowsOf(verdict),
    new: Math.max(newCompanies, record?.isNew ? 1 : 0),
    changed: rows.filter((row) => row.changed).length + (record?.changed && !record.isNew ? 1 : 0),
    note,
  };
}

/** Returns the number of companies in the response. */
function rowsOf(verdict: Verdict): number {
  if (verdict.is !== 'ok' || verdict.answer.kind === 'stats') return 0;
  return verdict.answer.kind === 'record' ? 1 : verdict.answer.rows.length;
}

function countsOf(outcome: Outcome, { newCompanies, record, gone, quarantined }: LoadResult): RunCounts {
  const changed = record?.changed && !record.isNew ? 1 : 0;
  return { calls: wasSent(outcome) ? 1 : 0, new: newCompanies, changed, gone, quarantined };
}

/** Returns how often recovery has already tried this call alone. `note` is the value of `processed_alone`. */
function triesAlone(note: string | null, callId: number): number {
  const [id, tries] = (note ?? '').split(' ');
  return id === String(callId) ? Number(tries) : 0;
}

/** The `_meta` key for the call that recovery is processing alone, and the number of tries. */
const PROCESSED_ALONE = 'processed_alone';
/**
 * Being killed twice during a valid response can be a coincidence. After three times in a row, the response is assumed
 * to be the cause.
 */
const MAX_TRIES_ALONE = 3;
