import { CronExpressionParser } from 'cron-parser';
import { z } from 'zod';
import type { DayStart } from '../allowance/windows.ts';
import { HEADER_NAME } from '../dialect/header_or_path.ts';
import { escapeFault, placeholdersIn, templateFault } from '../dialect/template.ts';
import { constantParts } from '../dialect/url_template.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, WEEK_MS } from '../durations.ts';
import { messageOf } from '../errors.ts';
import { keyHeaderName } from './credentials.ts';
import { Secret, SecretUrl } from './secret.ts';

/** Schemas for single values in the configuration file, with their types in `Config`. */

export interface Milliseconds {
  readonly ms: number;
}

export interface Bytes {
  readonly bytes: number;
}

export const UNIT_MS = { ms: 1, s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS, w: WEEK_MS } as const;

const A_DURATION = 'must be a duration such as 5s, 30m, 12h, 7d or 2w';

/** A number with one of these units, converted to the smallest of them. */
function quantity(units: Readonly<Record<string, number>>, message: string) {
  return z
    .string(message)
    .regex(new RegExp(`^\\d+(\\.\\d+)?(${Object.keys(units).join('|')})$`), message)
    .transform((text) => Number.parseFloat(text) * (units[text.replace(/^[\d.]+/, '')] ?? 0));
}

export const Duration = quantity(UNIT_MS, A_DURATION).transform((ms, ctx): Milliseconds => {
  if (ms < 1 || ms > MAX_MS) ctx.addIssue('must be at least 1ms and at most 100 years');
  return { ms };
});

const MAX_MS = 100 * 365.25 * UNIT_MS.d;

export const UNIT_BYTES = {
  B: 1,
  kB: 1000,
  KB: 1000,
  MB: 1e6,
  GB: 1e9,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
} as const;

const A_SIZE = 'must be a size such as 512KiB, 8MiB or 1GiB';

export const Size = quantity(UNIT_BYTES, A_SIZE).transform((size, ctx): Bytes => {
  const bytes = Math.floor(size);
  if (bytes < 1) ctx.addIssue('must be at least 1B');
  return { bytes };
});

export const Timezone = z
  .string()
  .refine(isTimezone, 'is not a time zone; use an IANA name such as Europe/Oslo, or UTC');

function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

export const DayStarts = z
  .string()
  .regex(
    /^(rolling|([01]\d|2[0-3]):[0-5]\d \S+)$/,
    'must be rolling, or a time and a zone: "00:00 Europe/Oslo"',
  )
  .transform((text, ctx): DayStart => {
    if (text === 'rolling') return { kind: 'rolling' };
    const [time = '', timeZone = ''] = text.split(' ');
    if (!isTimezone(timeZone))
      ctx.addIssue(`${timeZone} is not a time zone; use an IANA name such as Europe/Oslo, or UTC`);
    const [hour = 0, minute = 0] = time.split(':').map(Number);
    return { kind: 'fixed', minuteOfDay: 60 * hour + minute, timeZone };
  });

export const Cron = z.string().superRefine((pattern, ctx) => {
  const why = cronFault(pattern);
  if (why !== null) ctx.addIssue(`is not a cron pattern (${why}); use five fields, such as "17 3 * * *"`);
});

