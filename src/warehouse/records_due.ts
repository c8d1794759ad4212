import type { Database } from 'better-sqlite3';
import { FASTEST_CLASS, SLOWEST_CLASS } from '../change_rate/change_rate.ts';
import { isoTime } from '../clock.ts';
import type { DueRecord, ExpectedYield, RatedRecord, RecordsDue } from '../knowledge.ts';

const FOUND = 'SELECT entity_id AS entityId, missing_at AS missingAt, rate_class AS rateClass';

/** What is asked with every plan: each comes in order from an index of its own, so only the rows asked for are read. */
export const DUE_LOOKUPS = {
  flagged: `${FOUND}, asked_at AS askedAt FROM _known
     WHERE flagged_at IS NOT NULL AND (asked_at IS NULL OR asked_at < @startedAt)
     ORDER BY rate_class, flagged_at LIMIT @most`,
  neverFetched: `${FOUND}, asked_at AS askedAt FROM _known
     WHERE asked_at IS NULL AND gone_at IS NULL ORDER BY known_id LIMIT @most`,
  stale: `${FOUND}, asked_at AS askedAt FROM _known
     WHERE rate_class = @rateClass AND asked_at < @before AND flagged_at IS NULL AND gone_at IS NULL
     ORDER BY asked_at LIMIT @most OFFSET @from`,
  rateClasses: `SELECT rate_class AS rateClass, count(*) AS companies FROM _known
     WHERE asked_at IS NOT NULL AND gone_at IS NULL AND flagged_at IS NULL GROUP BY rate_class`,
} as const;

/** The records that are due, the most valuable first. */
export function openRecordsDue(db: Database): (ask: RecordsDue) => DueRecord[] {
  const flagged = db.prepare<[{ most: number; startedAt: string }], Row>(DUE_LOOKUPS.flagged);
  const neverFetched = db.prepare<[{ most: number }], Row>(DUE_LOOKUPS.neverFetched);
  const stale = db.prepare<[StaleAsk], Row>(DUE_LOOKUPS.stale);
  // One look reads each class of rates: as one transaction it takes the locks of the file once.
  return db.transaction((ask: RecordsDue) => {
    const most = ask.most + ask.except.size;
    const worth = ask.expectedYield ?? inOrder;
    const rated = (why: RatedRecord['why']) => (row: Row) => candidate(row, why, worth, ask.nowMs);
    const first = [
      ...flagged.all({ most, startedAt: timeOf(ask.startedAtMs) }).map(rated('flagged')),
      ...neverFetched.all({ most }).map(rated('never_fetched')),
    ].sort((a, b) => b.worth.days - a.worth.days);
    const merged = [...first, ...mergeStale(ask, most, first, (from) => stale.all(from).map(rated('stale')))];
    // Sorting is stable: of equal worth, flagged ones come before those never fetched, and these before stale ones.
    merged.sort((a, b) => b.worth.days - a.worth.days);
    return merged
      .filter(({ entityId }) => !ask.except.has(entityId))
      .slice(0, ask.most)
      .map(({ entityId, why, worth: found }) => ({
        entityId,
        why,
        ...(ask.expectedYield && { expectedYield: found }),
      }));
  });
}

/** How many fetched companies each class of rates has. */
export function openRateClasses(db: Database): () => ReadonlyMap<number, number> {
  const select = db.prepare<[], { rateClass: number; companies: number }>(DUE_LOOKUPS.rateClasses);
  return () => new Map(select.all().map(({ rateClass, companies }) => [rateClass, companies]));
}

/** Within a class the oldest is worth most: the best of all classes are found from the heads of each. */
function mergeStale(
  ask: RecordsDue,
  most: number,
  first: readonly Candidate[],
  read: (from: StaleAsk) => Candidate[],
): Candidate[] {
  const before = timeOf(ask.beforeMs);
  const chunk = Math.max(8, Math.ceil(most / 16));
  const found: Candidate[] = [];
  let heads: Head[] = [];
  for (let rateClass = SLOWEST_CLASS; rateClass <= FASTEST_CLASS; rateClass++) {
    const rows = read({ rateClass, before, most: chunk, from: 0 });
    if (rows.length > 0) heads.push({ rateClass, rows, at: 0, read: rows.length });
  }
  while (found.length < most && heads.length > 0) {
    const best = heads.reduce((a, b) => (worthOf(b) > worthOf(a) ? b : a));
    const next = best.rows[best.at] as Candidate;
    // Those behind it are worth no more: enough others are worth more.
    if (first.length >= most && next.worth.days <= (first[most - 1] as Candidate).worth.days) break;
    found.push(next);
    best.at++;
    if (best.at < best.rows.length) continue;
    best.rows = read({ rateClass: best.rateClass, before, most: chunk, from: best.read });
    best.at = 0;
    best.read += best.rows.length;
    if (best.rows.length === 0) heads = heads.filter((head) => head !== best);
  }
  return found;
}

/** Clamped to the times that can be written. */
function timeOf(epochMs: number): string {
  return isoTime(Math.min(Math.max(epochMs, 0), LATEST_MS));
}

function worthOf({ rows, at }: Head): number {
  return (rows[at] as Candidate).worth.days;
}

function candidate(
  { entityId, missingAt, rateClass, askedAt }: Row,
  why: RatedRecord['why'],
  worth: (record: RatedRecord) => ExpectedYield,
  nowMs: number,
): Candidate {
  const ageDays = askedAt === null ? 0 : (nowMs - Date.parse(askedAt)) / DAY_MS;
  return {
    entityId,
    why: missingAt === null ? why : 'missing',
    worth: worth({ why, rateClass, ageDays }),
  };
}

/** Without prices: flagged, then never fetched, then the oldest. */
function inOrder({ why, ageDays }: RatedRecord): ExpectedYield {
  const days = why === 'flagged' ? 2e9 : why === 'never_fetched' ? 1e9 : ageDays;
  return { days, repairs: 1 };
}

interface Row {
  readonly entityId: string;
  readonly missingAt: string | null;
  readonly rateClass: number;
  readonly askedAt: string | null;
}

interface StaleAsk {
  readonly rateClass: number;
  readonly before: string;
  readonly most: number;
  readonly from: number;
}

interface Candidate {
  readonly entityId: string;
  readonly why: DueRecord['why'];
  readonly worth: ExpectedYield;
}

interface Head {
  readonly rateClass: number;
  rows: Candidate[];
  at: number;
  read: number;
}

const DAY_MS = 86_400_000;
const LATEST_MS = Date.UTC(9999, 0, 1);

/** How many records of known companies are due: never fetched, flagged as changed, or fetched before `before`. */
export function dueRecordCount(db: Database, before: string): number {
  const count = db.prepare<[string], number>(
    `SELECT count(*) FROM _known
     WHERE flagged_at IS NOT NULL OR gone_at IS NULL AND (asked_at IS NULL OR asked_at < ?)`,
  );
  return count.pluck().get(before) ?? 0;
}
