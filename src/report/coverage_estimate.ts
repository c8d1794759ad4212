/** What speaks of the share of a registry that is known. */
export interface CoverageEvidence {
  /** Known and not gone. */
  readonly known: number;
  /** The registry's own count; null: it gives none. */
  readonly registryTotal: number | null;
  /** The largest total that a search stated; null: none does. The registry holds at least so many. */
  readonly largestTotal: number | null;
  /** Pages of searches: the companies on each, and those among them that nobody had seen before. */
  readonly pages: readonly { readonly rows: number; readonly new: number }[];
}

/** Shares between 0 and 1. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

export interface CoverageEstimate extends Interval {
  /** What it rests on. nothing: it may be anything up to `high`. */
  readonly by: 'statistics' | 'searches' | 'nothing';
  /** Capture and recapture: the share of the companies on those pages that were known before; null: too few pages. */
  readonly recaptured: (Interval & { readonly pages: number }) | null;
}

/**
 * How much of the registry is known, at 95 % confidence. The registry's own count decides where there is one; beside
 * it, and else alone, what searches bring that was known before. Searches are made where something new is expected,
 * so that they show rather less than is known: the lower end is a cautious one. The upper end is never above
 * what a count or a total allows.
 */
export function estimateCoverage(evidence: CoverageEvidence): CoverageEstimate {
  const { known, registryTotal, largestTotal } = evidence;
  const recaptured = recapture(evidence.pages);
  const size = Math.max(registryTotal ?? 0, largestTotal ?? 0);
  const high = size === 0 ? 1 : Math.min(1, known / size);
  // A count below what is known lags behind, or counts something else: it does not bound from below.
  if (registryTotal !== null && known <= size) return { low: high, high, by: 'statistics', recaptured };
  if (recaptured === null) return { low: 0, high, by: 'nothing', recaptured };
  return { low: Math.min(high, recaptured.low), high, by: 'searches', recaptured };
}

/**
 * The ratio of cluster samples: companies on one page resemble each other, so that each page counts as one draw
 * (Cochran, Sampling Techniques, 1977, chapter 6). Where no page has anything new, three in so many draws may.
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
