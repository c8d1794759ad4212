/** Response headers by lower-case name. */
export type Headers = Readonly<Record<string, string | undefined>>;

/**
 * Returns when the wait requested by `Retry-After` ends, in epoch milliseconds (RFC 9110, section 10.2.3: seconds or an
 * HTTP date). Returns null if the header is missing or unreadable. The wait is limited to MAX_WAIT_MS, so that no
 * upstream can stop the mirror permanently.
 */
export function retryAfterMs(headers: Headers, nowMs: number): number | null {
  return limitTimeMs(headers['retry-after'] ?? null, headers, nowMs);
}

/**
 * Returns when an exhausted rate window ends, in epoch milliseconds. Returns null if no window is exhausted or no
 * header states a time. The headers are `RateLimit-Remaining` and `RateLimit-Reset` with and without `X-`, the misspelt
 * `-Remain`, and the combined `RateLimit` field in the IETF drafts. If several windows are exhausted, the latest end
 * applies. These headers can only tighten the configured limits.
 */
export function rateLimitResetMs(headers: Headers, nowMs: number): number | null {
  const resets = [...combinedWindows(headers.ratelimit ?? ''), ...separateWindows(headers)]
    .filter(({ remaining }) => remaining !== null && remaining <= 0)
    .map(({ reset }) => timeMs(reset, headers, nowMs))
    .filter((reset) => reset !== null);
  return resets.length === 0 ? null : bounded(Math.max(...resets), nowMs);
}

/**
 * Returns when the upstream will permit calls again, in epoch milliseconds. Returns null if no header states a time.
 */
export function returnMs(headers: Headers, nowMs: number): number | null {
  return retryAfterMs(headers, nowMs) ?? rateLimitResetMs(headers, nowMs);
}

/**
 * Reads when a limit resets: seconds from now, epoch seconds, epoch milliseconds or a date. Returns epoch milliseconds
 * with the same limit as `retryAfterMs`, or null if the text is not a time.
 */
export function limitTimeMs(text: string | null, headers: Headers, nowMs: number): number | null {
  const ms = timeMs(text, headers, nowMs);
  return ms === null ? null : bounded(ms, nowMs);
}

/** Returns whether a header reports a limit, judging by its name. */
export function isLimitHeader(name: string): boolean {
  return /rate-?limit|quota|retry-after|calls?-remaining/i.test(name);
}

/** Returns the target in `Link: <…>; rel="next"` (RFC 8288), or null if there is none. */
export function nextLink(headers: Headers): string | null {
  const text = headers.link ?? '';
  for (let at = text.indexOf('<'); at !== -1; ) {
    const close = text.indexOf('>', at);
    if (close === -1) return null;
    const { rel, end } = linkParametersAt(text, close + 1);
    if (close > at + 1 && rel.split(/\s+/).includes('next')) return text.slice(at + 1, close);
    at = text.indexOf('<', end);
  }
  return null;
}

/** Reads one link's parameters. Returns its first `rel` in lower case, and the offset at which the parameters end. */
function linkParametersAt(text: string, start: number): { rel: string; end: number } {
  // Matching takes linear time, because each part starts with a character that the previous part cannot contain.
  const parameter = /\s*;\s*([^\s=;,"<]*)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"<]*)))?/y;
  let rel: string | null = null;
  let end = start;
  parameter.lastIndex = start;
  for (let match = parameter.exec(text); match !== null; match = parameter.exec(text)) {
    end = parameter.lastIndex;
    if (match[1]?.toLowerCase() === 'rel') rel ??= match[2] ?? match[3] ?? '';
  }
  return { rel: rel?.toLowerCase() ?? '', end };
}

interface Window {
  readonly remaining: number | null;
  readonly reset: string | null;
}

// draft-ietf-httpapi-ratelimit-headers: `"minute";r=0;t=30, "day";r=7;t=900`. Drafts before version 08 have one
// dictionary: `limit=10, remaining=0, reset=30`.
function combinedWindows(field: string): Window[] {
  const bare = field.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
  const isDictionary = /(?:^|[,\s])remaining=/i.test(bare);
  return (isDictionary ? [bare] : bare.split(',')).map((item) => ({
    remaining: numberIn(/(?:^|[;,\s])(?:r|remaining)=([-\d]+)/i.exec(item)?.[1]),
    reset: /(?:^|[;,\s])(?:t|reset)=([\d.]+)/i.exec(item)?.[1] ?? null,
  }));
}

