import { hostname } from 'node:os';
import { expect, test } from 'vitest';
import { isoTime } from '../../src/clock.ts';
import type { Config } from '../../src/config/config.ts';
import type { Receiver } from '../../src/config/receiver.ts';
import { forget } from '../../src/load/forget.ts';
import { readFacts, readRun, readTrends } from '../../src/report/facts.ts';
import { JOB_SCHEDULES } from '../../src/report/schedules.ts';
import { setFailure } from '../../src/warehouse/failure.ts';
import { acquireLock } from '../../src/warehouse/lock.ts';
import { metaTable } from '../../src/warehouse/meta.ts';
import { finishRun, startRun } from '../../src/warehouse/run.ts';
import { searchDialect } from '../support/dialect.ts';
import { FACT_CONFIG } from '../support/facts.ts';
import { UNLIMITED } from '../support/ledger.ts';
import { bench, dialectWith, START_MS } from '../support/loader.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW_MS = START_MS + HOUR_MS / 2;

/** A mirror in which every number of rows in a state differs from all others. */
function mirror() {
  const lived = bench();
  const { warehouse, search, record, stats } = lived;
  const { db } = warehouse;
  const ids = (letter: string, count: number) => Array.from({ length: count }, (_, at) => `${letter}${at}`);
  const results = [...ids('N', 40).map((id) => ({ id, name: id })), ...ids('U', 5).map((id) => ({ id }))];
  stats({ companies: 52 });
  search('a', { total: 52, results });
  for (const id of ids('N', 11)) record(id, { id, name: id });
  for (const id of ids('N', 3)) record(id, { id, name: id, class: 'Deleted' });
  for (const id of ids('Q', 4)) record(id, 'unreadable');
  const settle = db.prepare('UPDATE _quarantine SET state = ? WHERE target = ?');
  for (const [at, state] of ['replayed', 'superseded', 'discarded'].entries()) settle.run(state, `Q${at}`);
  db.exec(`UPDATE _company SET missing_at = 1 WHERE entity_id IN ('N20', 'N21')`);
  forget({ warehouse, dialect: dialectWith(), entityIds: ids('F', 9), nowMs: START_MS });
  db.exec('DELETE FROM _failure');
  for (let at = 0; at < 8; at++) {
    const nextTryAt = isoTime(NOW_MS + (at < 6 ? 1 : -1) * HOUR_MS);
    const failure = { kind: 'entity', target: `W${at}`, tries: 1, failedAt: isoTime(START_MS), nextTryAt };
    setFailure(db, { ...failure, why: 'busy', callId: 1 } as Parameters<typeof setFailure>[1]);
  }
  const counts = db.prepare('UPDATE _run SET new = ?, changed = ?, gone = ? WHERE run_id = ?');
  counts.run(0, 0, 0, 1);
  const runs = [
    { command: 'sync', daysAgo: 8, ended: 'done', counts: [1_000, 2_000, 3_000] },
    { command: 'sync', daysAgo: 5, ended: 'done', counts: [13, 17, 19] },
    { command: 'poll-stats', daysAgo: 4, ended: 'done', counts: [100, 200, 400] },
    { command: 'sync', daysAgo: 3, ended: 'failed', counts: [0, 0, 0] },
  ];
  for (const { command, daysAgo, ended, counts: own } of runs) {
    const nowMs = NOW_MS - daysAgo * DAY_MS;
    const runId = startRun(db, { command, owner: null, nowMs });
    finishRun(db, { runId, ended, nowMs: nowMs + HOUR_MS });
    counts.run(...own, runId);
  }
  db.exec("INSERT INTO _receiver (name, version, disabled_at) VALUES ('off', 0, '2027'), ('old', 0, '2027')");
  db.exec("INSERT INTO _receiver (name, version) VALUES ('on', 0)");
  metaTable(db).set('estimate', { at: isoTime(NOW_MS), calls: { low: 0, high: 0 } });
  return lived;
}

function factsOf({ warehouse: { db } }: ReturnType<typeof bench>, config: Partial<Config> = {}) {
  return readFacts({
    nowMs: NOW_MS,
    db,
    ledger: { state: () => UNLIMITED },
    lostCalls: 0,
    formatTime: isoTime,
    jobs: JOB_SCHEDULES.slice(0, 1),
    config: { ...FACT_CONFIG, notify: ['on', 'off'].map((name) => ({ name }) as Receiver), ...config },
  });
}

