import type { SearchCall } from '../../call.ts';
import type { Dialect } from '../../dialect/dialect.ts';
import type { BackfillKnowledge, LoadResult, QueryState } from '../../knowledge.ts';
import type { Pending } from '../pending.ts';

/** A part of a scope that searches find: the companies of one query, or the companies with the wanted names. */
export interface Goal {
  /** Returns the best search, which is then in flight, or null if none can be sent now. */
  next(nowMs: number): SearchCall | null;
  /** Learns from a search. If the query was given up, its state is `refused`. */
  learn(result: LoadResult): void;
  /** Makes the query of a call that was not sent a candidate again. */
  release(call: SearchCall): void;
}

/** The facts about the registry that goals need. */
export interface GoalContext {
  readonly knowledge: BackfillKnowledge;
  readonly dialect: Dialect;
  readonly pending: Pending;
  /** The queries with recent enough listings. */
  readonly states: readonly QueryState[];
  /** Called with each company that a goal finds. */
  readonly onFound: (entityId: string) => void;
}
