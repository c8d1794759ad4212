import type { Database } from 'better-sqlite3';
import {
  type EstimateState,
  Estimates,
  FIRST_ESTIMATES,
  type Watched,
} from '../change_rate/change_estimates.ts';

/** Reads and writes `_change_estimate`, which stores the change rates estimated from all companies together. */
export function estimateTable(db: Database) {
  const write = db.prepare<[string, string]>(
    `INSERT OR REPLACE INTO _change_estimate (class, state) VALUES (?, ?)`,
  );
  const sample = openSample(db);
  const stored = readEstimates(db);
  const book = new Estimates(stored());
  let saved = book.state;
  return {
    book,
    /** Fits and writes the estimates if a fit is due. Call this function in the transaction that writes the rows. */
    save: (): void => {
      if (book.isFitDue) book.fit(sample(book.state.lessons));
      if (book.state === saved) return;
      saved = book.state;
      write.run(ALL, JSON.stringify(saved));
    },
  };
}

/** Returns a function that reads the stored estimates. */
export function readEstimates(db: Database): () => EstimateState {
  const read = db.prepare<[string], string>(`SELECT state FROM _change_estimate WHERE class = ?`).pluck();
  return () => {
    const text = read.get(ALL);
    return text === undefined ? FIRST_ESTIMATES : (JSON.parse(text) as EstimateState);
  };
}

/** Returns a function that samples fetched companies across the whole table. The seed determines the sample. */
function openSample(db: Database): (seed: number) => Watched[] {
  const last = db.prepare<[], number | null>(`SELECT max(known_id) FROM _company`).pluck();
  const find = db.prepare<[number], SampleRow>(
    `SELECT changes, changing_days AS changingDays, changing_log AS changingLog, steady_days AS steadyDays, rate_class AS rateClass,
       fetched_at AS fetchedAtMs, listed_at AS listedAtMs, flagged_at IS NOT NULL AS isFlagged
     FROM _company WHERE known_id = ? AND fetched_at IS NOT NULL AND gone_at IS NULL`,
  );
  return (seed) => {
    const step = Math.max((last.get() ?? 0) / SAMPLE, 1);
    const offset = 1 + (seed % Math.ceil(step));
    return Array.from({ length: SAMPLE }, (_, at) => find.get(Math.floor(offset + at * step)))
      .filter((row) => row !== undefined)
      .map(
        ({
          changes,
          changingDays,
          changingLog,
          steadyDays,
          rateClass,
          fetchedAtMs,
          listedAtMs,
          isFlagged,
        }) => ({
          evidence: { changes, changingDays, changingLog, steadyDays },
          rateClass,
          fetchedAtMs,
          listedAtMs,
          isFlagged: isFlagged === 1,
        }),
      );
  };
}

interface SampleRow {
  readonly changes: number;
  readonly changingDays: number;
  readonly changingLog: number;
  readonly steadyDays: number;
  readonly rateClass: number;
  readonly fetchedAtMs: number;
  readonly listedAtMs: number | null;
  readonly isFlagged: 0 | 1;
}

const SAMPLE = 1500;
// All companies are in one class. A record field could later divide them into several classes.
const ALL = '';