test('every fact counts the rows of its own state', () => {
  const lived = mirror();
  const { db } = lived.warehouse;
  const { mirror: facts } = factsOf(lived);
  expect(facts).toMatchObject({
    coverage: { known: 45, fetched: 8, gone: 3, registryTotal: 52 },
    coverageEstimate: { largestTotal: 52 },
    quarantined: 1,
    waiting: 6,
    isHeld: false,
    lastSuccessAt: isoTime(NOW_MS - 4 * DAY_MS + HOUR_MS),
    schedules: [{ name: 'poll-stats', lastRun: { new: 100 } }],
  });
  expect(facts?.runs.map(({ runId, ended }) => [runId, ended])).toEqual([
    [5, 'failed'] as const,
    [4, 'done'],
    [3, 'done'],
    [2, 'done'],
    [1, null],
  ]);
  const trends = readTrends(db, NOW_MS);
  expect(trends).toMatchObject({ week: { new: 113, changed: 217, gone: 419 }, unnamed: 5 });
  const young = { records: 8, summaries: 42 };
  const none = { records: 0, summaries: 0 };
  expect(trends.ages).toEqual([young, none, none, none, none]);
  expect(readTrends(db, NOW_MS + 8 * DAY_MS).ages).toEqual([none, none, young, none, none]);
});

test('companies are missing only if the known and the forgotten ones are fewer than the registry counts', () => {
  const missing = (registryTotal: number, config?: Partial<Config>) => {
    const lived = mirror();
    lived.stats({ companies: registryTotal });
    lived.warehouse.db.exec('UPDATE _query SET total = 1');
    const { problems } = factsOf(lived, config).health;
    return problems.find(({ name }) => name === 'companies_missing')?.cause ?? null;
  };
  // 45 are known, 3 of them are gone, and 9 are forgotten.
  expect(missing(52)).toBeNull();
  expect(missing(80)).toMatch(/^Only 51 of 80 companies are known/);
  expect(missing(80, { scope: { ids: 'ids.txt' } })).toBeNull();
});

test('companies may be missing if whole words cannot list the rest of truncated listings without a total', () => {
  const missing = (total: number | null, canSplit: boolean, queries = 3) => {
    const lived = mirror();
    const { db } = lived.warehouse;
    db.exec("DELETE FROM registry_stats; UPDATE _query SET total = 1, status = 'complete'");
    const add = db.prepare(
      `INSERT INTO _query (query_key, by, text, total, pages, rows, status, listed_at, asked_at)
       VALUES ('name:' || @text, 'name', @text, @total, 2, 20, 'capped', '2027', '2027')`,
    );
    for (let at = 0; at < queries; at++) add.run({ text: `word${at}`, total });
    const { problems } = factsOf(lived, {
      dialect: searchDialect({ matches: canSplit ? 'prefix' : 'token' }),
    }).health;
    return problems.find(({ name }) => name === 'companies_missing')?.cause ?? null;
  };
  expect(missing(null, false)).toMatch(
    /^Companies may be missing: a listing ended after 20 rows, probably at a limit/,
  );
  expect(missing(null, false, 2)).toBeNull();
  expect(missing(null, true)).toBeNull();
  // If a limit ends nearly every listing, longer queries list no more companies.
  expect(missing(null, true, 300)).toMatch(/no search can list the rest/);
  expect(missing(40, false)).toBeNull();
});

test('problems name only receivers that are both configured and disabled', () => {
  const { problems } = factsOf(mirror()).health;
  expect(problems.find(({ name }) => name === 'receiver_disabled')?.cause).toMatch(/^The receiver off is/);
});

test('a lock is held only while its process runs', () => {
  const lived = mirror();
  const isHeldBy = (pid: number) => {
    const holder = { owner: 'me', pid, host: hostname(), isAlive: () => false, nowMs: NOW_MS };
    acquireLock(lived.warehouse.db, holder);
    return factsOf(lived).mirror?.isHeld;
  };
  expect([process.pid, 2 ** 22 + 1].map(isHeldBy)).toEqual([true, false]);
});

test('only the latest run is in progress while the lock is held, and an earlier one without an end was killed', () => {
  const { db } = bench().warehouse;
  const run = () => startRun(db, { command: 'sync', owner: null, nowMs: START_MS });
  const [killed, latest] = [run(), run()];
  const lock = { owner: 'it', pid: process.pid, host: hostname(), nowMs: NOW_MS, isAlive: () => true };
  acquireLock(db, lock);
  expect([killed, latest].map((id) => readRun(db, id, NOW_MS)?.isRunning)).toEqual([false, true]);
});
