import type { Account, Limits } from './accounts.ts';

/** Counts what an account uses, and refuses what is above its limits. A refused request uses nothing. */
export interface Meter {
  /** Decides and counts in one step: the request is admitted, or it is not and nothing changes. */
  admit(account: Account, nowMs: number): Admission;
  /** Resolves when what was admitted so far will be remembered; a request is answered only then. */
  settled?(): Promise<void>;
}

/** Where a meter remembers what was used, beyond the life of its process. */
export interface UsageMemory {
  /** What the account had used up to now. */
  recall(accountId: string): UsedBefore;
  /** A request was admitted. */
  note(accountId: string, nowMs: number): void;
}

export interface UsedBefore {
  readonly total: number;
  /** Number of the UTC day, counted from 1970, that `usedToday` speaks of. */
  readonly day: number;
  readonly usedToday: number;
  /** When requests of the last minute were admitted, in order; epoch milliseconds. */
  readonly recentMs: readonly number[];
}

export interface Admission {
  readonly is: 'admitted' | 'throttled' | 'exhausted';
  /** When asking again may help; null where it never will. Of no meaning for an admitted request. */
  readonly retryAtMs: number | null;
  /** Every limit of the account after this request, for the RateLimit headers. */
  readonly quotas: readonly Quota[];
}

export interface Quota {
  readonly name: 'minute' | 'day' | 'total';
  readonly limit: number;
  readonly remaining: number;
  /** When something becomes free again; null: never. */
  readonly resetsAtMs: number | null;
  /** Length of the window; null for the total. */
  readonly windowMs: number | null;
}

export interface MeterInMemory extends Meter {
  /** Requests admitted so far, by account. */
  admitted(accountId: string): number;
  /** Forgets everything that was used. */
  reset(): void;
}

export function meterInMemory(
  alreadyUsed: Readonly<Record<string, number>> = {},
  memory?: UsageMemory,
): MeterInMemory {
  const usage = new Map<string, Usage>();
  const usageOf = (account: Account): Usage => {
    const known = usage.get(account.id);
    if (known !== undefined && known.limits === account.limits) return known;
    // Other limits from now on: what was used in all stays, the windows begin anew.
    const begun =
      memory === undefined
        ? beginUsage(account.limits, known?.total ?? alreadyUsed[account.id] ?? 0)
        : resumeUsage(account.limits, memory.recall(account.id));
    usage.set(account.id, begun);
    return begun;
  };

  return {
    admit(account, nowMs) {
      const used = usageOf(account);
      const refusal = refusalOf(used, nowMs);
      if (refusal === null) {
        count(used, nowMs);
        memory?.note(account.id, nowMs);
      }
      return {
        is: refusal?.is ?? 'admitted',
        retryAtMs: refusal?.retryAtMs ?? null,
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
  /** Number of the UTC day that `usedToday` speaks of. */
  day: number;
  usedToday: number;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

function beginUsage(limits: Limits, total: number): Usage {
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
  const usage = { ...beginUsage(limits, total), day, usedToday };
  for (const atMs of recentMs.slice(-(limits.perMinute ?? 0))) usage.minute?.admit(atMs);
  return usage;
}

/** The allowance is asked first: who has nothing left must not be told to wait a minute. */
function refusalOf(used: Usage, nowMs: number): Pick<Admission, 'is' | 'retryAtMs'> | null {
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

/** Admissions within the last `lengthMs`, at most `limit`: true at every instant, not by the clock's minutes. */
export interface SlidingWindow {
  /** Admissions that are still inside the window. */
  used(nowMs: number): number;
  /** When the next admission becomes possible; `nowMs` itself where it is possible now. */
  freeAtMs(nowMs: number): number;
  admit(nowMs: number): void;
}

/** Remembers the admissions in a ring of `limit` places, which grows as it is used. */
export function slidingWindow(limit: number, lengthMs: number): SlidingWindow {
  let ring = new Float64Array(Math.min(limit, 64));
  let first = 0;
  let count = 0;

  const drop = (nowMs: number) => {
    // An admission at t fills the window until t + length, that instant excluded.
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
