/** Response headers by lower-case name. */
export type Headers = Readonly<Record<string, string | undefined>>;

/**
 * When to ask again by `Retry-After` (RFC 9110, 10.2.3: seconds or an HTTP date), in epoch milliseconds;
 * null where the header is missing or unreadable. Bounded, so that no upstream can put the mirror to sleep for good.
 */
export function retryAfterMs(headers: Headers, nowMs: number): number | null {
  const ms = momentMs(headers['retry-after'] ?? null, headers, nowMs);
  return ms === null ? null : bounded(ms, nowMs);
}

/**
 * When a spent rate window opens again, in epoch milliseconds; null while something remains or nothing is
 * said. Understands `RateLimit-Remaining`/`-Reset` with and without `X-`, the misspelt `-Remain`, and the
 * combined `RateLimit` field of the IETF drafts. Of several spent windows the one that opens last counts.
 * These headers may only tighten what is configured.
 */
export function rateLimitResetMs(headers: Headers, nowMs: number): number | null {
  const resets = [...combinedField(headers.ratelimit ?? ''), ...separateFields(headers)]
    .filter(({ remaining }) => remaining !== null && remaining <= 0)
    .map(({ reset }) => momentMs(reset, headers, nowMs))
    .filter((reset) => reset !== null);
  return resets.length === 0 ? null : bounded(Math.max(...resets), nowMs);
}

/** The target of `Link: <…>; rel="next"` (RFC 8288), or null. */
export function nextLink(headers: Headers): string | null {
  const text = headers.link ?? '';
  for (let at = text.indexOf('<'); at !== -1; ) {
    const close = text.indexOf('>', at);
    if (close === -1) return null;
    const { rel, end } = relationAt(text, close + 1);
    if (close > at + 1 && rel.split(/\s+/).includes('next')) return text.slice(at + 1, close);
    at = text.indexOf('<', end);
  }
  return null;
}

/** Reads the parameters of one link: its first `rel`, in lower case, and where the parameters end. */
function relationAt(text: string, start: number): { rel: string; end: number } {
  // Every part is delimited by what the part before it excludes: the time is linear in the length.
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

// draft-ietf-httpapi-ratelimit-headers: `"minute";r=0;t=30, "day";r=7;t=900`; before its eighth version
// one dictionary, `limit=10, remaining=0, reset=30`.
function combinedField(field: string): Window[] {
  const bare = field.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
  const isDictionary = /(?:^|[,\s])remaining=/i.test(bare);
  return (isDictionary ? [bare] : bare.split(',')).map((item) => ({
    remaining: numberIn(/(?:^|[;,\s])(?:r|remaining)=([-\d]+)/i.exec(item)?.[1]),
    reset: /(?:^|[;,\s])(?:t|reset)=([\d.]+)/i.exec(item)?.[1] ?? null,
  }));
}

function separateFields(headers: Headers): Window[] {
  return ['ratelimit-', 'x-ratelimit-', 'x-rate-limit-'].map((prefix) => ({
    remaining: numberIn(headers[`${prefix}remaining`] ?? headers[`${prefix}remain`]),
    reset: headers[`${prefix}reset`] ?? null,
  }));
}

/** A moment is written as seconds from now, as epoch seconds or milliseconds, or as a date. */
function momentMs(text: string | null, headers: Headers, nowMs: number): number | null {
  if (text === null) return null;
  const number = numberIn(text);
  if (number !== null && number < 0) return null;
  if (number !== null && number < SMALLEST_EPOCH_S) return nowMs + number * 1000;
  const dateMs = number === null ? dateIn(text.trim()) : number < SMALLEST_EPOCH_MS ? number * 1000 : number;
  return dateMs === null ? null : onOurClock(dateMs, headers, nowMs);
}

/** A moment on the upstream's clock, which its `Date` header shows, in the time of ours: one of the two may be wrong. */
function onOurClock(theirsMs: number, headers: Headers, nowMs: number): number {
  const theirNowMs = dateIn(headers.date?.trim() ?? '');
  const isPlausible = theirNowMs !== null && Math.abs(theirNowMs - nowMs) <= LARGEST_SKEW_MS;
  return isPlausible ? nowMs + (theirsMs - theirNowMs) : theirsMs;
}

/** The three forms of an HTTP date (RFC 9110, 5.6.7), and ISO 8601, all in UTC where they name no zone. */
function dateIn(text: string): number | null {
  if (text.length > LONGEST_DATE) return null;
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

function bounded(untilMs: number, nowMs: number): number {
  return Math.min(Math.max(untilMs, nowMs), nowMs + LONGEST_WAIT_MS);
}

const LONGEST_WAIT_MS = 32 * 24 * 3600 * 1000;
const LARGEST_SKEW_MS = 24 * 3600 * 1000;
const LONGEST_DATE = 40;
const SMALLEST_EPOCH_S = 1e9;
const SMALLEST_EPOCH_MS = 1e12;
