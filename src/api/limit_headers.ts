import type { ApiProfile } from './api_profile.ts';
import type { Quota } from './quota_meter.ts';

/** Returns headers that report the limits, in the styles that the profile lists. */
export function limitHeaders(
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
export function secondsUntil(atMs: number, nowMs: number): number {
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
