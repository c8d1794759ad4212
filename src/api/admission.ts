import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AccountFile } from '../warehouse/accounts.ts';
import type { ApiProfile } from './api_profile.ts';
import { type ApiProblem, RejectedRequest } from './problems.ts';
import type { Admission, Quota, QuotaMeter } from './quota_meter.ts';

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
