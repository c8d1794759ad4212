import type { Database } from 'better-sqlite3';
import { isoTime } from '../../src/clock.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const SECOND_MS = 1_000;
const DAYS = 200;
const COMPANIES = 4_000;
const FIELDS = ['/status', '/registered_office/address_line_1', '/officers/0/occupation'];

/**
 * Adds 4,000 companies and the rows that 200 daily runs would leave, such as calls with every outcome, registry counts
 * and changes. This gives the status page a long history. It makes no calls.
 */
export function addHistory({ db }: { readonly db: Database }, nowMs: number): void {
  const run = db.prepare(
    `INSERT INTO _run (command, started_at, ended_at, ended, calls, new, changed, gone)
     VALUES ('sync', @at, @at, 'done', 60, @new, @changed, @gone)`,
  );
  const call = db.prepare(
    `INSERT INTO _call (call_id, run_id, kind, target, reason, expected, sent_at, ms, status, outcome, bytes, new)
     VALUES (@callId, @runId, @kind, @target, 'unknown', 1, @at, 200, 200, @outcome, 900, @new)`,
  );
  const count = db.prepare('INSERT INTO registry_stats (observed_at, total, _call_id) VALUES (?, ?, ?)');
  const change = db.prepare(
    `INSERT INTO entity_change (entity_id, observed_at, path, before, after, _call_id)
     VALUES (@id, @at, @path, 'previous value of this field', 'next value of this field', @callId)`,
  );
  const company = db.prepare(
    `INSERT INTO _company (entity_id, name, first_seen_at, listed_at, asked_at, fetched_at)
     VALUES (@id, @name, @at, @at, @at, @at)`,
  );
  db.transaction(() => {
    for (let day = DAYS; day > 0; day--) {
      const atMs = nowMs - day * DAY_MS;
      const at = isoTime(atMs);
      const results = { new: 5 + (day % 17), changed: 3 + (day % 11), gone: day % 5 };
      const runId = run.run({ at, ...results }).lastInsertRowid;
      const outcomes = [
        day % 7 === 0 ? 'throttled' : 'ok',
        day % 9 === 0 ? 'broken' : 'ok',
        'ok',
        'ok',
        'ok',
      ];
      for (const [index, outcome] of outcomes.slice(day % 3).entries()) {
        const kind = index % 2 === 0 ? 'search' : 'entity';
        const sentMs = Math.floor(atMs + (index * HOUR_MS) / 2);
        // The ids of earlier calls are below those of the mirror's own calls.
        const row = {
          callId: Math.floor((sentMs - nowMs) / SECOND_MS),
          runId,
          kind,
          target: `${day}-${index}`,
          outcome,
        };
        call.run({ ...row, at: isoTime(sentMs), new: outcome === 'ok' ? 1 + (day % 7) : 0 });
        if (index === 0) count.run(at, COMPANIES + 50 - day, row.callId);
        for (const path of FIELDS) change.run({ id: `H${day}`, at, path, callId: row.callId });
      }
    }
    for (let index = 0; index < COMPANIES; index++)
      company.run({
        id: `H${index}`,
        name: `Historic Company of a Usual Length ${index} Limited`,
        at: nowMs - ((index * 37) % (400 * 24)) * HOUR_MS,
      });
    for (const what of ['known', 'listed', 'fetched'])
      db.prepare(
        'INSERT INTO _tally (what, n) VALUES (?, ?) ON CONFLICT (what) DO UPDATE SET n = n + excluded.n',
      ).run(what, COMPANIES);
  })();
}
