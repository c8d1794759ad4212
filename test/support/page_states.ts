import { existsSync, renameSync, rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { isoTime } from '../../src/clock.ts';
import { Secret } from '../../src/config/config.ts';
import { openLedgerOf } from '../../src/operations/configured_ledger.ts';
import { updateStoredEstimate } from '../../src/operations/estimate.ts';
import type { CauseName } from '../../src/report/problems.ts';
import { acquireLock, heartbeat, releaseLock } from '../../src/warehouse/lock.ts';
import { finishRun, startRun } from '../../src/warehouse/run.ts';
import type { Mirrored } from './served_mirror.ts';
import { PAGE_KEY, type servePage } from './served_page.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const OWNER = 'registry.example:1:page-states';

/** A state of a mirror. `enter` puts the mirror into this state and returns a function that ends it. */
export interface PageState {
  readonly name: string;
  /** The first words of the health sentence. */
  readonly health: string;
  /** Parts of the configuration, if the state depends on them. */
  configured?(nowMs: number): Parameters<typeof servePage>[1];
  enter(mirror: Mirrored): () => void;
}

/** One state for each cause of `needs_you`. */
const CAUSES: Readonly<Record<CauseName, PageState>> = {
  key_refused: {
    name: 'refused-key',
    health: 'Needs you: The upstream refused the key',
    enter: together(
      endedRuns('unauthorised', 1),
      withLedger((ledger, nowMs) => ledger.refuseKey(new Secret(PAGE_KEY).fingerprint, nowMs)),
    ),
  },
  ledger_lost: {
    name: 'lost-ledger',
    health: 'Needs you: The ledger was deleted or replaced',
    enter({ config }) {
      const files = ['', '-journal', '-wal', '-shm'].map((end) => config.ledger + end);
      for (const file of files.filter(existsSync)) renameSync(file, `${file}.aside`);
      return () => {
        for (const file of files) rmSync(file, { force: true });
        for (const file of files) if (existsSync(`${file}.aside`)) renameSync(`${file}.aside`, file);
      };
    },
  },
  runs_fail: {
    name: 'failing',
    health: 'Needs you: The last 2 runs failed: disk full',
    enter: endedRuns('failed', 2),
  },
  no_dialect: {
    name: 'no-dialect',
    health: 'Needs you: The configuration has no dialect',
    configured: () => ({ hasDialect: false }),
    enter: () => () => {},
  },
  drift: {
    name: 'drift',
    health: 'Needs you: The responses no longer match the dialect',
    enter: endedRuns('drift', 1),
  },
  listing_breaks_off: {
    name: 'broken-listing',
    health: 'Needs you: The listing for "broken" breaks off after 20 rows',
    enter({ house: { warehouse } }) {
      const { db } = warehouse;
      db.exec(`INSERT INTO _query (query_key, "by", text, pages, rows, status, listed_at, asked_at)
          VALUES ('name:broken', 'name', 'broken', 1, 20, 'open', '2027-03-01', '2027-03-01');
        INSERT INTO _failure (kind, target, tries, failed_at, next_try_at, why, call_id)
          VALUES ('search', 'name:broken#1', 1, '2027-03-01', '2027-03-08', 'page 1 was refused', 0)`);
      return () =>
        void db.exec(`DELETE FROM _query WHERE text = 'broken';
          DELETE FROM _failure WHERE target = 'name:broken#1'`);
    },
  },
  records_not_found: {
    name: 'doubted-404s',
    health: 'Needs you: The upstream did not return the records of 8 known companies',
    enter({ house: { warehouse } }) {
      const { db } = warehouse;
      const ids = '(SELECT known_id FROM _company WHERE missing_at IS NULL LIMIT 8)';
      db.exec(`UPDATE _company SET missing_at = 1, missing_run = NULL WHERE known_id IN ${ids}`);
      return () => void db.exec('UPDATE _company SET missing_at = NULL WHERE missing_at = 1');
    },
  },
  searches_find_nothing: {
    name: 'empty-searches',
    health: 'Needs you: Only',
    enter({ house: { warehouse } }) {
      const { db } = warehouse;
      db.exec(`INSERT INTO _query (query_key, "by", text, pages, rows, status, listed_at, asked_at)
          SELECT 'empty:' || known_id, 'name', folded, 1, 0, 'complete', '2027-03-01', '2027-03-01' FROM _name
          LIMIT 2000;
        UPDATE registry_stats SET total = 2 * total`);
      return () =>
        void db.exec(
          "DELETE FROM _query WHERE query_key LIKE 'empty:%'; UPDATE registry_stats SET total = total / 2",
        );
    },
  },
  names_missing: {
    name: 'missing-names',
    health: 'Needs you: ',
    enter({ house: { warehouse } }) {
      const { db } = warehouse;
      db.exec(
        'CREATE TEMP TABLE named AS SELECT known_id, name FROM _company; UPDATE _company SET name = NULL',
      );
      return () =>
        void db.exec(`UPDATE _company SET name =
          (SELECT named.name FROM named WHERE named.known_id = _company.known_id); DROP TABLE named`);
    },
  },
  companies_missing: {
    name: 'missing-companies',
    health: 'Needs you: Only',
    enter({ house: { warehouse } }) {
      const { db } = warehouse;
      db.exec(`INSERT INTO _query (query_key, "by", text, total, pages, rows, status, listed_at, asked_at)
        VALUES ('name:many', 'name', 'many', 1000000, 1, 20, 'capped', '2027-03-01', '2027-03-01')`);
      return () => void db.exec("DELETE FROM _query WHERE text = 'many'");
    },
  },
  allowance_used_up: {
    name: 'used-up',
    health: 'Needs you: The account has used all',
    enter: together(endedRuns('allowance', 1), ({ config }) => {
      const db = new Database(config.ledger);
      const spent = db.prepare<[], number>('SELECT spent_ever FROM account').pluck().get();
      const set = db.prepare('UPDATE account SET spent_ever = ?');
      set.run(config.allowance.total ?? 1_000_000);
      return () => {
        set.run(spent);
        db.close();
      };
    }),
  },
  licence_ends: {
    name: 'licence',
    health: 'Needs you: The paid licence ends',
    configured: (nowMs) => ({
      account: { tier: 'paid', license_ends: isoTime(nowMs + 10 * DAY_MS).slice(0, 10) },
    }),
    enter: () => () => {},
  },
  schedule_unserved: {
    name: 'unserved-schedule',
    health: 'Needs you: No worker serves the schedule poll-stats',
    enter({ house: { warehouse }, now }) {
      const { db } = warehouse;
      db.prepare("UPDATE _run SET started_at = '2020-01-01T00:00:00.000Z' WHERE command = 'sync'").run();
      const runId = startRun(db, { command: 'poll-stats', owner: null, nowMs: now() - 100 * DAY_MS });
      finishRun(db, { runId, ended: 'done', nowMs: now() - 100 * DAY_MS });
      return () => db.prepare('DELETE FROM _run WHERE run_id = ?').run(runId);
    },
  },
  receiver_disabled: {
    name: 'disabled-receiver',
    health: 'Needs you: The receiver ops is disabled',
    enter({ house: { warehouse } }) {
      const { db } = warehouse;
      db.exec("INSERT INTO _receiver (name, version, disabled_at) VALUES ('ops', 0, '2027-03-01')");
      return () => void db.exec("DELETE FROM _receiver WHERE name = 'ops'");
    },
  },
  quarantine: {
    name: 'quarantine',
    health: 'Needs you: 1 response could not be processed',
    enter({ house: { warehouse }, now }) {
      const { db } = warehouse;
      const insert = `INSERT INTO _quarantine (call_id, kind, target, reason, quarantined_at)
        SELECT call_id, kind, target, 'no name', ? FROM _call WHERE kind = 'entity' LIMIT 1`;
      const { lastInsertRowid } = db.prepare(insert).run(isoTime(now()));
      return () => db.prepare('DELETE FROM _quarantine WHERE quarantine_id = ?').run(lastInsertRowid);
    },
  },
};

/** All health states that are possible after a mirror's first run. */
export const PAGE_STATES: readonly PageState[] = [
  { name: 'complete', health: 'Healthy', enter: () => () => {} },
  {
    name: 'working',
    health: 'Working',
    enter({ house: { warehouse }, now }) {
      const { db } = warehouse;
      acquireLock(db, { owner: OWNER, pid: 1, host: 'registry.example', isAlive: () => true, nowMs: now() });
      // The heartbeat counts as recent for an hour.
      heartbeat(db, OWNER, now() + HOUR_MS);
      const runId = startRun(db, { command: 'sync', owner: OWNER, nowMs: now() });
      return () => {
        finishRun(db, { runId, ended: 'done', nowMs: now() });
        releaseLock(db, OWNER);
      };
    },
  },
  ...Object.values(CAUSES).filter(({ configured }) => configured === undefined),
  {
    name: 'waiting',
    health: 'Waiting for quota until',
    // The ledger never deletes a report of exhausted quota, so this state and those with other accounts come last.
    enter: together(
      endedRuns('allowance', 1),
      withLedger((ledger, nowMs) => ledger.exhaustedUntil(nowMs + 6 * HOUR_MS, nowMs)),
    ),
  },
  ...Object.values(CAUSES).filter(({ configured }) => configured !== undefined),
];

/** Puts a mirror back into its only run. Returns a function that ends the run. */
export function enterFirstRun({ house: { warehouse }, now }: Mirrored): () => void {
  const { db } = warehouse;
  acquireLock(db, { owner: OWNER, pid: 1, host: 'registry.example', isAlive: () => true, nowMs: now() });
  heartbeat(db, OWNER, now() + HOUR_MS);
  db.prepare('UPDATE _run SET started_at = ?, ended_at = NULL, ended = NULL').run(isoTime(now()));
  db.exec("DELETE FROM _meta WHERE key = 'estimate'");
  return () => {
    finishRun(db, { runId: 1, ended: 'done', nowMs: now() });
    releaseLock(db, OWNER);
  };
}

/** Stores an estimate, as `sync` does when it ends. */
export async function syncWithEstimate(mirror: Mirrored, laterMs?: number): Promise<void> {
  updateStoredEstimate(mirror.house, await mirror.sync(laterMs));
}

function endedRuns(ended: string, count: number): PageState['enter'] {
  return ({ house: { warehouse }, now }) => {
    const { db } = warehouse;
    for (let at = 0; at < count; at++) {
      const runId = startRun(db, { command: 'sync', owner: null, nowMs: now() });
      const error = ended === 'failed' || ended === 'drift' ? 'disk full' : null;
      finishRun(db, { runId, ended, error, nowMs: now() });
    }
    return () => {
      const runId = startRun(db, { command: 'sync', owner: null, nowMs: now() });
      finishRun(db, { runId, ended: 'done', nowMs: now() });
      // Only a run with calls shows that the dialect is right.
      db.prepare('UPDATE _run SET calls = 1 WHERE run_id = ?').run(runId);
    };
  };
}

function withLedger(
  change: (ledger: ReturnType<typeof openLedgerOf>, nowMs: number) => void,
): PageState['enter'] {
  return ({ config, now }) => {
    const ledger = openLedgerOf(config);
    change(ledger, now());
    return () => {
      ledger.liftStops();
      ledger.close();
    };
  };
}

/** Enters a state in several steps. */
function together(...steps: readonly PageState['enter'][]): PageState['enter'] {
  return (mirror) => {
    const leaves = steps.map((enter) => enter(mirror));
    return () => {
      for (const leave of leaves.toReversed()) leave();
    };
  };
}
