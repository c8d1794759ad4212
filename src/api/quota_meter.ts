import { DAY_MS, MINUTE_MS } from '../durations.ts';
import type { AccountFile, NewUse, RecentUse } from '../warehouse/serve_accounts.ts';
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
    const used = this.#usageOf(account);
    const rejection = rejectionOf(used, nowMs);
    if (rejection === null) {
      count(used, nowMs);
      this.#unsaved.add(used);
    }
    return {
      is: rejection?.is ?? 'admitted',
      retryAtMs: rejection?.retryAtMs ?? null,
      quotas: quotasOf(used, nowMs),
    };
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
    const usage = resumedUsage(id, limits, this.#file.use(id));
    usage.admitted = known?.admitted ?? 0;
    this.#usage.set(id, usage);
    return usage;
  }
}

interface Usage {
  readonly limits: Limits;
  readonly minute: SlidingWindow | null;
  readonly rollingDay: SlidingWindow | null;
  /** The counts as the file stores them. */
  readonly use: { -readonly [Key in keyof NewUse]: NewUse[Key] };
  admitted: number;
}

function resumedUsage(
  accountId: string,
  limits: Limits,
  { recent, ...used }: ReturnType<AccountFile['use']>,
): Usage {
  const { perMinute, perDay, day } = limits;
  const minute = perMinute === null ? null : slidingWindow(perMinute, MINUTE_MS);
  // Each stored request is assumed to have arrived at the end of its second, so that the rate is never exceeded.
  const arrivals = recent.flatMap(({ second, requests }) =>
    Array<number>(requests).fill((second + 1) * 1000),
  );
  for (const atMs of arrivals.slice(-(perMinute ?? 0))) minute?.admit(atMs);
  return {
    limits,
    minute,
    rollingDay: perDay === null || day === 'utc' ? null : slidingWindow(perDay, DAY_MS),
    use: { accountId, ...used, latest: recent.at(-1) ?? { second: 0, requests: 0 }, ended: [] },
    admitted: 0,
  };
}

/**
 * Checks the allowance before the rate, because a retry after a minute would fail again if the allowance is exhausted.
 */
function rejectionOf(used: Usage, nowMs: number): Pick<Admission, 'is' | 'retryAtMs'> | null {
  const { total, perDay } = used.limits;
  if (total !== null && used.use.usedTotal >= total) return { is: 'exhausted', retryAtMs: null };
  if (perDay !== null && usedToday(used, nowMs) >= perDay) {
    return { is: 'exhausted', retryAtMs: dayResetsAtMs(used, nowMs) };
  }
  const freeAtMs = used.minute?.freeAtMs(nowMs) ?? nowMs;
  return freeAtMs > nowMs ? { is: 'throttled', retryAtMs: freeAtMs } : null;
}

function count(used: Usage, nowMs: number): void {
  const { minute, rollingDay, use } = used;
  minute?.admit(nowMs);
  rollingDay?.admit(nowMs);
  used.admitted += 1;
  const day = dayOf(nowMs);
  use.usedTotal += 1;
  use.usedToday = (day === use.usedDay ? use.usedToday : 0) + 1;
  use.usedDay = day;
  const before = use.latest;
  use.latest = withRequest(before, Math.floor(nowMs / 1000));
  if (use.latest.second !== before.second && before.requests > 0) use.ended = [...use.ended, before];
}

function withRequest({ second, requests }: RecentUse, present: number): RecentUse {
  return { second: present, requests: second === present ? requests + 1 : 1 };
}

function usedToday({ rollingDay, use }: Usage, nowMs: number): number {
  if (rollingDay !== null) return rollingDay.used(nowMs);
  return use.usedDay === dayOf(nowMs) ? use.usedToday : 0;
}

/** Returns the UTC day, in days since 1970-01-01. */
function dayOf(nowMs: number): number {
  return Math.floor(nowMs / DAY_MS);
}

function dayResetsAtMs(used: Usage, nowMs: number): number {
  return used.rollingDay?.freeAtMs(nowMs) ?? (dayOf(nowMs) + 1) * DAY_MS;
}

function quotasOf(used: Usage, nowMs: number): Quota[] {
  const { perMinute, perDay, total } = used.limits;
  const quotas: Quota[] = [];
  if (perMinute !== null && used.minute !== null) {
    const remaining = perMinute - used.minute.used(nowMs);
    const resetsAtMs = remaining > 0 ? nowMs + MINUTE_MS : used.minute.freeAtMs(nowMs);
    quotas.push({ name: 'minute', limit: perMinute, remaining, resetsAtMs, windowMs: MINUTE_MS });
  }
  if (perDay !== null) {
    const remaining = perDay - usedToday(used, nowMs);
    quotas.push({
      name: 'day',
      limit: perDay,
      remaining,
      resetsAtMs: dayResetsAtMs(used, nowMs),
      windowMs: DAY_MS,
    });
  }
  if (total !== null) {
    quotas.push({
      name: 'total',
      limit: total,
      remaining: Math.max(0, total - used.use.usedTotal),
      resetsAtMs: null,
      windowMs: null,
    });
  }
  return quotas;
}

/** Admits at most `limit` requests in any interval of `lengthMs` milliseconds, whenever the interval begins. */
export interface SlidingWindow {
  /** Returns the number of requests admitted in the last `lengthMs` milliseconds. */
  used(nowMs: number): number;
  /** Returns when the next request can be admitted, in epoch milliseconds, or `nowMs` if it can be admitted now. */
  freeAtMs(nowMs: number): number;
  admit(nowMs: number): void;
}

/** Stores the times of admitted requests in a ring buffer that grows to at most `limit` entries. */
export function slidingWindow(limit: number, lengthMs: number): SlidingWindow {
  let ring = new Float64Array(Math.min(limit, 64));
  let first = 0;
  let count = 0;

  const drop = (nowMs: number) => {
    // A request admitted at time t is counted in the interval [t, t + lengthMs).
    while (count > 0 && (ring[first] ?? 0) + lengthMs <= nowMs) {
      first = (first + 1) % ring.length;
      count--;
    }
  };
  const grow = () => {
    const larger = new Float64Array(Math.min(limit, ring.length * 2));
    for (let i = 0; i < count; i++) larger[i] = ring[(first + i) % ring.length] ?? 0;
    ring = larger;
    first = 0;
  };

  return {
    used(nowMs) {
      drop(nowMs);
      return count;
    },
    freeAtMs(nowMs) {
      drop(nowMs);
      return count < limit ? nowMs : (ring[first] ?? nowMs) + lengthMs;
    },
    admit(nowMs) {
      if (count === ring.length) grow();
      ring[(first + count) % ring.length] = nowMs;
      count++;
    },
  };
}
