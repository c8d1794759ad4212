import type { Call, CallKind } from '../call.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { Discovery } from './discovery.ts';
import type { Knowledge, News } from './knowledge.ts';
import { Pending } from './pending.ts';
import type { Ask, Plan, Planner, PlannerSettings } from './plan.ts';
import { Records } from './records.ts';
import { statisticsDue } from './statistics.ts';

/** A planner over what is known. It reads `knowledge`, sends nothing and writes nothing. */
export function openPlanner(options: {
  readonly knowledge: Knowledge;
  readonly dialect: Dialect;
  readonly settings: PlannerSettings;
}): Planner {
  return new OpenPlanner(options.knowledge, options.dialect, options.settings);
}

class OpenPlanner implements Planner {
  readonly #knowledge: Knowledge;
  readonly #settings: PlannerSettings;
  readonly #pending: Pending;
  readonly #records: Records;
  readonly #discovery: Discovery;

  constructor(knowledge: Knowledge, dialect: Dialect, settings: PlannerSettings) {
    const { summariesMs, recordsMs } = settings.maxAge;
    const pending = new Pending(knowledge.failures());
    this.#knowledge = knowledge;
    this.#settings = settings;
    this.#pending = pending;
    this.#records = new Records(knowledge, recordsMs, pending);
    this.#discovery = new Discovery({ knowledge, dialect, maxAgeMs: summariesMs, pending });
  }

  next(ask: Ask): Plan {
    const most = Math.min(ask.most, ask.left.calls);
    const calls: Call[] = [];
    for (const kind of this.#order()) {
      if (calls.length >= most) break;
      calls.push(...this.#callsOf(kind, ask, most - calls.length));
    }
    const wakeAtMs = calls.length > 0 ? null : this.#pending.earliestRetryMs(this.#settings.kinds, ask.nowMs);
    return { calls, wakeAtMs, drift: this.#records.drift };
  }

  learn(news: News): void {
    this.#pending.landed(news.call);
    if (news.failure === null) this.#pending.recovered(news.call);
    else this.#pending.wait(news.failure);
    this.#records.learn(news);
    this.#discovery.learn(news);
  }

  release(call: Call): void {
    this.#pending.landed(call);
    this.#records.release(call);
    if (call.kind === 'search') this.#discovery.release(call);
  }

  /** Kinds in the order in which the lanes are filled. */
  #order(): CallKind[] {
    const order: CallKind[] =
      this.#settings.focus === 'coverage' ? ['stats', 'search', 'entity'] : ['stats', 'entity', 'search'];
    return order.filter((kind) => this.#settings.kinds.has(kind));
  }

  #callsOf(kind: CallKind, ask: Ask, most: number): Call[] {
    switch (kind) {
      case 'stats':
        return this.#statistics(ask);
      case 'search':
        return this.#discovery.next(ask.nowMs, most);
      case 'entity':
        return this.#records.next(ask.nowMs, most);
    }
  }

  #statistics(ask: Ask): Call[] {
    if (!this.#pending.isFree('stats', '', ask.nowMs)) return [];
    const { nowMs, left } = ask;
    const maxAgeMs = this.#settings.maxAge.statsMs;
    const call = statisticsDue({ knowledge: this.#knowledge, nowMs, left, maxAgeMs });
    if (call === null) return [];
    this.#pending.sent(call);
    return [call];
  }
}
