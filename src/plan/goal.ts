import type { SearchCall } from '../call.ts';
import type { LoadResult } from '../knowledge.ts';

/** A purpose of searches: to find all companies, the companies of one query, or the companies with the wanted names. */
export interface Goal {
  /** Returns the best search, which is then in flight, or null if none can be sent now. */
  next(nowMs: number): SearchCall | null;
  learn(result: LoadResult): void;
  /** Makes the query of a call that was not sent a candidate again. */
  release(call: SearchCall): void;
}