// cron-parser replaces missing fields with "*", so a job with a truncated pattern would run every minute.
function cronFault(pattern: string): string | null {
  const fields = pattern.trim().split(/\s+/).length;
  if (fields !== 5 && fields !== 6) return `${fields === 1 ? '1 field' : `${fields} fields`}`;
  try {
    CronExpressionParser.parse(pattern);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

/** An HTTP or HTTPS URL as text, consisting only of an origin and a path. */
export const BaseUrl = z.string().superRefine((text, ctx) => {
  const why = baseUrlFault(text);
  if (why !== null) ctx.addIssue(why);
});

// The message does not repeat the URL, because it may contain a password.
function baseUrlFault(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    return 'is not a complete URL such as https://registry.example/api';
  if (url.username !== '' || url.password !== '')
    return 'must not contain a user name or password; write the key under api_key';
  if (url.search !== '' || url.hash !== '')
    return 'must end with its path; remove the query (?) and the fragment (#)';
  return null;
}

const secretUrl = (protocols: readonly string[], example: string) =>
  z
    .string()
    .refine(
      (text) => URL.canParse(text) && protocols.includes(new URL(text).protocol),
      `is not a URL such as ${example}`,
    )
    .transform((text) => new SecretUrl(text));

export const RedisUrl = secretUrl(['redis:', 'rediss:', 'unix:'], 'redis://127.0.0.1:6379');
export const WebhookUrl = secretUrl(['https:', 'http:'], 'https://hooks.example/registry');
export const ProxyUrl = secretUrl(['http:', 'https:'], 'http://proxy.example:3128');

// An Authorization header may contain only visible ASCII characters (RFC 9110).
export const ApiKey = z
  .string()
  .min(1, 'is empty')
  .regex(
    /^[\x21-\x7e]+$/,
    'must consist of visible ASCII characters without spaces; check it for a line break',
  )
  .transform((text) => new Secret(text));

export const Password = z
  .string()
  .min(8, 'must have at least 8 characters')
  .transform((text) => new Secret(text));

/** The header that sends the key: only a name (`X-API-Key`), or a name and a value (`Authorization: Token {key}`). */
export const KeyHeader = z
  .string()
  .regex(
    /^[\w!#$%&'*+.^`|~-]+(: ?[\x20-\x7e]*\{key(:basic)?\}[\x20-\x7e]*)?$/,
    'must be a header name such as X-API-Key, or a header with {key} such as "Authorization: Token {key}"',
  )
  .refine((header) => !RESERVED_HEADERS.has(keyHeaderName(header)), {
    error: 'must not be a header that the connection needs',
  });

const RESERVED_HEADERS = new Set(
  'accept accept-encoding connection content-length host te trailer transfer-encoding upgrade user-agent'.split(
    ' ',
  ),
);

const HeaderName = z
  .string()
  .regex(HEADER_NAME, 'must be a header name such as X-Auth-Email')
  .refine((name) => name.toLowerCase() === 'accept' || !RESERVED_HEADERS.has(name.toLowerCase()), {
    error: 'must not be a header that the connection needs; upstream.user_agent sets the User-Agent',
  });

/**
 * Constant headers by name. Their values are secrets, except in the headers that state which responses the client
 * prefers.
 */
export const ConstantHeaders = z
  .record(
    HeaderName,
    z.string().regex(/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/, 'must consist of visible ASCII characters'),
  )
  .superRefine((headers, ctx) => {
    const names = Object.keys(headers);
    for (const [at, name] of names.entries())
      if (names.slice(0, at).some((other) => other.toLowerCase() === name.toLowerCase()))
        ctx.addIssue({ code: 'custom', path: [name], message: 'occurs twice' });
  })
  .transform((headers) =>
    Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name,
        /^accept(-|$)/i.test(name) ? value : new Secret(value),
      ]),
    ),
  );

/** A resource's path, with an optional query string. */
const AnyPath = z
  .string()
  .regex(/^\/[^?#\s]*(\?[^#\r\n]*)?$/, "must be a path from the host's root, such as /api/stats?format=json");
/** The path of the search, in which parameters can stand in braces. */
export const SearchPath = AnyPath.superRefine((path, ctx) => {
  const names = placeholdersIn(path);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  const fault = twice === undefined ? escapeFault(path) : `contains {${twice}} twice`;
  if (fault !== null) ctx.addIssue(fault);
  // A request has one value for each name.
  const constants = new URLSearchParams(constantParts(path).join('&'));
  for (const name of names)
    if (constants.has(name))
      ctx.addIssue(`has {${name}} and the constant parameter ${name}: write another name in the braces`);
});
export const StatsPath = AnyPath.refine(
  (path) => placeholdersIn(path).length === 0,
  'has a placeholder, but the statistics have no parameters',
);
export const EntityPath = AnyPath.superRefine((path, ctx) => {
  const fault = templateFault(path, 'id');
  if (fault !== null) ctx.addIssue(`${fault}: /api/entity/{id}`);
});
