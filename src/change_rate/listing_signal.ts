/** The expected and observed changes in one group of rate classes. */
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
 * A = ¼ + Σ_g a_g · f_g / (f_g + l_g) and B = ¼ + Σ_g b_g · l_g / (f_g + l_g).
 *
 * g is a group of rate classes. In g, listings showed a_g of l_g expected changes. In the days that listings covered,
 * f_g changes were expected, and fetches found b_g changes that the listings had missed. The weights are those of
 * Mantel and Haenszel's pooled ratio (JNCI 22(4), 1959). They remove the bias that arises because fetched and listed
 * companies have different rates.
 */
export function shownShareOf({ signal }: { readonly signal: readonly Signal[] }): number {
  let shown = PRIOR_WEIGHT;
  let unseen = PRIOR_WEIGHT;
  for (const { listedExpected, listedShown, fetchedExpected, fetchedHidden } of signal) {
    const both = listedExpected + fetchedExpected;
    if (both === 0) continue;
    shown += (listedShown * fetchedExpected) / both;
    unseen += (fetchedHidden * listedExpected) / both;
  }
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
