import { DAY_MS, MINUTE_MS } from '../durations.ts';
import type { Account, Limits } from './accounts.ts';

/** Counts each account's requests, and rejects requests that exceed a limit. Rejected requests are not counted. */
export interface Meter {
  /** Decides whether to admit a request, and counts it if it is admitted. */
  admit(account: Account, nowMs: number): Admission;
  /** Resolves when the counts so far are on disk. The service waits for this before it sends a response. */
  settled?(): Promise<void>;
}

/** Stores the counts, so that they survive a restart. */
export interface UsageMemory {
  /** Returns the account's earlier requests. */
  load(accountId: string): UsedBefore;
  /** Adds one admitted request. */
  add(accountId: string, nowMs: number): void;
}

export interface UsedBefore {
  readonly total: number;
  /** The UTC day of `usedToday`, in days since 1970-01-01. */
  readonly day: number;
  readonly usedToday: number;
  /** The times of the requests in the last minute, in epoch milliseconds, ascending. */
  readonly recentMs: readonly number[];
}

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

export interface MemoryMeter extends Meter {
  /** Returns the number of requests that were admitted for an account. */
  admitted(accountId: string): number;
  /** Sets all counts to zero. */
  reset(): void;
}

/** Creates a meter that counts in memory. If `memory` is given, the counts are loaded from there and stored there. */
export function memoryMeter(
  alreadyUsed: Readonly<Record<string, number>> = {},
  memory?: UsageMemory,
): MemoryMeter {
  const usage = new Map<string, Usage>();
  const usageOf = (account: Account): Usage => {
    const known = usage.get(account.id);
    if (known !== undefined && known.limits === account.limits) return known;
    // When the limits change, the total is kept. The counts per minute and per day restart, unless they are stored.
    const started =
      memory === undefined
        ? startUsage(account.limits, known?.total ?? alreadyUsed[account.id] ?? 0)
        : resumeUsage(account.limits, memory.load(account.id));
    usage.set(account.id, started);
    return started;
  };

  return {
    admit(account, nowMs) {
      const used = usageOf(account);
      const rejection = rejectionOf(used, nowMs);
      if (rejection === null) {
        count(used, nowMs);
        memory?.add(account.id, nowMs);
      }
      return {
        is: rejection?.is ?? 'admitted',
        retryAtMs: rejection?.retryAtMs ?? null,
        quotas: quotasOf(used, nowMs),
      };
    },
    admitted: (accountId) => usage.get(accountId)?.admitted ?? 0,
    reset: () => usage.clear(),
  };
}

interface Usage {
  readonly limits: Limits;
  readonly minute: SlidingWindow | null;
  readonly rollingDay: SlidingWindow | null;
  total: number;
  admitted: number;
  /** The UTC day of `usedToday`, in days since 1970-01-01. */
  day: number;
  usedToday: number;
}

function startUsage(limits: Limits, total: number): Usage {
  const { perMinute, perDay, day } = limits;
  return {
    limits,
    minute: perMinute === null ? null : slidingWindow(perMinute, MINUTE_MS),
    rollingDay: perDay === null || day === 'utc' ? null : slidingWindow(perDay, DAY_MS),
    total,
    admitted: 0,
    day: -1,
    usedToday: 0,
  };
}

function resumeUsage(limits: Limits, { total, day, usedToday, recentMs }: UsedBefore): Usage {
  const usage = { ...startUsage(limits, total), day, usedToday };
  for (const atMs of recentMs.slice(-(limits.perMinute ?? 0))) usage.minute?.admit(atMs);
  return usage;
}

/**
 * Checks the allowance before the rate, because a retry after a minute would fail again if the allowance is exhausted.
 */
function rejectionOf(used: Usage, nowMs: number): Pick<Admission, 'is' | 'retryAtMs'> | null {
  const { total, perDay } = used.limits;
  if (total !== null && used.total >= total) return { is: 'exhausted', retryAtMs: null };
  if (perDay !== null && usedToday(used, nowMs) >= perDay) {
    return { is: 'exhausted', retryAtMs: dayResetsAtMs(used, nowMs) };
  }
  const freeAtMs = used.minute?.freeAtMs(nowMs) ?? nowMs;
  return freeAtMs > nowMs ? { is: 'throttled', retryAtMs: freeAtMs } : null;
}

function count(used: Usage, nowMs: number): void {
  used.minute?.admit(nowMs);
  used.rollingDay?.admit(nowMs);
  usedToday(used, nowMs);
  used.usedToday++;
  used.total++;
  used.admitted++;
}

function usedToday(used: Usage, nowMs: number): number {
  if (used.rollingDay !== null) return used.rollingDay.used(nowMs);
  const day = Math.floor(nowMs / DAY_MS);
  if (day !== used.day) {
    used.day = day;
    used.usedToday = 0;
  }
  return used.usedToday;
}

function dayResetsAtMs(used: Usage, nowMs: number): number {
  return used.rollingDay?.freeAtMs(nowMs) ?? (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS;
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
      remaining: Math.max(0, total - used.total),
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
