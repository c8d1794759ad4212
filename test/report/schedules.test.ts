import type { Database } from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { JOB_SCHEDULES, readSchedules } from '../../src/report/schedules.ts';
import { finishRun, startRun } from '../../src/warehouse/run.ts';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { FACT_CONFIG } from '../support/facts.ts';
import { UNLIMITED } from '../support/ledger.ts';

const HOUR_MS = 3_600_000;
const MIDNIGHT_MS = Date.UTC(2027, 2, 10);

const CONFIG = {
  ...FACT_CONFIG,
  schedule: { ...FACT_CONFIG.schedule, timezone: 'Europe/Oslo', stats: '0 3 * * *', sweep: '0 4 * * *' },
};
const JOBS = JOB_SCHEDULES.slice(0, 2);

/** A warehouse with one run of each command, started at the given time. */
function warehouseWith(runs: Readonly<Record<string, number>>) {
  const warehouse = openWarehouse({ path: ':memory:', nowMs: MIDNIGHT_MS });
  onTestFinished(() => warehouse.close());
  for (const [command, nowMs] of Object.entries(runs)) {
    const runId = startRun(warehouse.db, { command, owner: null, nowMs });
    finishRun(warehouse.db, { runId, ended: 'done', nowMs });
  }
  return warehouse.db;
}

function overdue(db: Database, nowMs: number) {
  return readSchedules(db, CONFIG, JOBS, { ledger: UNLIMITED, nowMs }).flatMap(({ name, overdueSinceMs }) =>
    overdueSinceMs === null ? [] : [{ name, overdueSinceMs }],
  );
}

test("a job is overdue one hour after its scheduled time in the schedule's time zone", () => {
  const db = warehouseWith({ 'poll-stats': MIDNIGHT_MS });
  expect(overdue(db, MIDNIGHT_MS + 3 * HOUR_MS)).toEqual([]);
  expect(overdue(db, MIDNIGHT_MS + 3 * HOUR_MS + 1)).toEqual([
    { name: 'poll-stats', overdueSinceMs: MIDNIGHT_MS + 2 * HOUR_MS },
  ]);
});

test('a job is not overdue if no worker has ever run it', () => {
  const db = warehouseWith({ backfill: MIDNIGHT_MS });
  expect(overdue(db, MIDNIGHT_MS + 90 * HOUR_MS)).toEqual([]);
});

test('a job is not overdue if a sync ran after its scheduled time', () => {
  const db = warehouseWith({ 'poll-stats': MIDNIGHT_MS, sync: MIDNIGHT_MS + 8 * HOUR_MS });
  expect(overdue(db, MIDNIGHT_MS + 9 * HOUR_MS)).toEqual([]);
});
