import { type Call, FIRST_PAGE, queryKey, type SearchCall, type SearchQuery, targetOf } from '../../call.ts';
import { DAY_MS } from '../../durations.ts';
import type { LoadResult, QueryState } from '../../knowledge.ts';
import { type AgeLimit, dueBeforeMs } from '../due.ts';
import type { Pending } from '../pending.ts';
import { coveringQueries, isListed } from './covering_queries.ts';

/** A listing that will be repeated. */
interface Sweep {
  readonly query: SearchQuery;
  readonly listedAtMs: number;
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
export interface SweepOffer {
  readonly rows: number;
  /** The number of days since the companies were last listed. */
  readonly sinceDays: number;
}

/**
 * Repeats the listings that cover the registry, most valuable first. The value of a listing depends on its rows per
 * call and on its age in days.
 */
export class Sweeps {
  readonly #age: AgeLimit;
  readonly #pending: Pending;
  /**
   * The queues, by the rounded binary logarithm of the rows per call. In each queue, the oldest listing comes first.
   */
  readonly #queues = new Map<number, Queue>();
  readonly #active = new Map<string, ActiveSweep>();
  /** The sweeps that are queued or have started, by query. Queued sweeps missing from this map are outdated. */
  readonly #current = new Map<string, Sweep>();

