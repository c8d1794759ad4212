import type { Database } from 'better-sqlite3';
import type { Call } from '../call.ts';
import type { Failure } from '../knowledge.ts';
import type { BackfillRow } from './backfill.ts';

/**
 * Settles record items that need no further call. Their company is gone or forgotten, or some process has requested
 * their record recently enough.
 */
export function settleEntities(
  db: Database,
  { backfillId, afterCallId, freshAfter, createdAt }: BackfillRow,
): void {
  db.prepare(
    `UPDATE _backfill_wish SET state = 'forgotten'
     WHERE backfill_id = ? AND kind = 'entity' AND state = 'open'
       AND given IN (SELECT entity_id FROM _forgotten WHERE undone_at IS NULL)`,
  ).run(backfillId);
  db.prepare(
    `UPDATE _backfill_wish SET
       state = CASE WHEN k.gone_at IS NOT NULL THEN 'gone' WHEN last.outcome = 'absent' THEN 'not_found' WHEN last.outcome = 'gone' THEN 'gone' ELSE 'found' END,
       entity_id = given, name = k.name, call_id = last.call_id,
       note = CASE WHEN last.outcome = 'absent' AND k.entity_id IS NOT NULL THEN 'known, but the registry now returns a 404' END
     FROM (
       SELECT target, outcome, max(call_id) AS call_id FROM _call
       WHERE call_id > @afterCallId AND kind = 'entity' AND outcome IN ('ok', 'absent', 'gone') GROUP BY target
     ) AS last LEFT JOIN _company k ON k.entity_id = last.target
     WHERE backfill_id = @backfillId AND kind = 'entity' AND state = 'open' AND given = last.target`,
  ).run({ backfillId, afterCallId });
  db.prepare(
    `UPDATE _backfill_wish SET state = CASE WHEN k.gone_at IS NULL THEN 'fresh' ELSE 'gone' END,
       entity_id = given, name = k.name, call_id = k.record_call_id
     FROM _company k
     WHERE backfill_id = @backfillId AND kind = 'entity' AND state = 'open' AND k.entity_id = given
       AND ((k.fetched_at >= @freshAfterMs AND k.flagged_at IS NULL AND @freshAfterMs < @createdAtMs) OR (k.gone_at IS NOT NULL AND k.flagged_at IS NULL))`,
  ).run({ backfillId, freshAfterMs: Date.parse(freshAfter), createdAtMs: Date.parse(createdAt) });
}

/**
 * Settles the record items that failed and are still waiting for a retry. Call this function when the backfill ends.
 */
export function settleFailedEntities(db: Database, { backfillId, afterCallId }: BackfillRow): void {
  db.prepare(
    `UPDATE _backfill_wish SET state = 'failed', note = f.why, call_id = f.call_id
     FROM _failure f
     WHERE backfill_id = @backfillId AND _backfill_wish.kind = 'entity' AND state = 'open'
       AND f.kind = 'entity' AND f.target = given AND f.call_id > @afterCallId`,
  ).run({ backfillId, afterCallId });
}

/** Returns the searches that failed since the backfill started, as a map from target to reason. */
export function failedSearchesSince(db: Database, afterCallId: number): Map<string, string> {
  const rows = db
    .prepare<[number], { target: string; why: string }>(
      "SELECT target, why FROM _failure WHERE kind = 'search' AND call_id > ?",
    )
    .all(afterCallId);
  return new Map(rows.map(({ target, why }) => [target, why]));
}

/**
 * Returns the failures since the backfill started. Targets that failed earlier are not included, because the backfill
 * retries them.
 */
export function failuresSince(db: Database, afterCallId: number): Failure[] {
  const rows = db
    .prepare<[number], { kind: Call['kind']; target: string; tries: number; next: string; why: string }>(
      'SELECT kind, target, tries, next_try_at AS next, why FROM _failure WHERE call_id > ?',
    )
    .all(afterCallId);
  return rows.map(({ kind, target, tries, next, why }) => ({
    kind,
    target,
    tries,
    nextTryAtMs: Date.parse(next),
    why,
  }));
}

/**
 * Returns a function that decides whether the backfill can skip a company. It can if the record is fresh or was already
 * requested by this backfill, or if the company is gone or forgotten. A company that
 * counts as gone is requested once if a listing shows it again.
 */
export function freshnessSince(
  db: Database,
  { freshAfter, createdAt }: BackfillRow,
): (entityId: string) => boolean {
  const select = db
    .prepare<[{ entityId: string; freshAfterMs: number; createdAtMs: number }], number>(
      `SELECT 1 FROM _company WHERE entity_id = @entityId
         AND (asked_at >= @createdAtMs OR (flagged_at IS NULL AND (gone_at IS NOT NULL OR fetched_at >= @freshAfterMs)))
       UNION ALL SELECT 1 FROM _forgotten WHERE entity_id = @entityId AND undone_at IS NULL`,
    )
    .pluck();
  const times = { freshAfterMs: Date.parse(freshAfter), createdAtMs: Date.parse(createdAt) };
  return (entityId) => select.get({ entityId, ...times }) !== undefined;
}
