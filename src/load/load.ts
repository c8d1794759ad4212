import Sqlite from 'better-sqlite3';
import { targetOf } from '../call.ts';
import { openClassify } from '../dialect/classify.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { DEFAULT_MAPPING, type Mapping } from '../dialect/mapping.ts';
import { isOutOfMemory, messageOf } from '../errors.ts';
import type { LoadResult } from '../load_result.ts';
import { type Attempt, isIncomplete, type Outcome, type Verdict, wasSent } from '../outcome.ts';
import { type CallResult, Calls } from '../warehouse/call.ts';
import type { SchemaLimits } from '../warehouse/inferred_schema.ts';
import { addToRun, type RunCounts } from '../warehouse/run.ts';
import { settleMapping } from '../warehouse/settled_mapping.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import { derive } from './derive.ts';
import { withoutEntities } from './forget.ts';
import { headersToKeep } from './kept_headers.ts';
import { LoadSession } from './load_session.ts';
import { outcomeOfStored, storedAttempt } from './stored_attempt.ts';

interface LoaderOptions {
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
export class Loader {
  readonly #warehouse: Warehouse;
  readonly #dialect: Dialect;
  readonly #runId: number;
  readonly #compresses: boolean;
  readonly #calls: Calls;
  readonly #headersOf;
  readonly #openSession: () => LoadSession;
  #session: LoadSession;
  /** The ids of calls that are stored but not yet processed. */
  readonly #stored = new Set<number>();

  constructor({ warehouse, dialect, runId, ...options }: LoaderOptions) {
    const mapping = settleMapping(warehouse.db, options.mapping ?? DEFAULT_MAPPING);
    this.#warehouse = warehouse;
    this.#dialect = dialect;
    this.#runId = runId;
    this.#compresses = options.compress ?? true;
    this.#calls = new Calls(warehouse.db);
    this.#headersOf = headersToKeep(dialect);
    this.#openSession = () => new LoadSession({ warehouse, dialect, runId, mapping, limits: options.limits });
    this.#session = this.#openSession();
    warehouse.write(() => {
      this.#session.forgetOutdatedListings();
      this.#session.noteDialect();
      if (options.entityTemplate !== undefined) this.#session.meta.set('entity_url', options.entityTemplate);
      this.#session.names?.setCounting(MATCH_WORDS.has(dialect.search.matches));
    });
  }

  /** Stores the attempts' unchanged responses in one transaction. Storing an attempt again has no effect. */
  store(attempts: readonly Attempt[]): void {
    this.#warehouse.write(() => {
      for (const attempt of attempts) {
        if (!this.#calls.add({ ...callRow(attempt), runId: this.#runId })) continue;
        this.#stored.add(attempt.callId);
        const body = this.#withoutForgotten(attempt);
        if (body !== null)
          this.#session.responses.keep(attempt.callId, body, this.#headersOf(attempt.headers));
      }
    });
  }

  /**
   * Derives rows from stored attempts in one transaction, and returns the load results in the same order. An outcome
   * that has already been processed is skipped and has no result. An outcome that cannot be processed is quarantined
   * and does not affect the others.
   */
  process(outcomes: readonly Outcome[]): LoadResult[] {
    const waiting = outcomes.filter(({ callId }) => this.#stored.has(callId));
    if (waiting.length === 0) return [];
    try {
      return this.#processTogether(waiting);
    } catch (error) {
      if (isFailureOfMachine(error)) throw error;
      return waiting.flatMap((outcome) => this.#processAlone(outcome));
    }
  }

  /** Stores, then processes the outcomes. */
  load(outcomes: readonly Outcome[]): LoadResult[] {
    this.store(outcomes);
    return this.process(outcomes);
  }

  /**
   * Processes, one at a time, the responses that an earlier run stored but did not process. A response that ends the
   * process MAX_TRIES_ALONE times in a row is quarantined. Returns the number of responses processed.
   */
  recover(): number {
    const { meta } = this.#session;
    const classify = openClassify(this.#dialect, meta.get('entity_url'));
    const waiting = this.#calls.unprocessed();
    for (const row of waiting) {
      this.#stored.add(row.callId);
      this.#session.enterRun(row.runId);
      const tries = triesAlone(meta.get(PROCESSED_ALONE), row.callId);
      meta.set(PROCESSED_ALONE, `${row.callId} ${tries + 1}`);
      if (tries < MAX_TRIES_ALONE) this.#processAlone(outcomeOfStored(this.#session, classify, row));
      else {
        const why = `the process ended ${tries + 1} times while it processed this response`;
        this.#processTogether([
          { ...storedAttempt(this.#session, row), verdict: { is: 'broken', why, isLasting: true } },
        ]);
      }
      meta.set(PROCESSED_ALONE, null);
    }
    this.#session.enterRun(this.#runId);
    return waiting.length;
  }

  #withoutForgotten(attempt: Attempt): Buffer | null {
    const { call, body, headers } = attempt;
    const { forgotten } = this.#session;
    if (forgotten.size === 0 || body === null || call.kind === 'stats') return body;
    // The forgotten entities cannot be found in a listing that was cut.
    if (isIncomplete(attempt)) return null;
    if (call.kind === 'entity') return forgotten.has(call.entityId) ? null : body;
    return withoutEntities(this.#dialect.search, body, headers?.['content-type'] ?? '', forgotten) ?? body;
  }

  #processAlone(outcome: Outcome): LoadResult[] {
    try {
      return this.#processTogether([outcome]);
    } catch (error) {
      if (isFailureOfMachine(error)) throw error;
      const why = `the response cannot be processed: ${messageOf(error)}`;
      return this.#processTogether([{ ...outcome, verdict: { is: 'broken', why, isLasting: true } }]);
    }
  }

  #processTogether(outcomes: readonly Outcome[]): LoadResult[] {
    const session = this.#session;
    try {
      const results = this.#warehouse.write(() => {
        const written = outcomes.map((outcome) => {
          const result = derive(session, outcome);
          if (result.sameAs !== null) session.responses.refer(outcome.callId, result.sameAs);
          return result;
        });
        this.#calls.settle(written.map((result, at) => callResult(outcomes[at] as Outcome, result)));
        if (this.#compresses) session.responses.packWaiting();
        session.save();
        addToRun(this.#warehouse.db, session.runId, countsOf(outcomes, written));
        return written;
      });
      for (const { callId } of outcomes) this.#stored.delete(callId);
      return results;
    } catch (error) {
      // The transaction was rolled back, but its changes are still in the session in memory.
      this.#session = this.#openSession();
      throw error;
    }
  }
}

/** The planner needs the words in names only if queries match words, or may match them. */
const MATCH_WORDS: ReadonlySet<string> = new Set(['token', 'token_prefix', 'unknown']);

/** Returns whether the disk, the file or the memory failed. If so, the response is left for a later run, not quarantined. */
function isFailureOfMachine(error: unknown): boolean {
  if (isOutOfMemory(error)) return true;
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

function countsOf(outcomes: readonly Outcome[], results: readonly LoadResult[]): RunCounts {
  const sum = (count: (result: LoadResult) => number) =>
    results.reduce((total, one) => total + count(one), 0);
  return {
    calls: outcomes.filter(wasSent).length,
    new: sum(({ newCompanies }) => newCompanies),
    changed: sum(({ record }) => (record?.changed && !record.isNew ? 1 : 0)),
    gone: sum(({ gone }) => gone),
    quarantined: sum(({ quarantined }) => quarantined),
  };
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
