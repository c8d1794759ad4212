import { DAY_MS, MINUTE_MS } from '../durations.ts';
import type { AccountFile, NewUse } from '../warehouse/serve_accounts.ts';
import type { Account, Limits } from './accounts.ts';

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
  readonly #file: Pick<AccountFile, 'use' | 'saveUse' | 'resetUse'>;
  readonly #usage = new Map<string, Usage>();
  readonly #unsaved = new Set<Usage>();
  #saving: Promise<void> | null = null;

  constructor(file: Pick<AccountFile, 'use' | 'saveUse' | 'resetUse'>) {
    this.#file = file;
  }

  /** Decides whether to admit a request, and counts it if it is admitted. */
  admit(account: Account, nowMs: number): Admission {
    const usage = this.#usageOf(account);
    const exceeded = usage.limited.find((limited) => limited.used(nowMs) >= limited.limit);
    if (exceeded === undefined) {
      usage.count(nowMs);
      this.#unsaved.add(usage);
    }
    const quotas = usage.limited.map((limited) => quotaOf(limited, nowMs)).reverse();
    if (exceeded === undefined) return { is: 'admitted', retryAtMs: null, quotas };
    const is = exceeded.name === 'minute' ? 'throttled' : 'exhausted';
    return { is, retryAtMs: exceeded.resetsAtMs(nowMs), quotas };
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

  /** Writes the counts that have not been written yet. */
  save(): void {
    if (this.#unsaved.size === 0) return;
    this.#file.saveUse([...this.#unsaved].map(({ use }) => use));
    // The counts are cleared only after they are written, so that a failed write can be retried.
    for (const { use } of this.#unsaved) use.ended = [];
    this.#unsaved.clear();
  }

  /** Returns how many of an account's requests this meter has admitted. */
  admitted(accountId: string): number {
    return this.#usage.get(accountId)?.admitted ?? 0;
  }

  /** Sets all counts to zero. */
  reset(): void {
    this.#usage.clear();
    this.#unsaved.clear();
    this.#file.resetUse();
  }

  #usageOf({ id, limits }: Account): Usage {
    const known = this.#usage.get(id);
    if (known?.limits === limits) return known;
    this.save();
    const usage = new Usage(id, limits, this.#file.use(id));
    usage.admitted = known?.admitted ?? 0;
    this.#usage.set(id, usage);
    return usage;
  }
}

/** One of an account's limits, and the requests that count towards it. */
interface Limited extends Pick<Quota, 'name' | 'limit' | 'windowMs'> {
  used(nowMs: number): number;
  /** When `used` decreases next if the limit is reached, in epoch milliseconds, or null if never. */
  resetsAtMs(nowMs: number): number | null;
}

/** The requests of one account. */
class Usage {
  readonly limits: Limits;
  /**
   * The limits in the order in which they are checked. The allowance comes before the rate, because a retry after a
   * minute would fail again if the allowance is exhausted.
   */
  readonly limited: readonly Limited[];
  /** The counts as the file stores them. */
  readonly use: { -readonly [Key in keyof NewUse]: NewUse[Key] };
  admitted = 0;
  readonly #windows: readonly SlidingWindow[];

  constructor(accountId: string, limits: Limits, { recent, ...used }: ReturnType<AccountFile['use']>) {
    this.limits = limits;
    this.use = { accountId, ...used, latest: recent.at(-1) ?? { second: 0, requests: 0 }, ended: [] };
    const { total, perDay, day, perMinute } = limits;
    const minute = perMinute === null ? null : new SlidingWindow('minute', perMinute, MINUTE_MS);
    const lastDay = perDay === null || day === 'utc' ? null : new SlidingWindow('day', perDay, DAY_MS);
    // Each stored request is assumed to have arrived at the end of its second, so that the rate is never exceeded.
    const arrivals = recent.flatMap(({ second, requests }) =>
      Array<number>(requests).fill((second + 1) * 1000),
    );
    for (const atMs of arrivals.slice(-(perMinute ?? 0))) minute?.count(atMs);
    this.#windows = [minute, lastDay].filter((window) => window !== null);
    this.limited = [
      total === null ? null : this.#total(total),
      perDay === null ? null : (lastDay ?? this.#today(perDay)),
      minute,
    ].filter((limited) => limited !== null);
  }

  count(nowMs: number): void {
    for (const window of this.#windows) window.count(nowMs);
    this.admitted += 1;
    const { use } = this;
    const day = dayOf(nowMs);
    use.usedTotal += 1;
    use.usedToday = (day === use.usedDay ? use.usedToday : 0) + 1;
    use.usedDay = day;
    const before = use.latest;
    const second = Math.floor(nowMs / 1000);
    use.latest = { second, requests: second === before.second ? before.requests + 1 : 1 };
    if (second !== before.second && before.requests > 0) use.ended = [...use.ended, before];
  }

  #total(limit: number): Limited {
    return { name: 'total', limit, windowMs: null, used: () => this.use.usedTotal, resetsAtMs: () => null };
  }

  #today(limit: number): Limited {
    return {
      name: 'day',
      limit,
      windowMs: DAY_MS,
      used: (nowMs) => (this.use.usedDay === dayOf(nowMs) ? this.use.usedToday : 0),
      resetsAtMs: (nowMs) => (dayOf(nowMs) + 1) * DAY_MS,
    };
  }
}

/** Returns the UTC day, in days since 1970-01-01. */
function dayOf(nowMs: number): number {
  return Math.floor(nowMs / DAY_MS);
}

function quotaOf(limited: Limited, nowMs: number): Quota {
  const { name, limit, windowMs } = limited;
  const remaining = Math.max(0, limit - limited.used(nowMs));
  return { name, limit, windowMs, remaining, resetsAtMs: limited.resetsAtMs(nowMs) };
}

/** A limit of requests in any interval of `windowMs` milliseconds, whenever the interval begins. */
export class SlidingWindow implements Limited {
  readonly name: Quota['name'];
  readonly limit: number;
  readonly windowMs: number;
  /** The times of the counted requests, oldest first. */
  readonly #times: number[] = [];

  constructor(name: Quota['name'], limit: number, windowMs: number) {
    this.name = name;
    this.limit = limit;
    this.windowMs = windowMs;
  }

  used(nowMs: number): number {
    // A request at time t is counted in the interval [t, t + windowMs).
    const kept = this.#times.findIndex((atMs) => atMs + this.windowMs > nowMs);
    this.#times.splice(0, kept === -1 ? this.#times.length : kept);
    return this.#times.length;
  }

  resetsAtMs(nowMs: number): number {
    const oldestMs = this.used(nowMs) < this.limit ? nowMs : (this.#times[0] ?? nowMs);
    return oldestMs + this.windowMs;
  }

  count(nowMs: number): void {
    this.#times.push(nowMs);
  }
}
