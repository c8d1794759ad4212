import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DAY_MS, MINUTE_MS } from '../durations.ts';
import type { AccountFile, ServedAccount } from '../warehouse/accounts.ts';
import type { ApiProfile } from './api_profile.ts';
import { type ApiProblem, RejectedRequest } from './problems.ts';

export interface AdmissionOptions {
  readonly accounts: AccountFile;
  readonly meter: QuotaMeter;
  readonly profile: ApiProfile;
  readonly wrongKeys: WrongKeys;
  /** Returns the time in epoch milliseconds. */
  readonly now: () => number;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The account's id, or null if the request has no key or an unknown key. */
    account: string | null;
  }
}

/**
 * Checks a request's key and limits, and counts the request.
 *
 * @throws RejectedRequest if the request is not admitted.
 */
export async function admit(
  { accounts, meter, profile, wrongKeys, now }: AdmissionOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const nowMs = now();
  const key = keyIn(request.headers, profile.key_header);
  if (key === null) throw new RejectedRequest({ code: 'credentials_missing', headers: challenge('') });
  const account = accounts.accountOf(key);
  if (account === null) {
    await setTimeout(wrongKeys.delayMs(request.ip, nowMs));
    throw new RejectedRequest({
      code: 'credentials_invalid',
      headers: challenge(', error="invalid_token"'),
    });
  }
  request.account = account.accountId;
  if (account.isSuspended === 1) throw new RejectedRequest({ code: 'account_suspended' });
  const admission = meter.admit(account, nowMs);
  reply.headers(limitHeaders(admission.quotas, profile.limits, nowMs));
  if (admission.is !== 'admitted') throw new RejectedRequest(limitProblem(admission, profile.errors, nowMs));
}

/**
 * Delays the responses to an address's unknown keys one after another, so that keys cannot be tried quickly, not even in
 * parallel.
 */
export class WrongKeys {
  /** The time of the last delayed response to each address, oldest request first. */
  readonly #lastMs = new Map<string, number>();

  /** Returns the delay before the response to one more unknown key. */
  delayMs(address: string, nowMs: number): number {
    for (const [other, lastMs] of this.#lastMs) {
      if (lastMs > nowMs) break;
      this.#lastMs.delete(other);
    }
    const lastMs = Math.max(nowMs, this.#lastMs.get(address) ?? nowMs);
    const nextMs = Math.min(lastMs + WRONG_KEY_DELAY_MS, nowMs + MAX_WRONG_KEY_DELAY_MS);
    this.#lastMs.delete(address);
    this.#lastMs.set(address, nextMs);
    return nextMs - nowMs;
  }
}

const WRONG_KEY_DELAY_MS = 500;
const MAX_WRONG_KEY_DELAY_MS = 30_000;

/**
 * Returns the key from a header such as `X-API-Key` or `Authorization: Bearer {key}`. Returns null if there is none.
 */
function keyIn(sent: IncomingHttpHeaders, form: string): string | null {
  const [name = '', value = ''] = form.split(':');
  const prefix = value.replace('{key}', '').trim().toLowerCase();
  const text = String(sent[name.toLowerCase()] ?? '');
  // RFC 6750, section 2.1: the scheme is case-insensitive, and the key is one token.
  const key = text.toLowerCase().startsWith(prefix) ? text.slice(prefix.length) : '';
  return (prefix === '' ? /^([\x21-\x7e]+) *$/ : /^ +([\x21-\x7e]+) *$/).exec(key)?.[1] ?? null;
}

function challenge(error: string): Record<string, string> {
  return { 'www-authenticate': `Bearer realm="registry"${error}` };
}

function limitProblem({ is, retryAtMs }: Admission, errors: ApiProfile['errors'], nowMs: number): ApiProblem {
  const isRate = is === 'throttled';
  const headers = retryAfter(retryAtMs, (isRate ? errors.throttled : errors.exhausted).retry_after, nowMs);
  if (isRate) return { code: 'rate_limited', headers };
  const detail =
    retryAtMs === null
      ? 'The allowance of this account is used up. It never resets.'
      : `The allowance of this account is used up until ${new Date(retryAtMs).toISOString()}.`;
  return { code: 'allowance_exhausted', detail, headers };
}

function retryAfter(
  atMs: number | null,
  style: 'seconds' | 'date' | 'none',
  nowMs: number,
): Record<string, string> {
  if (atMs === null || style === 'none') return {};
  // An HTTP date has no fractions of a second. The time is rounded up, so that a client never retries too early.
  if (style === 'date') return { 'retry-after': httpDate(Math.ceil(atMs / 1000) * 1000) };
  return { 'retry-after': String(Math.max(1, secondsUntil(atMs, nowMs))) };
}

/** Returns headers that report the limits, in the styles that the profile lists. */
function limitHeaders(
  quotas: readonly Quota[],
  profile: ApiProfile['limits'],
  nowMs: number,
): Record<string, string> {
  const headers: Record<string, string> = {};
  if (quotas.length === 0) return headers;
  // draft-ietf-httpapi-ratelimit-headers: one item per policy.
  if (profile.headers.includes('ietf')) {
    headers['RateLimit-Policy'] = quotas.map(policyOf).join(', ');
    headers.RateLimit = quotas.map((quota) => stateOf(quota, nowMs)).join(', ');
  }
  const quota = selected(quotas, profile.describe);
  if (profile.headers.includes('draft')) Object.assign(headers, plain('RateLimit', quota, nowMs));
  if (profile.headers.includes('x')) Object.assign(headers, plain('X-RateLimit', quota, nowMs));
  return headers;
}

/** Returns the seconds until a time, rounded up so that a client that waits this long does not retry too early. */
function secondsUntil(atMs: number, nowMs: number): number {
  return Math.max(0, Math.ceil((atMs - nowMs) / 1000));
}

/** Formats a time as an HTTP date (RFC 9110, section 5.6.7). */
export function httpDate(atMs: number): string {
  return new Date(atMs).toUTCString();
}

function policyOf({ name, limit, windowMs }: Quota): string {
  return `"${name}";q=${limit}${windowMs === null ? '' : `;w=${windowMs / 1000}`}`;
}

function stateOf({ name, remaining, resetsAtMs }: Quota, nowMs: number): string {
  return `"${name}";r=${remaining}${resetsAtMs === null ? '' : `;t=${secondsUntil(resetsAtMs, nowMs)}`}`;
}

function selected(quotas: readonly Quota[], describe: 'minute' | 'allowance'): Quota | undefined {
  const wanted = quotas.find((quota) => (quota.name === 'minute') === (describe === 'minute'));
  return wanted ?? quotas[0];
}

function plain(prefix: string, quota: Quota | undefined, nowMs: number): Record<string, string> {
  if (quota === undefined) return {};
  const reset = quota.resetsAtMs;
  return {
    [`${prefix}-Limit`]: String(quota.limit),
    [`${prefix}-Remaining`]: String(quota.remaining),
    ...(reset === null ? {} : { [`${prefix}-Reset`]: String(secondsUntil(reset, nowMs)) }),
  };
}

interface Admission {
  readonly is: 'admitted' | 'throttled' | 'exhausted';
  /**
   * When a retry can be admitted at the earliest, in epoch milliseconds. Null if the request was admitted, or if no
   * retry ever will be.
   */
  readonly retryAtMs: number | null;
  /** The state of each of the account's limits after this request, for the RateLimit headers. */
  readonly quotas: readonly Quota[];
}

interface Quota {
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
