import { FIRST_PAGE, queryKey, type SearchCall, type SearchQuery, targetOf } from '../../call.ts';
import type { LoadResult, QueryState } from '../../knowledge.ts';
import { type AgeLimit, dueBeforeMs } from '../due.ts';
import type { Pending } from '../pending.ts';
import { coveringQueries, isListed } from './covering_queries.ts';

/** A listing to be made again. */
interface Sweep {
  readonly query: SearchQuery;
  readonly listedAtMs: number;
  /** Companies that one of its calls shows, less those that other listings show as well. */
  readonly rowsPerCall: number;
}

/** A listing that was begun again: its further pages. */
interface Round {
  readonly sweep: Sweep;
  readonly next: { readonly index: number; readonly next: string | null };
  readonly seen: { readonly rows: number; readonly pages: number };
}

/** What the next call of a sweep would show. */
export interface SweepOffer {
  readonly rows: number;
  /** Days since these companies were listed. */
  readonly sinceDays: number;
}

/** Lists again what was listed: the queries that cover the registry, the longest ago and the fullest first. */
export class Sweeps {
  readonly #age: AgeLimit;
  readonly #pending: Pending;
  /** By how many companies a call shows, on a logarithmic scale; within one, the longest ago first. */
  readonly #queues = new Map<number, Queue>();
  readonly #rounds = new Map<string, Round>();
  /** Listings that wait or are under way, by their query. */
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

  /** How long ago the listing was made that waits longest, of those that show most companies; null: there is none. */
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

  /** What the best call would show, by the worth of a company not listed for so many days. */
  offer(nowMs: number, worthOf: (sinceDays: number) => number): SweepOffer | null {
    const round = this.#openRound(nowMs);
    if (round !== null) return offerOf(round.sweep, nowMs);
    const best = this.#best(nowMs, worthOf);
    return best === null ? null : offerOf(best.sweep, nowMs);
  }

  /** The call that was offered. */
  take(nowMs: number, worthOf: (sinceDays: number) => number, expected: number): SearchCall | null {
    const round = this.#openRound(nowMs);
    const best = round === null ? this.#best(nowMs, worthOf) : null;
    const sweep = round?.sweep ?? best?.sweep ?? null;
    if (sweep === null) return null;
    best?.queue.remove(sweep);
    const call = callFor(sweep, round, expected);
    if (round === null)
      this.#rounds.set(queryKey(sweep.query), {
        sweep,
        next: FIRST_PAGE,
        seen: { rows: 0, pages: 0 },
      });
    this.#pending.sent(call);
    return call;
  }

  /** Is this the query of a sweep under way? */
  isOurs(query: SearchQuery): boolean {
    return this.#rounds.has(queryKey(query));
  }

  learn(result: LoadResult): void {
    const { call, query } = result;
    if (call.kind !== 'search') return;
    const key = queryKey(call.query);
    const round = this.#rounds.get(key);
    if (result.verdict === 'ok' && query !== null) this.#answered(key, query, round ?? null, result);
    else if (result.verdict === 'refused') this.#forget(key);
  }

  #answered(key: string, state: QueryState, round: Round | null, result: LoadResult): void {
    if (round === null) {
      // Discovery has started this listing again: it is not made twice.
      this.#forget(key);
      if (isListed(state)) this.#add(sweepOf(state));
      return;
    }
    const rows = round.seen.rows + newlyListed(result, (round.sweep.listedAtMs + state.listedAtMs) / 2);
    const seen = { rows, pages: round.seen.pages + 1 };
    if (state.status === 'open' && result.rows.length > 0) {
      this.#rounds.set(key, { ...round, next: { index: state.pages, next: state.next }, seen });
      return;
    }
    this.#forget(key);
    this.#add({
      query: state.query,
      listedAtMs: state.listedAtMs,
      rowsPerCall: Math.max((round.sweep.rowsPerCall + seen.rows / seen.pages) / 2, LEAST_ROWS),
    });
  }

  #forget(key: string): void {
    this.#rounds.delete(key);
    this.#current.delete(key);
  }

  #add(sweep: Sweep): void {
    this.#current.set(queryKey(sweep.query), sweep);
    const size = Math.round(Math.log2(sweep.rowsPerCall));
    const queue = this.#queues.get(size) ?? new Queue();
    this.#queues.set(size, queue);
    queue.add(sweep);
  }

  /** A round whose next page can be asked now. */
  #openRound(nowMs: number): Round | null {
    for (const round of this.#rounds.values())
      if (this.#pending.isFree('search', targetOf(callFor(round.sweep, round, 0)), nowMs)) return round;
    return null;
  }

  /** The listing that waits longest of those that may be asked now, past those that were made again since. */
  #head(queue: Queue, nowMs: number): Sweep | null {
    queue.dropWhile((sweep) => this.#current.get(queryKey(sweep.query)) !== sweep);
    return queue.first((sweep) => this.#pending.isFree('search', targetOf(callFor(sweep, null, 0)), nowMs));
  }

  #best(nowMs: number, worthOf: (sinceDays: number) => number): { queue: Queue; sweep: Sweep } | null {
    let best: { queue: Queue; sweep: Sweep } | null = null;
    let bestWorth = Number.NEGATIVE_INFINITY;
    const beforeMs = dueBeforeMs(this.#age, nowMs);
    for (const queue of this.#queues.values()) {
      const sweep = this.#head(queue, nowMs);
      if (sweep === null || sweep.listedAtMs >= beforeMs) continue;
      const { rows, sinceDays } = offerOf(sweep, nowMs);
      const worth = rows * worthOf(sinceDays);
      if (worth <= bestWorth) continue;
      best = { queue, sweep };
      bestWorth = worth;
    }
    return best;
  }
}

/** First in, first out, without moving the rest at each step. */
class Queue {
  #sweeps: Sweep[] = [];
  #from = 0;

  get size(): number {
    return this.#sweeps.length - this.#from;
  }

  add(sweep: Sweep): void {
    this.#sweeps.push(sweep);
  }

  dropWhile(isOver: (sweep: Sweep) => boolean): void {
    for (
      let head = this.#sweeps[this.#from];
      head !== undefined && isOver(head);
      head = this.#sweeps[this.#from]
    )
      this.#from++;
    if (this.#from <= 1000 || this.#from * 2 < this.#sweeps.length) return;
    this.#sweeps = this.#sweeps.slice(this.#from);
    this.#from = 0;
  }

  /** The first that fits; a few that do not are looked past. */
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

function sweepOf({ query, listedAtMs, rows, pages }: QueryState): Sweep {
  return { query, listedAtMs, rowsPerCall: Math.max(rows / Math.max(pages, 1), LEAST_ROWS) };
}

function offerOf({ rowsPerCall, listedAtMs }: Sweep, nowMs: number): SweepOffer {
  return { rows: rowsPerCall, sinceDays: (nowMs - listedAtMs) / DAY_MS };
}

function callFor({ query }: Sweep, round: Round | null, expected: number): SearchCall {
  const page = round?.next ?? FIRST_PAGE;
  const reason = page.index === 0 ? 'summaries are due again' : 'summaries are due again: lists on';
  return { kind: 'search', query, page, reason, expected };
}

/** Companies on the page that no other listing has shown for as long. */
function newlyListed({ rows }: LoadResult, sinceMs: number): number {
  return rows.filter((row) => (row.listedAtMs ?? 0) <= sinceMs).length;
}

const LOOK_PAST = 64;
const LEAST_ROWS = 0.1;
const DAY_MS = 86_400_000;
