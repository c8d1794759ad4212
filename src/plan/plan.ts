import type { Call } from '../call.ts';
import type { News } from './knowledge.ts';

/** What is left to spend, as the ledger sees it. Infinity: no limit. */
export interface Left {
  readonly calls: number;
  /** The smallest whole-life allowance, where there is one: statistics may take at most 2 % of it. */
  readonly lifetimeLimit: number | null;
}

export interface Ask {
  readonly nowMs: number;
  readonly left: Left;
  /** How many calls can be used now. */
  readonly most: number;
}

export interface Plan {
  /** Best value first; none twice, none that is in flight. */
  readonly calls: Call[];
  /** With no calls: when the earliest retry becomes possible; null when nothing is due. */
  readonly wakeAtMs: number | null;
}

/** Chooses which calls are worth most. It sends and writes nothing; `learn` is told what load committed. */
export interface Planner {
  next(ask: Ask): Plan;
  learn(news: News): void;
}