  constructor(options: {
    readonly states: Iterable<QueryState>;
    readonly age: AgeLimit;
    readonly pending: Pending;
  }) {
    const { states, age, pending } = options;
    this.#age = age;
    this.#pending = pending;
    const covering = coveringQueries([...states]);
    for (const state of covering.sort((a, b) => a.listedAtMs - b.listedAtMs)) this.#add(sweepOf(state));
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
    const queued = [...this.#queues.values()].map((queue) => this.#head(queue, nowMs));
    const due = queued.filter((sweep) => sweep !== null && this.#isDue(sweep, nowMs));
    const active = [...this.#active.values()].map(({ sweep }) => sweep);
    const times = [...due, ...active].flatMap((sweep) => sweep?.listedAtMs ?? []);
    return times.length === 0 ? null : Math.min(...times);
  }

  /**
   * Describes the best call, or returns null if no sweep can be sent. `yieldOf` computes the value of listing one
   * company again `sinceDays` after its last listing.
   */
  offer(nowMs: number, yieldOf: (sinceDays: number) => number): SweepOffer | null {
    const active = this.#nextActive(nowMs);
    if (active !== null) return offerOf(active.sweep, nowMs);
    const best = this.#best(nowMs, yieldOf);
    return best === null ? null : offerOf(best.sweep, nowMs);
  }

  /** Takes the call that `offer` describes. */
  take(nowMs: number, yieldOf: (sinceDays: number) => number, expected: number): SearchCall | null {
    const active = this.#nextActive(nowMs);
    const best = active === null ? this.#best(nowMs, yieldOf) : null;
    const sweep = active?.sweep ?? best?.sweep ?? null;
    if (sweep === null) return null;
    best?.queue.remove(sweep);
    const call = callFor(sweep, active, expected);
    if (active === null)
      this.#active.set(queryKey(sweep.query), {
        sweep,
        next: FIRST_PAGE,
        seen: { rows: 0, pages: 0 },
      });
    this.#pending.sent(call);
    return call;
  }

  /** Returns whether the query belongs to a sweep that has started. */
  isSweeping(query: SearchQuery): boolean {
    return this.#active.has(queryKey(query));
  }

  learn(result: LoadResult): void {
    const { call, query } = result;
    if (call.kind !== 'search') return;
    const key = queryKey(call.query);
    const active = this.#active.get(key);
    if (result.verdict === 'ok' && query !== null) this.#learnPage(key, query, active ?? null, result);
    else if (result.verdict === 'refused') this.#end(key);
  }

  #learnPage(key: string, state: QueryState, active: ActiveSweep | null, result: LoadResult): void {
    if (active === null) {
      // Discovery has just repeated this listing, so its sweep is not needed.
      this.#end(key);
      if (isListed(state) && state.status !== 'open') this.#add(sweepOf(state));
      return;
    }
    const rows = active.seen.rows + newlyListed(result, (active.sweep.listedAtMs + state.listedAtMs) / 2);
    const seen = { rows, pages: active.seen.pages + 1 };
    if (state.status === 'open' && seen.pages < active.sweep.mostPages) {
      this.#active.set(key, { ...active, next: { index: state.pages, next: state.next }, seen });
      return;
    }
    this.#end(key);
    this.#add({
      ...sweepOf(state),
      rowsPerCall: Math.max((active.sweep.rowsPerCall + seen.rows / seen.pages) / 2, MIN_ROWS),
    });
  }

  #end(key: string): void {
    this.#active.delete(key);
    this.#current.delete(key);
  }

  #add(sweep: Sweep): void {
    this.#current.set(queryKey(sweep.query), sweep);
    const size = Math.round(Math.log2(sweep.rowsPerCall));
    const queue = this.#queues.get(size) ?? new Queue();
    this.#queues.set(size, queue);
    queue.add(sweep);
  }

  /** Returns a started sweep that may request its next page now, or null if there is none. */
  #nextActive(nowMs: number): ActiveSweep | null {
    for (const active of this.#active.values())
      if (this.#pending.isFree('search', targetOf(callFor(active.sweep, active, 0)), nowMs)) return active;
    return null;
  }

  /** Returns the oldest sweep in a queue that may start now, or null if there is none. Drops outdated entries. */
  #head(queue: Queue, nowMs: number): Sweep | null {
    queue.dropWhile((sweep) => this.#current.get(queryKey(sweep.query)) !== sweep);
    return queue.first((sweep) => this.#pending.isFree('search', targetOf(callFor(sweep, null, 0)), nowMs));
  }

  #isDue({ listedAtMs }: Sweep, nowMs: number): boolean {
    return listedAtMs < dueBeforeMs(this.#age, nowMs);
  }

  #best(nowMs: number, yieldOf: (sinceDays: number) => number): { queue: Queue; sweep: Sweep } | null {
    let best: { queue: Queue; sweep: Sweep } | null = null;
    let bestYield = Number.NEGATIVE_INFINITY;
    for (const queue of this.#queues.values()) {
      const sweep = this.#head(queue, nowMs);
      if (sweep === null || !this.#isDue(sweep, nowMs)) continue;
      const { rows, sinceDays } = offerOf(sweep, nowMs);
      const offerYield = rows * yieldOf(sinceDays);
      if (offerYield <= bestYield) continue;
      best = { queue, sweep };
      bestYield = offerYield;
    }
    return best;
  }
}

/** A first-in, first-out queue with operations in amortised constant time. */
class Queue {
  #sweeps: Sweep[] = [];
  #from = 0;

  get size(): number {
    return this.#sweeps.length - this.#from;
  }

  add(sweep: Sweep): void {
    this.#sweeps.push(sweep);
  }

  dropWhile(isOutdated: (sweep: Sweep) => boolean): void {
    for (
      let head = this.#sweeps[this.#from];
      head !== undefined && isOutdated(head);
      head = this.#sweeps[this.#from]
    )
      this.#from++;
    if (this.#from <= 1000 || this.#from * 2 < this.#sweeps.length) return;
    this.#sweeps = this.#sweeps.slice(this.#from);
    this.#from = 0;
  }

  /** Returns the first sweep for which `fits` is true, or null if there is none among the first LOOK_PAST sweeps. */
  first(fits: (sweep: Sweep) => boolean): Sweep | null {
    const until = Math.min(this.#from + LOOK_PAST, this.#sweeps.length);
    for (let at = this.#from; at < until; at++) {
      const sweep = this.#sweeps[at];
      if (sweep !== undefined && fits(sweep)) return sweep;
    }
    return null;
  }

  remove(sweep: Sweep): void {
    const at = this.#sweeps.indexOf(sweep, this.#from);
    if (at === this.#from) this.#from++;
    else if (at !== -1) this.#sweeps.splice(at, 1);
  }
}

function sweepOf({ query, listedAtMs, rows, pages, status }: QueryState): Sweep {
  const rowsPerCall = Math.max(rows / Math.max(pages, 1), MIN_ROWS);
  return { query, listedAtMs, rowsPerCall, mostPages: status === 'open' ? pages : Number.POSITIVE_INFINITY };
}

function offerOf({ rowsPerCall, listedAtMs }: Sweep, nowMs: number): SweepOffer {
  return { rows: rowsPerCall, sinceDays: (nowMs - listedAtMs) / DAY_MS };
}

function callFor({ query }: Sweep, active: ActiveSweep | null, expected: number): SearchCall {
  const page = active?.next ?? FIRST_PAGE;
  const reason = page.index === 0 ? REASON : `${REASON}: next page`;
  return { kind: 'search', query, page, reason, expected };
}

/** Returns whether the call was planned as a page of a repeated listing. */
export function isSweep({ reason }: Call): boolean {
  return reason.startsWith(REASON);
}

/** Counts the companies on the page that no other listing has shown since `sinceMs`. */
function newlyListed({ rows }: LoadResult, sinceMs: number): number {
  return rows.filter((row) => (row.listedAtMs ?? 0) <= sinceMs).length;
}

const REASON = 'summaries are due again';
const LOOK_PAST = 64;
const MIN_ROWS = 0.1;
