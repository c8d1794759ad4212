import { FIRST_PAGE, queryKey, type SearchCall, type SearchQuery, targetOf } from '../../call.ts';
import { DAY_MS } from '../../durations.ts';
import type { LoadResult, QueryState } from '../../knowledge.ts';
import { type AgeLimit, dueBeforeMs } from '../due.ts';
import type { Pending } from '../pending.ts';
import { isListed } from './covering_queries.ts';

/** A listing that will be repeated. */
interface Sweep {
  readonly query: SearchQuery;
  readonly listedAtMs: number;
  /** The number of rows in the earlier listing. */
  readonly rows: number;
  /** The number of companies per call that no other listing has shown recently. */
  readonly rowsPerCall: number;
  /** The number of pages that the earlier listing received, if it did not end: no more pages are repeated. */
  readonly mostPages: number;
}

/** A sweep that has started, and its next page. */
interface ActiveSweep {
  readonly sweep: Sweep;
  readonly next: { readonly index: number; readonly next: string | null };
  readonly seen: { readonly rows: number; readonly pages: number };
}

/** The expected result of a sweep's next call. */
interface SweepOffer {
  readonly active: ActiveSweep;
  readonly rows: number;
  /** The number of days since the companies were last listed. */
  readonly sinceDays: number;
  callFor(expected: number): SearchCall;
}

/**
 * Repeats the listings that cover the registry, most valuable first. The value of a listing depends on its rows per
 * call and on its age in days.
 */
export class Sweeps {
  readonly #age: AgeLimit;
  readonly #pending: Pending;
  readonly #isOutdated: (listing: Pick<Sweep, 'query' | 'rows' | 'listedAtMs'>) => boolean;
  /** The waiting sweeps by query, in queues by the rounded binary logarithm of their rows per call, oldest first. */
  readonly #queues = new Map<number, Map<string, Sweep>>();
  readonly #active = new Map<string, ActiveSweep>();

  constructor(options: {
    /** The queries whose listings are repeated. */
    readonly states: readonly QueryState[];
    readonly age: AgeLimit;
    readonly pending: Pending;
    /** Returns whether a listing from before this run is due whatever its age. */
    readonly isOutdated?: (listing: Pick<Sweep, 'query' | 'rows' | 'listedAtMs'>) => boolean;
  }) {
    const { states, age, pending, isOutdated = () => false } = options;
    this.#age = age;
    this.#pending = pending;
    this.#isOutdated = isOutdated;
    for (const state of states.toSorted((a, b) => a.listedAtMs - b.listedAtMs)) this.#add(sweepOf(state));
  }

  /**
   * Returns the age, in days, of the oldest listing in the queue that covers the most companies, or null if no sweep is
   * waiting.
   */
  oldestDays(nowMs: number): number | null {
    let most = 0;
    let oldest: Sweep | null = null;
    for (const queue of this.#queues.values()) {
      const head = this.#head(queue, nowMs);
      if (head === null || head.rowsPerCall * queue.size <= most) continue;
      most = head.rowsPerCall * queue.size;
      oldest = head;
    }
    return oldest === null ? null : (nowMs - oldest.listedAtMs) / DAY_MS;
  }

