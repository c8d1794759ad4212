/** The expected and observed changes. */
export interface Signal {
  /** How many changes the listed companies' rates predict between the listings. */
  readonly listedExpected: number;
  /** How many changes the listings showed. */
  readonly listedShown: number;
  /** How many changes the fetched companies' rates predict for the days that listings covered. */
  readonly fetchedExpected: number;
  /** An estimate of how many changes in those days only a fetch showed. */
  readonly fetchedHidden: number;
}

export const NO_SIGNAL: Signal = { listedExpected: 0, listedShown: 0, fetchedExpected: 0, fetchedHidden: 0 };

/**
 * Returns v, the share of changes that a listing shows: v = A / (A + B), with
 * A = ¼ + a · f / (f + l) and B = ¼ + b · l / (f + l).
 *
 * Listings showed a of l expected changes. In the days that listings covered, f changes were expected, and fetches found
 * b changes that the listings had missed.
 */
export function shownShareOf({ listings }: { readonly listings: Signal }): number {
  const { listedExpected, listedShown, fetchedExpected, fetchedHidden } = listings;
  const both = Math.max(listedExpected + fetchedExpected, Number.MIN_VALUE);
  const shown = PRIOR_WEIGHT + (listedShown * fetchedExpected) / both;
  const unseen = PRIOR_WEIGHT + (fetchedHidden * listedExpected) / both;
  return shown / (shown + unseen);
}

/**
 * Reduces the weight of old evidence, because the upstream may change. Otherwise, listings could end up fully trusted,
 * and fetches would no longer test them.
 */
export function faded(signal: Signal, factor: number): Signal {
  return {
    listedExpected: signal.listedExpected * factor,
    listedShown: signal.listedShown * factor,
    fetchedExpected: signal.fetchedExpected * factor,
    fetchedHidden: signal.fetchedHidden * factor,
  };
}

const PRIOR_WEIGHT = 0.25;
