import { isoTime } from '../clock.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { headersIn } from '../warehouse/answer.ts';
import { eraseEntity, redactAnswer, scrub, searchAnswersWith } from '../warehouse/forget.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import { withoutEntities } from './redact.ts';

export interface Forgotten {
  /** Rows deleted from the tables. */
  readonly rows: number;
  /** Search answers that it was taken out of. */
  readonly answers: number;
}

/**
 * Erases an entity from the answers, the history, the search and the exports to come. Its id alone stays, so
 * that the mirror never takes it in again. The caller holds the warehouse's lock.
 */
export function forget(options: {
  warehouse: Warehouse;
  dialect: Dialect;
  entityId: string;
  nowMs: number;
}): Forgotten {
  const { warehouse, dialect, entityId, nowMs } = options;
  const { db } = warehouse;
  const now = isoTime(nowMs);
  db.pragma('secure_delete = ON');
  const forgotten = warehouse.write(() => {
    const answers = redactAnswers(warehouse, dialect, entityId, now);
    return { answers, ...eraseEntity(db, entityId, now) };
  });
  scrub(db);
  db.pragma('secure_delete = FAST');
  return forgotten;
}

function redactAnswers({ db }: Warehouse, dialect: Dialect, entityId: string, now: string): number {
  const ids = new Set([entityId]);
  let redacted = 0;
  for (const { callId, body, headers } of searchAnswersWith(db, entityId)) {
    const without = withoutEntities(dialect.search, body, headersIn(headers)['content-type'] ?? '', ids);
    if (without === null) continue;
    redactAnswer(db, callId, without, now);
    redacted += 1;
  }
  return redacted;
}
