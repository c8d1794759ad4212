import type { Database } from 'better-sqlite3';
import { FASTEST_CLASS, SLOWEST_CLASS } from '../change_rate/change_rate.ts';
import { DAY_MS } from '../durations.ts';
import type { DueRecord, ExpectedYield, RatedRecord, RecordsDue } from '../knowledge.ts';
import { rows, value } from '../sqlite/query.ts';

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
     ORDER BY asked_at LIMIT @most OFFSET @from`,
  rateClasses: `SELECT rate_class AS rateClass, count(*) AS companies FROM _company
     WHERE asked_at IS NOT NULL AND gone_at IS NULL AND flagged_at IS NULL GROUP BY rate_class`,
  olderThan: `SELECT count(*) FROM _company
     WHERE rate_class = @rateClass AND asked_at <= @beforeMs AND flagged_at IS NULL AND gone_at IS NULL`,
} as const;

/** Returns a function that finds the records that are due, highest expected yield first. */
export function openRecordsDue(db: Database): (ask: RecordsDue) => DueRecord[] {
  // One transaction covers all rate classes' lookups, so that SQLite locks the file only once.
  return db.transaction((ask: RecordsDue) => {
    const most = ask.most + ask.except.size;
    const yieldOf = ask.expectedYield ?? inOrder;
    const rated = (why: RatedRecord['why']) => (row: Row) => candidate(row, why, yieldOf, ask.nowMs);
    const first = [
      ...rows<Row>(db, DUE_LOOKUPS.flagged, { most, startedAtMs: ask.startedAtMs }).map(rated('flagged')),
      ...rows<Row>(db, DUE_LOOKUPS.neverFetched, { most }).map(rated('never_fetched')),
      ...rows<Row>(db, DUE_LOOKUPS.gone, { most, beforeMs: ask.beforeMs }).map(rated('stale')),
    ].sort((a, b) => b.expectedYield.days - a.expectedYield.days);
    const merged = [
      ...first,
      ...mergeStale(ask, most, first, (from) => rows<Row>(db, DUE_LOOKUPS.stale, from).map(rated('stale'))),
    ];
    // Sorting is stable. Among equal yields, flagged records come first, then records that were never fetched, then
    // stale records.
    merged.sort((a, b) => b.expectedYield.days - a.expectedYield.days);
    return merged
      .filter(({ entityId }) => !ask.except.has(entityId))
      .slice(0, ask.most)
      .map(({ entityId, why, expectedYield: found }) => ({
        entityId,
        why,
        ...(ask.expectedYield && { expectedYield: found }),
      }));
  });
}

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

/**
 * Merges the stale records of all rate classes by expected yield. Within a class, the oldest record has the highest
 * yield. The best remaining record is therefore always the first remaining record in one of the classes.
 */
function mergeStale(
  ask: RecordsDue,
  most: number,
  first: readonly Candidate[],
  read: (from: StaleAsk) => Candidate[],
): Candidate[] {
  const { beforeMs } = ask;
  const chunk = Math.max(8, Math.ceil(most / 16));
  const found: Candidate[] = [];
  let heads: Head[] = [];
  for (let rateClass = SLOWEST_CLASS; rateClass <= FASTEST_CLASS; rateClass++) {
    const rows = read({ rateClass, beforeMs, most: chunk, from: 0 });
    if (rows.length > 0) heads.push({ rateClass, rows, at: 0, read: rows.length });
  }
  while (found.length < most && heads.length > 0) {
    const best = heads.reduce((a, b) => (yieldDaysOf(b) > yieldDaysOf(a) ? b : a));
    const next = best.rows[best.at] as Candidate;
    // Enough records with at least this yield were found, and no remaining record has a higher one.
    if (first.length >= most && next.expectedYield.days <= (first[most - 1] as Candidate).expectedYield.days)
      break;
    found.push(next);
    best.at++;
    if (best.at < best.rows.length) continue;
    best.rows = read({ rateClass: best.rateClass, beforeMs, most: chunk, from: best.read });
    best.at = 0;
    best.read += best.rows.length;
    if (best.rows.length === 0) heads = heads.filter((head) => head !== best);
  }
  return found;
}

function yieldDaysOf({ rows, at }: Head): number {
  return (rows[at] as Candidate).expectedYield.days;
}

function candidate(
  { entityId, isMissing, rateClass, askedAtMs }: Row,
  why: RatedRecord['why'],
  yieldOf: (record: RatedRecord) => ExpectedYield,
  nowMs: number,
): Candidate {
  const ageDays = askedAtMs === null ? 0 : (nowMs - askedAtMs) / DAY_MS;
  return {
    entityId,
    why: isMissing === 0 ? why : 'missing',
    expectedYield: yieldOf({ why, rateClass, ageDays }),
  };
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

interface StaleAsk {
  readonly rateClass: number;
  readonly beforeMs: number;
  readonly most: number;
  readonly from: number;
}

interface Candidate {
  readonly entityId: string;
  readonly why: DueRecord['why'];
  readonly expectedYield: ExpectedYield;
}

interface Head {
  readonly rateClass: number;
  rows: Candidate[];
  at: number;
  read: number;
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
