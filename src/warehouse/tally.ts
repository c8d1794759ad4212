import type { Database } from 'better-sqlite3';
import type { Known } from './known.ts';

/**
 * A count in `_tally` that would otherwise need a scan. `known` counts all companies, while `listed` and `fetched`
 * exclude gone companies.
 */
export type TallyName = 'known' | 'listed' | 'fetched' | 'gone';

export function tallyTable(db: Database) {
  const add = db.prepare<[TallyName, number]>(
    `INSERT INTO _tally (what, n) VALUES (?, ?) ON CONFLICT (what) DO UPDATE SET n = n + excluded.n`,
  );
  const pending: Record<TallyName, number> = { known: 0, listed: 0, fetched: 0, gone: 0 };
  return {
    /** Adds a company to the pending counts (`by` = 1) or removes it (-1). */
    count: (known: Known, by: 1 | -1): void => {
      pending.known += by;
      if (known.goneAt !== null) {
        pending.gone += by;
        return;
      }
      if (known.listedAt !== null) pending.listed += by;
      if (known.fetchedAt !== null) pending.fetched += by;
    },
    save: (): void => {
      for (const [name, n] of Object.entries(pending) as [TallyName, number][]) {
        if (n !== 0) add.run(name, n);
        pending[name] = 0;
      }
    },
  };
}