  /** Returns the time of the oldest listing that is due or being repeated, or null if there is none. */
  oldestDueMs(nowMs: number): number | null {
    const waiting = [...this.#queues.values()].map((queue) => this.#head(queue, nowMs));
    const due = waiting.filter((sweep) => sweep !== null && this.#isDue(sweep, nowMs));
    const active = [...this.#active.values()].map(({ sweep }) => sweep);
    const times = [...due, ...active].flatMap((sweep) => sweep?.listedAtMs ?? []);
    return times.length === 0 ? null : Math.min(...times);
  }

  /**
   * Describes the best call, or returns null if no sweep can be sent. `yieldOf` computes the value of listing one
   * company again `sinceDays` after its last listing.
   */
  offer(nowMs: number, yieldOf: (sinceDays: number) => number): SweepOffer | null {
    const best = this.#best(nowMs, yieldOf);
    return best === null
      ? null
      : { ...prospectOf(best.sweep, nowMs), active: best, callFor: (expected) => callFor(best, expected) };
  }

  /** Starts or continues the offered sweep. */
  start({ active }: SweepOffer): void {
    const key = queryKey(active.sweep.query);
    for (const queue of this.#queues.values()) queue.delete(key);
    this.#active.set(key, active);
  }

  /** Returns whether the query belongs to a sweep that has started. */
  isSweeping(query: SearchQuery): boolean {
    return this.#active.has(queryKey(query));
  }

  learn({ call, query: state, rows, verdict }: LoadResult): void {
    if (call.kind !== 'search') return;
    const key = queryKey(call.query);
    const active = this.#active.get(key);
    if (verdict === 'refused') this.#active.delete(key);
    if (verdict === 'refused' || state === null) return;
    // Without a sweep, discovery has just repeated this listing.
    if (active === undefined) {
      if (isListed(state) && state.status !== 'open') this.#add(sweepOf(state));
      return;
    }
    const { sweep, seen } = active;
    const sinceMs = (sweep.listedAtMs + state.listedAtMs) / 2;
    const newlyListed = rows.filter((row) => (row.listedAtMs ?? 0) <= sinceMs).length;
    const now = { rows: seen.rows + newlyListed, pages: seen.pages + 1 };
    if (state.status === 'open' && now.pages < sweep.mostPages) {
      this.#active.set(key, { sweep, next: { index: state.pages, next: state.next }, seen: now });
      return;
    }
    this.#active.delete(key);
    const rowsPerCall = Math.max((sweep.rowsPerCall + now.rows / now.pages) / 2, MIN_ROWS);
    this.#add({ ...sweepOf(state), rowsPerCall });
  }

  #add(sweep: Sweep): void {
    const key = queryKey(sweep.query);
    for (const queue of this.#queues.values()) queue.delete(key);
    const size = Math.round(Math.log2(sweep.rowsPerCall));
    const queue = this.#queues.get(size) ?? new Map<string, Sweep>();
    this.#queues.set(size, queue.set(key, sweep));
  }

  /** Returns the oldest of the first sweeps in a queue that may start now, or null if there is none. */
  #head(queue: ReadonlyMap<string, Sweep>, nowMs: number): Sweep | null {
    let passed = 0;
    for (const sweep of queue.values()) {
      if (this.#isFree(started(sweep), nowMs)) return sweep;
      if (++passed === LOOK_PAST) break;
    }
    return null;
  }

  #isFree(active: ActiveSweep, nowMs: number): boolean {
    return this.#pending.isFree('search', targetOf(callFor(active, 0)), nowMs);
  }

  #isDue(sweep: Sweep, nowMs: number): boolean {
    const isAsOldAs = (maxAgeMs: number) => sweep.listedAtMs < dueBeforeMs({ ...this.#age, maxAgeMs }, nowMs);
    return isAsOldAs(this.#age.maxAgeMs) || (isAsOldAs(0) && this.#isOutdated(sweep));
  }

  /** Returns a started sweep that may request its next page now, or otherwise the most valuable due sweep. */
  #best(nowMs: number, yieldOf: (sinceDays: number) => number): ActiveSweep | null {
    for (const active of this.#active.values()) if (this.#isFree(active, nowMs)) return active;
    let best: Sweep | null = null;
    let bestYield = Number.NEGATIVE_INFINITY;
    for (const queue of this.#queues.values()) {
      const sweep = this.#head(queue, nowMs);
      if (sweep === null || !this.#isDue(sweep, nowMs)) continue;
      const { rows, sinceDays } = prospectOf(sweep, nowMs);
      const offerYield = rows * yieldOf(sinceDays);
      if (offerYield <= bestYield) continue;
      [best, bestYield] = [sweep, offerYield];
    }
    return best === null ? null : started(best);
  }
}

function started(sweep: Sweep): ActiveSweep {
  return { sweep, next: FIRST_PAGE, seen: { rows: 0, pages: 0 } };
}

function sweepOf({ query, listedAtMs, rows, pages, status }: QueryState): Sweep {
  const rowsPerCall = Math.max(rows / Math.max(pages, 1), MIN_ROWS);
  return {
    query,
    listedAtMs,
    rows,
    rowsPerCall,
    mostPages: status === 'open' ? pages : Number.POSITIVE_INFINITY,
  };
}

function prospectOf({ rowsPerCall, listedAtMs }: Sweep, nowMs: number) {
  return { rows: rowsPerCall, sinceDays: (nowMs - listedAtMs) / DAY_MS };
}

function callFor({ sweep: { query }, next: page }: ActiveSweep, expected: number): SearchCall {
  const reason = page.index === 0 ? REASON : `${REASON}: next page`;
  return { kind: 'search', query, page, reason, expected };
}

const REASON = 'summaries are due again';
const LOOK_PAST = 64;
const MIN_ROWS = 0.1;
