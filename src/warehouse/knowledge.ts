import type { Database } from 'better-sqlite3';
import type { Call } from '../call.ts';
import { isoTime } from '../clock.ts';
import type { DueRecord, Failure, Knowledge, RecordsDue } from '../plan/knowledge.ts';
import { metaTable } from './meta.ts';
import { live } from './naming.ts';
import { queryState, queryTable } from './query.ts';
import type { Warehouse } from './warehouse.ts';

/** What plan may look up, answered by index. */
export function openKnowledge({ db }: Warehouse): Knowledge {
  const meta = metaTable(db);
  const queries = queryTable(db, live);
  const knownCount = db.prepare<[], number>("SELECT n FROM _tally WHERE what = 'known'").pluck();
  const latestStats = db.prepare<[], { observed_at: string; total: number | null }>(
    'SELECT observed_at, total FROM registry_stats ORDER BY _call_id DESC LIMIT 1',
  );
  const statsCalls = db
    .prepare<[], number>("SELECT count(*) FROM _call WHERE kind = 'stats' AND outcome <> 'unsent'")
    .pluck();
  const companies = db.prepare<[], { entityId: string; name: string | null }>(
    'SELECT entity_id AS entityId, name FROM _known',
  );
  const failures = db.prepare<
    [],
    { kind: Call['kind']; target: string; tries: number; next: string; why: string }
  >('SELECT kind, target, tries, next_try_at AS next, why FROM _failure');
  const missing = db.prepare(
    'SELECT 1 FROM _known INDEXED BY _known_missing WHERE missing_at IS NOT NULL LIMIT 1',
  );
  const recordsDue = dueRecords(db);
  return {
    knownCount: () => knownCount.get() ?? 0,
    latestStats: () => {
      const row = latestStats.get();
      return row === undefined ? null : { observedAtMs: Date.parse(row.observed_at), total: row.total };
    },
    statsCallsMade: () => statsCalls.get() ?? 0,
    queries: function* () {
      for (const row of queries.all()) yield queryState(row);
    },
    knownCompanies: () => companies.iterate(),
    recordsDue,
    failures: function* (): Iterable<Failure> {
      for (const { kind, target, tries, next, why } of failures.all())
        yield { kind, target, tries, nextTryAtMs: Date.parse(next), why };
    },
    controlNeeded: () => meta.get('absent_shape') === null && missing.get() !== undefined,
  };
}

/**
 * Flagged records first (they are known to be out of date), then those never fetched, then the oldest.
 * Each comes in order from a partial index of its own, so only the rows asked for are read.
 */
function dueRecords(db: Database): (ask: RecordsDue) => DueRecord[] {
  const flagged = db.prepare<[DueAsk], DueRow>(
    `SELECT entity_id AS entityId, missing_at AS missingAt FROM _known
     WHERE flagged_at IS NOT NULL ORDER BY flagged_at LIMIT @most`,
  );
  const neverFetched = db.prepare<[DueAsk], DueRow>(
    `SELECT entity_id AS entityId, missing_at AS missingAt FROM _known
     WHERE asked_at IS NULL AND gone_at IS NULL ORDER BY known_id LIMIT @most`,
  );
  const stale = db.prepare<[DueAsk], DueRow>(
    `SELECT entity_id AS entityId, missing_at AS missingAt FROM _known
     WHERE asked_at < @before AND gone_at IS NULL ORDER BY asked_at LIMIT @most`,
  );
  return ({ nowMs, maxAgeMs, most, except }) => {
    const ask = { most: most + except.size, before: isoTime(Math.max(nowMs - maxAgeMs, 0)) };
    const due = new Map<string, DueRecord>();
    const add = (rows: readonly DueRow[], why: DueRecord['why']) => {
      for (const { entityId, missingAt } of rows)
        if (due.size < most && !except.has(entityId) && !due.has(entityId))
          due.set(entityId, { entityId, why: missingAt === null ? why : 'missing' });
    };
    add(flagged.all(ask), 'flagged');
    if (due.size < most) add(neverFetched.all(ask), 'never_fetched');
    if (due.size < most) add(stale.all({ ...ask, most: ask.most + due.size }), 'stale');
    return [...due.values()];
  };
}

interface DueAsk {
  readonly most: number;
  readonly before: string;
}

interface DueRow {
  readonly entityId: string;
  readonly missingAt: string | null;
}
