import type { Dialect } from '../../dialect/dialect.ts';
import type { BackfillKnowledge, QueryState } from '../../knowledge.ts';
import type { Pending } from '../pending.ts';

/** The facts about the registry that the goals of a backfill or watchlist need. */
export interface WantedContext {
  readonly knowledge: BackfillKnowledge;
  readonly dialect: Dialect;
  readonly pending: Pending;
  /** The queries with recent enough listings. */
  readonly states: readonly QueryState[];
  /** Called with each company that a goal finds. */
  readonly onFound: (entityId: string) => void;
}
