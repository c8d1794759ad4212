import type { Database } from 'better-sqlite3';
import { FASTEST_CLASS, SLOWEST_CLASS } from '../change_rate/change_rate.ts';
import { DAY_MS } from '../durations.ts';
import type { DueRecord, ExpectedYield, RatedRecord, RecordsDue } from '../knowledge.ts';
import { rows, value } from '../sqlite/statements.ts';

const FOUND =
  'SELECT entity_id AS entityId, missing_at IS NOT NULL AS isMissing, rate_class AS rateClass, asked_at AS askedAtMs';

/**
 * The age of a gone company is counted from this time, so that its record is requested again later each time: after the
 * maximum age, and then after the maximum age and the time for which the company has been gone at the last call.
 */
export const GONE_SINCE = '2 * asked_at - gone_at';

/** The lookups that every plan needs. Each one reads its own index in order, and so reads only the requested rows. */
export const DUE_LOOKUPS = {
  flagged: `${FOUND} FROM _company
     WHERE flagged_at IS NOT NULL AND (asked_at IS NULL OR asked_at < @startedAtMs)
     ORDER BY rate_class, flagged_at LIMIT @most`,
  neverFetched: `${FOUND} FROM _company
     WHERE asked_at IS NULL AND gone_at IS NULL ORDER BY known_id LIMIT @most`,
  gone: `${FOUND} FROM _company
     WHERE gone_at IS NOT NULL AND ${GONE_SINCE} < @beforeMs AND flagged_at IS NULL ORDER BY ${GONE_SINCE} LIMIT @most`,
  stale: `${FOUND} FROM _company
     WHERE rate_class = @rateClass AND asked_at < @beforeMs AND flagged_at IS NULL AND gone_at IS NULL
     ORDER BY asked_at LIMIT @most`,
  rateClasses: `SELECT rate_class AS rateClass, count(*) AS companies FROM _company
     WHERE asked_at IS NOT NULL AND gone_at IS NULL AND flagged_at IS NULL GROUP BY rate_class`,
  olderThan: `SELECT count(*) FROM _company
     WHERE rate_class = @rateClass AND asked_at <= @beforeMs AND flagged_at IS NULL AND gone_at IS NULL`,
} as const;

/** Returns a function that finds the records that are due, highest expected yield first. */
export function openRecordsDue(db: Database): (ask: RecordsDue) => DueRecord[] {
  // One transaction covers all rate classes' lookups, so that SQLite locks the file only once.
  return db.transaction((ask: RecordsDue) => {
    const { nowMs, beforeMs, startedAtMs, except, expectedYield: yieldOf = inOrder } = ask;
    const most = ask.most + except.size;
    const found = (why: RatedRecord['why'], sql: string, bound: object = {}) =>
      rows<Row>(db, sql, { most, ...bound }).map(({ entityId, isMissing, rateClass, askedAtMs }) => {
        const ageDays = askedAtMs === null ? 0 : (nowMs - askedAtMs) / DAY_MS;
        const expectedYield = yieldOf({ why, rateClass, ageDays });
        return { entityId, why: isMissing === 0 ? why : 'missing', expectedYield } as const;
      });
    // Sorting is stable. Among equal yields, flagged records come first, then records that were never fetched, then
    // stale records. Within a rate class, the oldest records have the highest yield.
    return [
      ...found('flagged', DUE_LOOKUPS.flagged, { startedAtMs }),
      ...found('never_fetched', DUE_LOOKUPS.neverFetched),
      ...found('stale', DUE_LOOKUPS.gone, { beforeMs }),
      ...RATE_CLASSES.flatMap((rateClass) => found('stale', DUE_LOOKUPS.stale, { rateClass, beforeMs })),
    ]
      .sort((a, b) => b.expectedYield.days - a.expectedYield.days)
      .filter(({ entityId }) => !except.has(entityId))
      .slice(0, ask.most)
      .map(({ expectedYield, ...record }) => ({ ...record, ...(ask.expectedYield && { expectedYield }) }));
  });
}

const RATE_CLASSES = Array.from({ length: FASTEST_CLASS - SLOWEST_CLASS + 1 }, (_, at) => SLOWEST_CLASS + at);

/** Counts the fetched companies in each rate class. */
export function countRateClasses(db: Database): ReadonlyMap<number, number> {
  const classes = rows<{ rateClass: number; companies: number }>(db, DUE_LOOKUPS.rateClasses);
  return new Map(classes.map(({ rateClass, companies }) => [rateClass, companies]));
}

/** Counts the records that are at least as old as the age, in days, for their rate class. */
export function countRecordsOlderThan(
  db: Database,
  ages: ReadonlyMap<number, number>,
  nowMs: number,
): number {
  let older = 0;
  for (const [rateClass, days] of ages)
    if (days < Number.POSITIVE_INFINITY)
      older += value<number>(db, DUE_LOOKUPS.olderThan, { rateClass, beforeMs: nowMs - days * DAY_MS }) ?? 0;
  return older;
}

/** The default yields, which put flagged records first, then those never fetched, then the oldest. */
function inOrder({ why, ageDays }: RatedRecord): ExpectedYield {
  const days = why === 'flagged' ? 2e9 : why === 'never_fetched' ? 1e9 : ageDays;
  return { days, repairs: 1 };
}

interface Row {
  readonly entityId: string;
  readonly isMissing: 0 | 1;
  readonly rateClass: number;
  readonly askedAtMs: number | null;
}

/**
 * Counts the known companies with a due record. A record is due if it was never fetched, is flagged as changed, or was
 * last requested before `beforeMs`. For gone companies, see `GONE_SINCE`.
 */
export function dueRecordCount(db: Database, beforeMs: number): number {
  const sql = `SELECT count(*) FROM _company
     WHERE flagged_at IS NOT NULL OR (gone_at IS NULL AND (asked_at IS NULL OR asked_at < @beforeMs))
       OR ${GONE_SINCE} < @beforeMs`;
  return value<number>(db, sql, { beforeMs }) ?? 0;
}
