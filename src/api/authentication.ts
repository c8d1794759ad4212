import type { Account, Accounts } from './accounts.ts';
import type { ApiProfile } from './api_profile.ts';
import { httpDate, limitHeaders, secondsUntil } from './limit_headers.ts';
import type { Problem } from './problems.ts';
import type { Admission, Meter } from './quota_meter.ts';

/** What stands before the three endpoints: the key, then the limits. */
export interface AuthResult {
  readonly account: Account | null;
  /** Why the request goes no further; null when it may. */
  readonly problem: Problem | null;
  /** The RateLimit headers of the answer. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface AuthenticationOptions {
  readonly accounts: Accounts;
  readonly meter: Meter;
  readonly profile: ApiProfile;
  /** How far the clock that dates are told by is off from `nowMs`. */
  readonly clockSkewMs?: number;
}

export function authenticate(
  authorization: string | undefined,
  nowMs: number,
  options: AuthenticationOptions,
): AuthResult {
  const key = bearerKey(authorization);
  if (key === null) return refused({ code: 'credentials_missing', headers: challenge('') });
  const account = options.accounts.byKey(key);
  if (account === null) {
    return refused({ code: 'credentials_invalid', headers: challenge(', error="invalid_token"') });
  }
  if (account.suspended) return { ...refused({ code: 'account_suspended' }), account };
  const admission = options.meter.admit(account, nowMs);
  const headers = limitHeaders(admission.quotas, options.profile.limits, nowMs);
  return { account, problem: limitProblem(admission, options, nowMs), headers };
}

/** RFC 6750, 2.1: the scheme's case does not matter, the key is one token. */
function bearerKey(authorization: string | undefined): string | null {
  return authorization?.match(/^bearer +([\x21-\x7e]+) *$/i)?.[1] ?? null;
}

function challenge(error: string): Record<string, string> {
  return { 'www-authenticate': `Bearer realm="registry"${error}` };
}

function refused(problem: Problem): AuthResult {
  return { account: null, problem, headers: {} };
}

function limitProblem(
  { is, retryAtMs }: Admission,
  options: AuthenticationOptions,
  nowMs: number,
): Problem | null {
  if (is === 'admitted') return null;
  const {
    clockSkewMs = 0,
    profile: { errors },
  } = options;
  const style = is === 'throttled' ? errors.throttled.retry_after : errors.exhausted.retry_after;
  const headers = retryAfter(retryAtMs, style, { nowMs, clockSkewMs });
  if (is === 'throttled') return { code: 'rate_limited', headers };
  const detail =
    retryAtMs === null
      ? 'The allowance of this account is spent, for good.'
      : `The allowance of this account is spent until ${new Date(retryAtMs).toISOString()}.`;
  return { code: 'allowance_exhausted', detail, headers };
}

interface Clock {
  readonly nowMs: number;
  readonly clockSkewMs: number;
}

function retryAfter(
  atMs: number | null,
  style: 'seconds' | 'date' | 'none',
  { nowMs, clockSkewMs }: Clock,
): Record<string, string> {
  if (atMs === null || style === 'none') return {};
  // An HTTP date has no fraction: the next whole second, never one too early.
  if (style === 'date') return { 'retry-after': httpDate(Math.ceil((atMs + clockSkewMs) / 1000) * 1000) };
  return { 'retry-after': String(Math.max(1, secondsUntil(atMs, nowMs))) };
}
