import { DAY_MS, MINUTE_MS } from '../durations.ts';
import type { AccountFile, ServedAccount } from '../warehouse/accounts.ts';

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
 * Counts each account's requests, and rejects requests that exceed a limit. Rejected requests are not counted. The count
 * is in the file before the response is sent, so a server that is killed has counted every request that got a response.
 * Only one server may use the file.
 */
export class QuotaMeter {
  readonly #file: AccountFile;
  /** The times of each account's requests in the last minute, oldest first. */
  readonly #times = new Map<string, number[]>();

  constructor(file: AccountFile) {
    this.#file = file;
  }

  /** Decides whether to admit a request, and counts it if it is admitted. `account` is the present row in the file. */
  admit(account: ServedAccount, nowMs: number): Admission {
    const times = this.#timesInMinute(account, nowMs);
    const before = quotasOf(account, times, nowMs);
    const exceeded = before.find(({ remaining }) => remaining === 0);
    if (exceeded !== undefined) {
      const is = exceeded.name === 'minute' ? 'throttled' : 'exhausted';
      return { is, retryAtMs: exceeded.resetsAtMs, quotas: before.reverse() };
    }
    times.push(nowMs);
    const counted = {
      ...account,
      usedTotal: account.usedTotal + 1,
      usedDay: dayOf(nowMs),
      usedToday: usedTodayOf(account, nowMs) + 1,
      usedSecond: Math.floor(nowMs / 1000),
      usedInMinute: times.length,
    };
    this.#file.saveUse(counted);
    return { is: 'admitted', retryAtMs: null, quotas: quotasOf(counted, times, nowMs).reverse() };
  }

  /** Returns how many of an account's requests were admitted. */
  admitted(accountId: string): number {
    return this.#file.account(accountId)?.usedTotal ?? 0;
  }

  /** Sets all counts to zero. */
  reset(): void {
    for (const { accountId } of this.#file.accounts()) this.#file.saveUse({ ...UNUSED, accountId });
    this.#times.clear();
  }

  /** Returns the times of the requests in the last minute. A request at time t is counted in [t, t + 60 s). */
  #timesInMinute({ accountId, usedInMinute, usedSecond }: ServedAccount, nowMs: number): number[] {
    // All stored requests are assumed to have arrived at the end of the last second, so that the rate is never exceeded.
    const times = this.#times.get(accountId) ?? Array<number>(usedInMinute).fill((usedSecond + 1) * 1000);
    this.#times.set(accountId, times);
    const kept = times.findIndex((atMs) => atMs + MINUTE_MS > nowMs);
    times.splice(0, kept === -1 ? times.length : kept);
    return times;
  }
}

/**
 * Returns the state of the account's limits in the order in which they are checked. The allowance comes before the rate,
 * because a retry after a minute would fail again if the allowance is exhausted.
 */
function quotasOf(account: ServedAccount, times: readonly number[], nowMs: number): Quota[] {
  const { total, perDay, perMinute, usedTotal } = account;
  const oldestMs = times.at(-(perMinute ?? 1)) ?? nowMs;
  const day = { resetsAtMs: (dayOf(nowMs) + 1) * DAY_MS, windowMs: DAY_MS };
  const minute = { resetsAtMs: oldestMs + MINUTE_MS, windowMs: MINUTE_MS };
  const quotas = [
    { name: 'total', limit: total, used: usedTotal, resetsAtMs: null, windowMs: null },
    { name: 'day', limit: perDay, used: usedTodayOf(account, nowMs), ...day },
    { name: 'minute', limit: perMinute, used: times.length, ...minute },
  ] as const;
  return quotas.flatMap(({ limit, used, ...others }) =>
    limit === null ? [] : [{ ...others, limit, remaining: Math.max(0, limit - used) }],
  );
}

function usedTodayOf({ usedDay, usedToday }: ServedAccount, nowMs: number): number {
  return usedDay === dayOf(nowMs) ? usedToday : 0;
}

const UNUSED = { usedTotal: 0, usedDay: 0, usedToday: 0, usedSecond: 0, usedInMinute: 0 };

/** Returns the UTC day, in days since 1970-01-01. */
function dayOf(nowMs: number): number {
  return Math.floor(nowMs / DAY_MS);
}
