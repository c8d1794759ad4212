import { DAY_MS, MINUTE_MS } from '../durations.ts';
import type { AccountFile, ServedAccount, Use } from '../warehouse/accounts.ts';

export interface Admission {
  readonly is: 'admitted' | 'throttled' | 'exhausted';
  /**
   * When a retry can be admitted at the earliest, in epoch milliseconds. Null if the request was admitted, or if no
   * retry ever will be.
   */
  readonly retryAtMs: number | null;
  /** The state of each of the account's limits after this request, for the RateLimit headers. */
  readonly quotas: readonly Quota[];
}

export interface Quota {
  readonly name: 'minute' | 'day' | 'total';
  readonly limit: number;
  readonly remaining: number;
  /** When `remaining` increases next, in epoch milliseconds, or null if never. */
  readonly resetsAtMs: number | null;
  /** The allowance window's length in milliseconds. Null for the total, which has no window. */
  readonly windowMs: number | null;
}

/**
 * Counts each account's requests, and rejects requests that exceed a limit. Rejected requests are not counted.
 *
 * The meter decides in memory and writes the counts to the file before the responses are sent. All requests in one turn
 * of the event loop share a transaction. If the server is killed, the file has therefore counted every request that got
 * a response, and possibly some requests in progress. Only one server may use the file.
 */
export class QuotaMeter {
  readonly #file: AccountFile;
  readonly #counters = new Map<string, Counter>();
  readonly #unsaved = new Set<Counter>();
  #saving: Promise<void> | null = null;

  constructor(file: AccountFile) {
    this.#file = file;
  }

  /** Decides whether to admit a request, and counts it if it is admitted. */
  admit(account: ServedAccount, nowMs: number): Admission {
    const counter = this.#counterOf(account);
    const limits = limitsOf(account, counter, nowMs);
    const exceeded = limits.find(({ limit, used }) => used() >= limit);
    if (exceeded === undefined) {
      counter.count(nowMs);
      this.#unsaved.add(counter);
    }
    const quotas = limits.map(quotaOf).reverse();
    if (exceeded === undefined) return { is: 'admitted', retryAtMs: null, quotas };
    const is = exceeded.name === 'minute' ? 'throttled' : 'exhausted';
    return { is, retryAtMs: exceeded.resetsAtMs(), quotas };
  }

  /** Resolves when the counts so far are in the file. The service waits for this before it sends a response. */
  settled(): Promise<void> {
    this.#saving ??= new Promise((resolve, reject) => {
      setImmediate(() => {
        this.#saving = null;
        try {
          this.save();
          resolve();
        } catch (error) {
          reject(error);
        }
      });
    });
    return this.#saving;
  }

  /** Writes the counts that have not been written yet. If writing fails, it can be retried. */
  save(): void {
    if (this.#unsaved.size === 0) return;
    this.#file.saveUse([...this.#unsaved].map(({ use }) => use));
    this.#unsaved.clear();
  }

  /** Returns how many of an account's requests were admitted. */
  admitted(accountId: string): number {
    return this.#counters.get(accountId)?.use.usedTotal ?? 0;
  }

  /** Sets all counts to zero. */
  reset(): void {
    for (const accountId of this.#counters.keys())
      this.#counters.set(accountId, new Counter({ ...UNUSED, accountId }));
  }

  #counterOf(account: ServedAccount): Counter {
    const counter = this.#counters.get(account.accountId) ?? new Counter(account);
    this.#counters.set(account.accountId, counter);
    return counter;
  }
}

/** One account's counts. */
class Counter {
  use: Use;
  /** The times of the requests in the last minute, oldest first. */
  readonly #times: number[];

  constructor({ accountId, usedTotal, usedDay, usedToday, usedSecond, usedInMinute }: Use) {
    this.use = { accountId, usedTotal, usedDay, usedToday, usedSecond, usedInMinute };
    // All stored requests are assumed to have arrived at the end of the last second, so that the rate is never exceeded.
    this.#times = Array<number>(usedInMinute).fill((usedSecond + 1) * 1000);
  }

  count(nowMs: number): void {
    this.#times.push(nowMs);
    const { accountId, usedTotal } = this.use;
    this.use = {
      accountId,
      usedTotal: usedTotal + 1,
      usedDay: dayOf(nowMs),
      usedToday: this.usedToday(nowMs) + 1,
      usedSecond: Math.floor(nowMs / 1000),
      usedInMinute: this.timesInMinute(nowMs).length,
    };
  }

  usedToday(nowMs: number): number {
    return this.use.usedDay === dayOf(nowMs) ? this.use.usedToday : 0;
  }

  /** Returns the times of the requests in the last minute. A request at time t is counted in [t, t + 60 s). */
  timesInMinute(nowMs: number): readonly number[] {
    const kept = this.#times.findIndex((atMs) => atMs + MINUTE_MS > nowMs);
    this.#times.splice(0, kept === -1 ? this.#times.length : kept);
    return this.#times;
  }
}

/** One of an account's limits, and the requests that count towards it. */
interface Limited extends Pick<Quota, 'name' | 'limit' | 'windowMs'> {
  used(): number;
  /** Returns when `used` decreases next if the limit is reached, in epoch milliseconds, or null if never. */
  resetsAtMs(): number | null;
}

/**
 * Returns the account's limits in the order in which they are checked. The allowance comes before the rate, because a
 * retry after a minute would fail again if the allowance is exhausted.
 */
function limitsOf({ total, perDay, perMinute }: ServedAccount, counter: Counter, nowMs: number): Limited[] {
  const limits: Limited[] = [];
  if (total !== null)
    limits.push({
      name: 'total',
      limit: total,
      windowMs: null,
      used: () => counter.use.usedTotal,
      resetsAtMs: () => null,
    });
  if (perDay !== null)
    limits.push({
      name: 'day',
      limit: perDay,
      windowMs: DAY_MS,
      used: () => counter.usedToday(nowMs),
      resetsAtMs: () => (dayOf(nowMs) + 1) * DAY_MS,
    });
  if (perMinute !== null)
    limits.push({
      name: 'minute',
      limit: perMinute,
      windowMs: MINUTE_MS,
      used: () => counter.timesInMinute(nowMs).length,
      resetsAtMs: () => (counter.timesInMinute(nowMs).at(-perMinute) ?? nowMs) + MINUTE_MS,
    });
  return limits;
}

function quotaOf({ name, limit, windowMs, used, resetsAtMs }: Limited): Quota {
  return { name, limit, windowMs, remaining: Math.max(0, limit - used()), resetsAtMs: resetsAtMs() };
}

const UNUSED = { usedTotal: 0, usedDay: 0, usedToday: 0, usedSecond: 0, usedInMinute: 0 };

/** Returns the UTC day, in days since 1970-01-01. */
function dayOf(nowMs: number): number {
  return Math.floor(nowMs / DAY_MS);
}
