import type { Catalogue } from '../../src/api/catalogue.ts';

/** Errors in search responses that a client must detect. */
export interface SearchFlaws {
  /** The relative error of totals: 0.1 adds 10%. */
  readonly totalOff?: number;
  /** The rows by which later pages start too early (positive, so rows repeat) or too late (negative, rows are skipped). */
  readonly drift?: number;
  /** Whether every request returns the first page. */
  readonly isStuck?: boolean;
  /** Whether every query returns all companies. */
  readonly isDeaf?: boolean;
}

/** Returns a sandbox's `flaws`. */
export function flawed({ totalOff = 0, drift = 0, isStuck, isDeaf }: SearchFlaws) {
  return (catalogue: Catalogue): Catalogue => ({
    ...catalogue,
    search(query, reader) {
      const { total, items } = catalogue.search(isDeaf ? { ...query, by: 'name', text: '' } : query, reader);
      const startOf = (from: number) => (from === 0 || isStuck ? 0 : Math.max(0, from - drift));
      return {
        total: Math.round(total * (1 + totalOff)),
        items: (from, count) => items(startOf(from), count),
      };
    },
  });
}
