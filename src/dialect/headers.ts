/** Response headers by lower-case name. */
export type Headers = Readonly<Record<string, string | undefined>>;

/**
 * When to ask again by `Retry-After` (RFC 9110, 10.2.3: seconds or an HTTP date), in epoch milliseconds;
 * null where the header is missing or unreadable. Bounded, so that no upstream can put the mirror to sleep for good.
 */
export function retryAfterMs(headers: Headers, nowMs: number): number | null {
  const value = headers['retry-after']?.trim();
  if (value === undefined || value === '') return null;
  if (/^\d+(\.\d+)?$/.test(value)) return bounded(nowMs + Number(value) * 1000, nowMs);
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : bounded(date, nowMs);
}

/**
 * When a spent rate window opens again, in epoch milliseconds; null while something remains or nothing is
 * said. Understands `RateLimit-Remaining`/`-Reset` with and without `X-`, the misspelt `-Remain`, and the
 * combined `RateLimit` field of the IETF drafts. These headers may only tighten what is configured.
 */
export function rateLimitResetMs(headers: Headers, nowMs: number): number | null {
  const { remaining, reset } = combinedField(headers.ratelimit) ?? separateFields(headers);
  if (remaining === null || remaining > 0 || reset === null) return null;
  return bounded(resetMs(reset, nowMs), nowMs);
}

/** The target of `Link: <…>; rel="next"` (RFC 8288), or null. */
export function nextLink(headers: Headers): string | null {
  for (const link of (headers.link ?? '').matchAll(/<([^>]*)>((?:\s*;\s*[^;,"]+(?:="[^"]*"|=[^;,"]*)?)*)/g))
    if (/;\s*rel\s*=\s*"?(?:[^"]*\s)?next(?:\s[^"]*)?"?(?:\s*;|\s*$)/i.test(link[2] ?? ''))
      return link[1] ?? null;
  return null;
}

interface Window {
  remaining: number | null;
  reset: number | null;
}

// draft-ietf-httpapi-ratelimit-headers: `"default";r=0;t=30`, in older versions `limit=10, remaining=0, reset=30`.
function combinedField(field: string | undefined): Window | null {
  if (field === undefined) return null;
  return {
    remaining: numberIn(field.match(/(?:^|[;,\s])(?:r|remaining)=(\d+)/i)?.[1]),
    reset: numberIn(field.match(/(?:^|[;,\s])(?:t|reset)=(\d+)/i)?.[1]),
  };
}

function separateFields(headers: Headers): Window {
  const first = (suffix: string) => headers[`ratelimit-${suffix}`] ?? headers[`x-ratelimit-${suffix}`];
  return { remaining: numberIn(first('remaining') ?? first('remain')), reset: numberIn(first('reset')) };
}

function numberIn(text: string | undefined): number | null {
  return text !== undefined && /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : null;
}

/** A reset is written as seconds from now, as epoch seconds or as epoch milliseconds. */
function resetMs(reset: number, nowMs: number): number {
  if (reset > 1e12) return reset;
  if (reset > 1e9) return reset * 1000;
  return nowMs + reset * 1000;
}

const LONGEST_WAIT_MS = 32 * 24 * 3600 * 1000;

function bounded(untilMs: number, nowMs: number): number {
  return Math.min(Math.max(untilMs, nowMs), nowMs + LONGEST_WAIT_MS);
}
