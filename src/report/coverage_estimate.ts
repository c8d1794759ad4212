import { countOfListing, type WholeListing } from '../whole_listing.ts';

/** The evidence from which the known share of a registry is estimated. */
export interface CoverageEvidence {
  /** The number of known companies that are not gone. */
  readonly known: number;
  /** The registry count; null if the registry does not report its size. */
  readonly registryTotal: number | null;
  /**
   * The largest total that a search reported, which is a lower bound on the registry's size; null if searches report no
   * total.
   */
  readonly largestTotal: number | null;
  /** The listing of all companies, if the upstream has one and it was read to its end without contradiction. */
  readonly listing: WholeListing | null;
}

/** An interval of shares from 0 to 1. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

export interface CoverageEstimate extends Interval {
  /**
   * The evidence that the share is based on: the registry count, or the listing of all companies. With `nothing`, the
   * share can be anything up to `high`.
   */
  readonly by: 'statistics' | 'searches' | 'nothing';
  /** The largest total that a search reported; null if searches report no total. */
  readonly largestTotal: number | null;
}

/**
 * Returns the known share of the registry. Only a registry count or a listing of all companies shows a lower bound. The
 * share of search results that were known before shows none, because searches cannot find companies at random: a company
 * that no known word finds is never on a page. The upper bound is at most `known / largestTotal`.
 */
export function estimateCoverage(evidence: CoverageEvidence): CoverageEstimate {
  const { known, registryTotal, largestTotal, listing } = evidence;
  const listed = listing === null ? null : countOfListing(listing, known);
  const size = Math.max(registryTotal ?? 0, largestTotal ?? 0, listed ?? 0);
  const high = size === 0 ? 1 : Math.min(1, known / size);
  // If the registry count is smaller than the number of known companies, it is outdated or counts something else, so
  // the exact share is unknown.
  const shown = { high, largestTotal };
  if (registryTotal !== null && known <= size) return { ...shown, low: high, by: 'statistics' };
  if (listed !== null) return { ...shown, low: high, by: 'searches' };
  return { ...shown, low: 0, by: 'nothing' };
}