function separateWindows(headers: Headers): Window[] {
  return ['ratelimit-', 'x-ratelimit-', 'x-rate-limit-'].map((prefix) => ({
    remaining: numberIn(headers[`${prefix}remaining`] ?? headers[`${prefix}remain`]),
    reset: headers[`${prefix}reset`] ?? null,
  }));
}

/** Like `limitTimeMs`, but without bounds. */
function timeMs(text: string | null, headers: Headers, nowMs: number): number | null {
  if (text === null) return null;
  const number = longestIn(text);
  if (number !== null && number < 0) return null;
  if (number !== null && number < MIN_EPOCH_S) return nowMs + number * 1000;
  const dateMs = number === null ? dateIn(text.trim()) : number < MIN_EPOCH_MS ? number * 1000 : number;
  return dateMs === null ? null : onLocalClock(dateMs, headers, nowMs);
}

/**
 * Uses the `Date` header to convert a time on the upstream's clock to local time, because the two clocks may differ.
 */
function onLocalClock(upstreamMs: number, headers: Headers, nowMs: number): number {
  const upstreamNowMs = dateIn(headers.date?.trim() ?? '');
  const isPlausible = upstreamNowMs !== null && Math.abs(upstreamNowMs - nowMs) <= MAX_CLOCK_SKEW_MS;
  return isPlausible ? nowMs + (upstreamMs - upstreamNowMs) : upstreamMs;
}

/**
 * Returns the local time minus the upstream's time, in milliseconds. The upstream's time is the `Date` header of a
 * response, plus the `Age` that a cache adds. Half a second is added, because the header is truncated to whole seconds.
 * Returns null if the header is absent or invalid.
 */
export function clockSkewMs(headers: Headers | undefined, receivedAtMs: number): number | null {
  const dateMs = dateIn(headers?.date?.trim() ?? '');
  const ageS = /^\d{1,9}$/.test(headers?.age ?? '') ? Number(headers?.age) : 0;
  return dateMs === null ? null : receivedAtMs - (dateMs + ageS * 1000 + 500);
}

/**
 * Reads a date in one of the three HTTP formats (RFC 9110, section 5.6.7) or in ISO 8601. A date without a time zone is
 * read as UTC.
 */
function dateIn(text: string): number | null {
  if (text.length > MAX_DATE_CHARS) return null;
  const isHttpDate = /^[A-Z][a-z]{2,8}, \d\d[ -][A-Z][a-z]{2}[ -]\d{2,4} \d\d:\d\d:\d\d GMT$/.test(text);
  const isAsctime = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/.test(text);
  const iso = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/.exec(text);
  if (!isHttpDate && !isAsctime && iso === null) return null;
  const needsZone = isAsctime || (iso !== null && iso[3] === undefined);
  const ms = Date.parse(needsZone ? `${text}${isAsctime ? ' GMT' : 'Z'}` : text);
  return Number.isNaN(ms) ? null : ms;
}

function numberIn(text: string | undefined): number | null {
  return text !== undefined && /^\s*-?\d+(\.\d+)?\s*$/.test(text) ? Number(text) : null;
}

/** Like `numberIn`, but reads the largest number of a list such as `10, 30`, to which proxies merge repeated headers. */
function longestIn(text: string): number | null {
  const numbers = text.split(',').map(numberIn);
  return numbers.includes(null) ? null : Math.max(...(numbers as number[]));
}

function bounded(untilMs: number, nowMs: number): number {
  return Math.min(Math.max(untilMs, nowMs), nowMs + MAX_WAIT_MS);
}

const MAX_WAIT_MS = 32 * 24 * 3600 * 1000;
const MAX_CLOCK_SKEW_MS = 24 * 3600 * 1000;
const MAX_DATE_CHARS = 40;
const MIN_EPOCH_S = 1e9;
const MIN_EPOCH_MS = 1e12;
