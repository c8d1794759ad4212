import type { IncomingHttpHeaders } from 'node:http';
import type { Account, AccountFile } from '../warehouse/serve_accounts.ts';
import type { ApiProfile } from './api_profile.ts';
import { httpDate, limitHeaders, secondsUntil } from './limit_headers.ts';
import type { Problem } from './problems.ts';
import type { Admission, QuotaMeter } from './quota_meter.ts';

/** The result of checking a request's key and limits. */
export interface AuthResult {
  readonly account: Account | null;
  /** Why the request is rejected, or null if it is admitted. */
  readonly problem: Problem | null;
  /** The RateLimit headers for the response. */
  readonly headers: Readonly<Record<string, string>>;
}

interface AuthenticationOptions {
  readonly accounts: AccountFile;
  readonly meter: QuotaMeter;
  readonly profile: ApiProfile;
  /** The offset added to `nowMs` in response dates. */
  readonly clockSkewMs?: number;
}

/** Checks a request's key and limits, and counts the request if it is admitted. */
export function authenticate(
  sent: IncomingHttpHeaders,
  nowMs: number,
  options: AuthenticationOptions,
): AuthResult {
  const key = keyIn(sent, options.profile.key_header);
  if (key === null) return rejected({ code: 'credentials_missing', headers: challenge('') });
  const account = options.accounts.accountOf(key);
  if (account === null) {
    return rejected({ code: 'credentials_invalid', headers: challenge(', error="invalid_token"') });
  }
  if (account.isSuspended === 1) return { ...rejected({ code: 'account_suspended' }), account };
  const admission = options.meter.admit(account, nowMs);
  const headers = limitHeaders(admission.quotas, options.profile.limits, nowMs);
  return { account, problem: limitProblem(admission, options, nowMs), headers };
}

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

function rejected(problem: Problem): AuthResult {
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
      ? 'The allowance of this account is used up. It never resets.'
      : `The allowance of this account is used up until ${new Date(retryAtMs).toISOString()}.`;
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
  // An HTTP date has no fractions of a second. The time is rounded up, so that a client never retries too early.
  if (style === 'date') return { 'retry-after': httpDate(Math.ceil((atMs + clockSkewMs) / 1000) * 1000) };
  return { 'retry-after': String(Math.max(1, secondsUntil(atMs, nowMs))) };
}
