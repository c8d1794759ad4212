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
  /** The number of companies on each page of search results, and how many of them were new. */
  readonly pages: readonly { readonly rows: number; readonly new: number }[];
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
  /**
   * The share of companies on the result pages that were known before (capture-recapture); null if there are too few
   * pages.
   */
  readonly recaptured: (Interval & { readonly pages: number }) | null;
}

/**
 * Returns the known share of the registry. Only a registry count or a listing of all companies shows a lower bound. The
 * share of search results that were known before shows none, because searches cannot find companies at random: a company
 * that no known word finds is never on a page. The upper bound is at most `known / largestTotal`.
 */
export function estimateCoverage(evidence: CoverageEvidence): CoverageEstimate {
  const { known, registryTotal, largestTotal, listing } = evidence;
  const recaptured = recapture(evidence.pages);
  const listed = listing === null ? null : countOfListing(listing, known);
  const size = Math.max(registryTotal ?? 0, largestTotal ?? 0, listed ?? 0);
  const high = size === 0 ? 1 : Math.min(1, known / size);
  // If the registry count is smaller than the number of known companies, it is outdated or counts something else, so
  // the exact share is unknown.
  const shown = { high, largestTotal, recaptured };
  if (registryTotal !== null && known <= size) return { ...shown, low: high, by: 'statistics' };
  if (listed !== null) return { ...shown, low: high, by: 'searches' };
  return { ...shown, low: 0, by: 'nothing' };
}

/**
 * The ratio estimator for cluster samples (Cochran, Sampling Techniques, 3rd edition, 1977, chapter 6). Companies on
 * the same page are similar, so the page is the sampling unit. Page i of n has m_i companies, and k_i of them were
 * known before:
 *
 *     p = Σ k_i / Σ m_i      s = √(n / (n − 1) · Σ (k_i − p·m_i)²) / Σ m_i      interval: p ± max(1.96·s, 3/n)
 *
 * The term 3/n is the rule of three: if no page has a new company, the 95% upper bound on the share of new companies is
 * 3/n.
 */
function recapture(pages: CoverageEvidence['pages']): CoverageEstimate['recaptured'] {
  const drawn = pages.filter(({ rows }) => rows > 0);
  if (drawn.length < FEWEST_PAGES) return null;
  const rows = drawn.reduce((sum, page) => sum + page.rows, 0);
  const share = drawn.reduce((sum, page) => sum + Math.max(0, page.rows - page.new), 0) / rows;
  const spread = drawn.reduce((sum, page) => sum + (page.rows - page.new - share * page.rows) ** 2, 0);
  const deviation = Math.sqrt((spread * drawn.length) / (drawn.length - 1)) / rows;
  const margin = Math.max(1.96 * deviation, 3 / drawn.length);
  return { low: Math.max(0, share - margin), high: Math.min(1, share + margin), pages: drawn.length };
}

const FEWEST_PAGES = 10;
