import type { Call, SearchCall } from '../call.ts';
import type { Dialect } from '../dialect/dialect.ts';
import type { Knowledge, LoadResult } from '../knowledge.ts';
import type { Plan, PlanInput, Planner, PlannerSettings } from '../planner.ts';
import { Discovery } from './discovery/discovery.ts';
import { Pending } from './pending.ts';
import { Refresh } from './refresh/refresh.ts';
import { statisticsDue } from './statistics_due.ts';

/** A planner over what is known. It reads `knowledge`, sends nothing and writes nothing. */
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
  /** The best search for new companies, kept until nothing else is worth more. */
  #found: SearchCall | null = null;
  /** What each planned call is worth: its price is known once it was made. */
  readonly #worths = new Map<Call, number>();

  constructor(knowledge: Knowledge, dialect: Dialect, settings: PlannerSettings) {
    const pending = new Pending(knowledge.failures());
    this.#knowledge = knowledge;
    this.#settings = settings;
    this.#pending = pending;
    this.#refresh = new Refresh({ knowledge, settings, pending });
    // What was listed is listed again by the refresh.
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
      calls.push(...this.#refresh.records.lastWord(ask.nowMs));
    const wakeAtMs = calls.length > 0 ? null : this.#pending.earliestRetryMs(this.#settings.kinds, ask.nowMs);
    return { calls, wakeAtMs, drift: this.#refresh.records.drift };
  }

  learn(result: LoadResult): void {
    const worth = this.#worths.get(result.call);
    if (worth !== undefined) this.#refresh.valuation.chosen(worth);
    this.#worths.delete(result.call);
    if (this.#found !== null && result.call.kind === 'search') this.#reconsider(this.#found);
    this.#pending.landed(result.call);
    if (result.failure === null) this.#pending.recovered(result.call);
    else this.#pending.wait(result.failure);
    const isSweep = result.call.kind === 'search' && this.#refresh.isSweep(result.call);
    this.#refresh.learn(result);
    // A listing that was made again teaches discovery nothing, unless it shows new companies.
    if (!isSweep || result.rows.some((row) => row.isNew)) this.#discovery.learn(result);
  }

  /** The best search is found anew, by what is known now. */
  #reconsider(found: SearchCall): void {
    this.#found = null;
    this.release(found);
  }

  release(call: Call): void {
    this.#worths.delete(call);
    this.#pending.landed(call);
    this.#refresh.release(call);
    if (call.kind === 'search' && !this.#refresh.isSweep(call)) this.#discovery.release(call);
  }

  /** The call with the highest value of all kinds; null: nothing is due, or a search in flight decides what is. */
  #best({ nowMs, left }: PlanInput): Call | null {
    const { valuation: exchange } = this.#refresh;
    this.#found ??= this.#settings.kinds.has('search') ? (this.#discovery.next(nowMs, 1)[0] ?? null) : null;
    const found = this.#found;
    const worth = found === null ? 0 : exchange.companies(Math.max(found.expected, LEAST_EXPECTED));
    const refreshWorth = this.#refresh.bestYield(nowMs);
    if (refreshWorth > worth && this.#isWorthWaiting(refreshWorth, left.calls)) return null;
    const refresh = refreshWorth > worth ? this.#refresh.take(nowMs) : null;
    if (refresh !== null) this.#worths.set(refresh, refreshWorth);
    if (refresh !== null || found === null) return refresh;
    this.#found = null;
    this.#worths.set(found, worth);
    return found;
  }

  /**
   * The searches that follow one in flight will probably be worth as much as it is. If the calls do not suffice for a
   * record of each company, a call that is worth less waits for its response.
   */
  #isWorthWaiting(refreshWorth: number, callsLeft: number): boolean {
    if (callsLeft >= this.#knowledge.knownCount()) return false;
    const inFlight = [...this.#worths].filter(
      ([call]) => call.kind === 'search' && !this.#refresh.isSweep(call),
    );
    return inFlight.some(([, worth]) => worth > refreshWorth);
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

// A search that is offered at all may find something: companies are missing that no name predicts.
const LEAST_EXPECTED = 0.001;
