import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Call } from '../../src/call.ts';
import { classify } from '../../src/dialect/classify.ts';
import type { Mapping } from '../../src/dialect/mapping.ts';
import { DAY_MS } from '../../src/durations.ts';
import type { DueRecord, LoadResult } from '../../src/knowledge.ts';
import { Loader } from '../../src/load/load.ts';
import type { Outcome, Verdict } from '../../src/outcome.ts';
import { answerTable } from '../../src/warehouse/answer.ts';
import type { SchemaLimits } from '../../src/warehouse/inferred_schema.ts';
import { openKnowledge } from '../../src/warehouse/plan_knowledge.ts';
import { startRun } from '../../src/warehouse/run.ts';
import { openWarehouse, type Warehouse } from '../../src/warehouse/warehouse.ts';
import { dialectWith, type PartialDialect } from './loader_dialect.ts';
import { temporaryFolder } from './temporary_folder.ts';

export { dialectWith } from './loader_dialect.ts';
export { temporaryFolder } from './temporary_folder.ts';

export const START_MS = Date.parse('2026-03-01T00:00:00Z');

export function temporaryWarehouse(): Warehouse {
  const warehouse = openWarehouse({
    path: join(temporaryFolder(), 'warehouse.db'),
    nowMs: START_MS,
  });
  onTestFinished(() => warehouse.close());
  return warehouse;
}

/**
 * A loader that takes bodies. It classifies each body, and loads it one second after the previous one on the test's
 * clock.
 */
export interface Bench {
  readonly warehouse: Warehouse;
  readonly load: Loader['load'];
  readonly loader: Loader;
  readonly record: (entityId: string, body: unknown, status?: number) => LoadResult;
  readonly search: (text: string, body: unknown, options?: { page?: number; status?: number }) => LoadResult;
  readonly stats: (body: unknown) => LoadResult;
  readonly outcome: (call: Call, body: unknown, status?: number) => Outcome;
  /** Loads an outcome without a response. */
  readonly fail: (call: Call, verdict: Verdict) => LoadResult;
  readonly all: (sql: string, ...values: unknown[]) => Record<string, unknown>[];
  readonly value: (sql: string, ...values: unknown[]) => unknown;
  readonly reopen: (options?: { compress: boolean }) => Bench;
}

export function bench(
  options: {
    warehouse?: Warehouse;
    dialect?: PartialDialect;
    limits?: Partial<SchemaLimits>;
    mapping?: Mapping;
    startMs?: number;
    compress?: boolean;
  } = {},
): Bench {
  const warehouse = options.warehouse ?? temporaryWarehouse();
  const { db } = warehouse;
  const dialect = dialectWith(options.dialect);
  const runId = startRun(db, { command: 'test', owner: null, nowMs: START_MS });
  const loader = new Loader({
    warehouse,
    dialect,
    runId,
    ...(options.limits && { limits: options.limits }),
    ...(options.mapping && { mapping: options.mapping }),
    ...(options.compress !== undefined && { compress: options.compress }),
  });
  const load = (outcomes: readonly Outcome[]) => loader.load(outcomes);
  let callId = db.prepare('SELECT coalesce(max(call_id), 0) FROM _call').pluck().get() as number;

  const outcome = (call: Call, body: unknown, status = 200): Outcome => {
    callId += 1;
    const bytes = Buffer.isBuffer(body)
      ? body
      : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
    const sentAtMs = (options.startMs ?? START_MS) + callId * 1000;
    const sentAt = new Date(sentAtMs).toISOString();
    const reply = { status, headers: {}, body: bytes };
    const verdict = classify(dialect, call, reply, { nowMs: sentAtMs, keyHasWorked: true });
    return { callId, call, sentAt, durationMs: 12, status, body: bytes, verdict };
  };
  const one = (loaded: Outcome): LoadResult => {
    const [result] = load([loaded]);
    if (result === undefined) throw new Error('the loader returned no result');
    return result;
  };
  const planned = { reason: 'test', expected: 1 };
  return {
    warehouse,
    load,
    loader,
    outcome,
    record: (entityId, body, status) => one(outcome({ kind: 'entity', entityId, ...planned }, body, status)),
    search: (text, body, { page = 0, status } = {}) =>
      one(
        outcome(
          { kind: 'search', query: { by: 'name', text }, page: { index: page, next: null }, ...planned },
          body,
          status,
        ),
      ),
    stats: (body) => one(outcome({ kind: 'stats', ...planned }, body)),
    fail: (call, verdict) =>
      one({
        callId: ++callId,
        call,
        sentAt: new Date(START_MS + callId * 1000).toISOString(),
        durationMs: 5,
        status: null,
        body: null,
        verdict,
      }),
    all: (sql, ...values) => db.prepare(sql).all(...values) as Record<string, unknown>[],
    value: (sql, ...values) =>
      db
        .prepare(sql)
        .pluck()
        .get(...values),
    reopen: (changed) => bench({ ...options, ...changed, warehouse }),
  };
}

/** Returns the stored body of the call that the query selects. */
export function bodyOf({ db }: Warehouse, sql: string): string | undefined {
  return answerTable(db)
    .body(db.prepare(sql).pluck().get() as number)
    ?.toString();
}

/** Returns the records that are due after the bench's first minute, and why. None of them is too old. */
export function dueRecords(warehouse: Warehouse): DueRecord[] {
  return openKnowledge(warehouse).recordsDue({
    nowMs: START_MS + 60_000,
    startedAtMs: START_MS + 60_000,
    beforeMs: START_MS - DAY_MS,
    most: 10,
    except: new Set(),
  });
}

/** A search response that contains all results: rows, or ids of companies that are named like their ids. */
export function resultPage(...results: readonly unknown[]) {
  return {
    total: results.length,
    results: results.map((row) => (typeof row === 'string' ? { id: row, name: row } : row)),
  };
}

export function entityCall(entityId: string): Call {
  return { kind: 'entity', entityId, reason: 'test', expected: 1 };
}
