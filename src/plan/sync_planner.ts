import type { Call, SearchCall } from '../call.ts';
import type { Dialect } from '../dialect/dialect.ts';
import type { Knowledge, LoadResult } from '../knowledge.ts';
import type { Plan, PlanInput, Planner, PlannerSettings } from '../planner.ts';
import { Discovery } from './discovery/discovery.ts';
import { Pending } from './pending.ts';
import { Refresh } from './refresh/refresh.ts';
import { statisticsDue } from './statistics_due.ts';

/** Opens the planner for `sync`, which combines statistics, discovery and refresh. It only reads `knowledge`. */
export function openSyncPlanner(options: {
  readonly knowledge: Knowledge;
  readonly dialect: Dialect;
  readonly settings: PlannerSettings;
}): Planner {
  return new SyncPlanner(options.knowledge, options.dialect, options.settings);
}

class SyncPlanner implements Planner {
  readonly #knowledge: Knowledge;
  readonly #settings: PlannerSettings;
  readonly #pending: Pending;
  readonly #refresh: Refresh;
  readonly #discovery: Discovery;
  /** The best search for new companies. It waits as long as refresh has more valuable calls. */
  #nextSearch: SearchCall | null = null;
  /** Each planned call's value in days. When a call has finished, its value updates the call cost μ. */
  readonly #yields = new Map<Call, number>();

  constructor(knowledge: Knowledge, dialect: Dialect, settings: PlannerSettings) {
    const pending = new Pending(knowledge.failures());
    this.#knowledge = knowledge;
    this.#settings = settings;
    this.#pending = pending;
    this.#refresh = new Refresh({ knowledge, settings, pending });
    this.#discovery = new Discovery({ knowledge, dialect, pending, startedAtMs: settings.startedAtMs });
  }

  next(ask: PlanInput): Plan {
    const most = Math.min(ask.most, ask.left.calls);
    const calls = most > 0 ? this.#statistics(ask) : [];
    while (calls.length < most) {
      const call = this.#best(ask);
      if (call === null) break;
      calls.push(call);
    }
    if (calls.length < most && this.#settings.kinds.has('entity') && !calls.some(isRecord))
      calls.push(...this.#refresh.records.finalWitness(ask.nowMs));
    const wakeAtMs = calls.length > 0 ? null : this.#pending.earliestRetryMs(this.#settings.kinds, ask.nowMs);
    return { calls, wakeAtMs, drift: this.#refresh.records.drift };
  }

  learn(result: LoadResult): void {
    const callYield = this.#yields.get(result.call);
    if (callYield !== undefined) this.#refresh.valuation.chosen(callYield);
    this.#yields.delete(result.call);
    if (this.#nextSearch !== null && result.call.kind === 'search') this.#reconsider(this.#nextSearch);
    this.#pending.landed(result.call);
    if (result.failure === null) this.#pending.recovered(result.call);
    else this.#pending.wait(result.failure);
    const isSweep = result.call.kind === 'search' && this.#refresh.isSweep(result.call);
    this.#refresh.learn(result);
    // Discovery ignores a repeated listing unless it shows new companies.
    if (!isSweep || result.rows.some((row) => row.isNew)) this.#discovery.learn(result);
  }

  /** Drops the waiting search, because new evidence may make another search better. */
  #reconsider(search: SearchCall): void {
    this.#nextSearch = null;
    this.release(search);
  }

  release(call: Call): void {
    this.#yields.delete(call);
    this.#pending.landed(call);
    this.#refresh.release(call);
    if (call.kind === 'search' && !this.#refresh.isSweep(call)) this.#discovery.release(call);
  }

  /**
   * Returns the most valuable call from discovery or refresh, or null if nothing is due or it is better to wait for an
   * in-flight search.
   */
  #best({ nowMs, left }: PlanInput): Call | null {
    const { kinds } = this.#settings;
    this.#nextSearch ??= kinds.has('search') ? (this.#discovery.next(nowMs, 1)[0] ?? null) : null;
    const search = this.#nextSearch;
    const searchYield = search === null ? 0 : this.#refresh.valuation.companies(search.expected);
    const refreshYield = this.#refresh.bestYield(nowMs);
    if (refreshYield > searchYield && this.#isWaitBetter(refreshYield, left.calls)) return null;
    const refresh = refreshYield > searchYield ? this.#refresh.take(nowMs) : null;
    if (refresh !== null) this.#yields.set(refresh, refreshYield);
    if (refresh !== null || search === null) return refresh;
    this.#nextSearch = null;
    this.#yields.set(search, searchYield);
    return search;
  }

  /**
   * Returns whether a refresh call should wait for an in-flight search. It should if the search has a higher value and
   * the remaining quota is smaller than the number of known companies, because later searches will probably be worth as
   * much.
   */
  #isWaitBetter(refreshYield: number, callsLeft: number): boolean {
    if (callsLeft >= this.#knowledge.knownCount()) return false;
    const inFlight = [...this.#yields].filter(
      ([call]) => call.kind === 'search' && !this.#refresh.isSweep(call),
    );
    return inFlight.some(([, expected]) => expected > refreshYield);
  }

  #statistics(ask: PlanInput): Call[] {
    if (!this.#settings.kinds.has('stats') || !this.#pending.isFree('stats', '', ask.nowMs)) return [];
    const { nowMs, left } = ask;
    const { startedAtMs, maxAge } = this.#settings;
    const age = { startedAtMs, maxAgeMs: maxAge.statsMs };
    const call = statisticsDue({ knowledge: this.#knowledge, nowMs, left, age });
    if (call === null) return [];
    this.#pending.sent(call);
    return [call];
  }
}

function isRecord({ kind }: Call): boolean {
  return kind === 'entity';
}
