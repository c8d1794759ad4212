import type { Database } from 'better-sqlite3';
import {
  type EstimateState,
  Estimates,
  FIRST_ESTIMATES,
  type Watched,
} from '../change_rate/change_estimates.ts';
import { row, value } from '../sqlite/statements.ts';
import { metaTable } from './meta.ts';

/** Reads and writes the change rates estimated from all companies together. */
export function estimateTable(db: Database) {
  const book = new Estimates(readEstimates(db));
  let saved = book.state;
  return {
    book,
    /** Fits and writes the estimates if a fit is due. Call this function in the transaction that writes the rows. */
    save: (): void => {
      if (book.isFitDue) book.fit(sampleOf(db, book.state.lessons));
      if (book.state === saved) return;
      saved = book.state;
      metaTable(db).set('change_estimates', saved);
    },
  };
}

/** Reads the stored estimates. */
export function readEstimates(db: Database): EstimateState {
  return { ...FIRST_ESTIMATES, ...metaTable(db).get('change_estimates') };
}

/** Samples fetched companies across the whole table. The seed determines the sample. */
function sampleOf(db: Database, seed: number): Watched[] {
  const last = value<number | null>(db, 'SELECT max(known_id) FROM _company') ?? 0;
  const step = Math.max(last / SAMPLE, 1);
  const offset = 1 + (seed % Math.ceil(step));
  return Array.from({ length: SAMPLE }, (_, at) => row<SampleRow>(db, FIND, Math.floor(offset + at * step)))
    .filter((found) => found !== undefined)
    .map(({ rateClass, fetchedAtMs, listedAtMs, isFlagged, ...evidence }) => ({
      evidence,
      rateClass,
      fetchedAtMs,
      listedAtMs,
      isFlagged: isFlagged === 1,
    }));
}

const FIND = `
  SELECT changes, changing_days AS changingDays, steady_days AS steadyDays,
    rate_class AS rateClass, fetched_at AS fetchedAtMs, listed_at AS listedAtMs, flagged_at IS NOT NULL AS isFlagged
  FROM _company WHERE known_id = ? AND fetched_at IS NOT NULL AND gone_at IS NULL`;

type SampleRow = Watched['evidence'] &
  Omit<Watched, 'evidence' | 'isFlagged'> & { readonly isFlagged: 0 | 1 };

const SAMPLE = 1500;
