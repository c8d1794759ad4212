import { describe, expect, test } from 'vitest';
import {
  clockSkewMs,
  type Headers,
  nextLink,
  rateLimitResetMs,
  retryAfterMs,
} from '../../src/dialect/headers.ts';

const NOW_MS = Date.parse('2026-03-01T12:00:00Z');
const DAYS_32_MS = 32 * 24 * 3600 * 1000;

/** How many seconds from now the wait ends, or null. */
const retry = (value: string, more: Headers = {}) =>
  inSeconds(retryAfterMs({ ...more, 'retry-after': value }, NOW_MS));
const reset = (headers: Headers) => inSeconds(rateLimitResetMs(headers, NOW_MS));
const inSeconds = (ms: number | null) => (ms === null ? null : (ms - NOW_MS) / 1000);

describe('Date', () => {
  test.each([
    ['Sun, 01 Mar 2026 12:00:00 GMT', -500],
    ['Sunday, 01-Mar-26 12:00:00 GMT', -500],
    ['Sun Mar  1 12:00:00 2026', -500],
    ['2026-03-01T13:00:00+01:00', -500],
    ['0', null],
    ['1', null],
    ['yesterday', null],
    ['3/1/2026', null],
    ['', null],
  ])('the difference between the clocks is read from %j', (date, skewMs) => {
    expect(clockSkewMs({ date }, NOW_MS)).toBe(skewMs);
  });
});

describe('Retry-After', () => {
  test.each([
    ['120', 120],
    [' 120 ', 120],
    ['0', 0],
    ['1.5', 1.5],
    ['10, 10', 10],
    ['10,30', 30],
    ['Sun, 01 Mar 2026 12:01:00 GMT', 60],
    ['Sunday, 01-Mar-26 12:01:00 GMT', 60],
    ['Sun Mar  1 12:01:00 2026', 60],
    ['2026-03-01T12:01:00Z', 60],
    ['2026-03-01T13:01:00+01:00', 60],
    ['2026-03-01 12:01:00', 60],
    ['Sun, 01 Mar 2026 11:00:00 GMT', 0],
    [String(NOW_MS / 1000 + 60), 60],
  ])('Retry-After is read from %s', (value, seconds) => {
    expect(retry(value)).toBe(seconds);
  });

  test.each([
    '',
    ' ',
    '-1',
    '-1, 5x',
    '10, soon',
    'soon',
    'foo 5',
    '1 minute',
    '1e3',
    '0x10',
    'NaN',
    'Infinity',
    '12:01',
    'null',
  ])('Retry-After is ignored if its value is %j', (value) => {
    expect(retry(value)).toBeNull();
  });

  test.each(['999999999', '9'.repeat(400), 'Fri, 31 Dec 9999 23:59:59 GMT', '1e999', '9'.repeat(16_000)])(
    'Retry-After is limited to 32 days: %s',
    (value) => {
      expect([DAYS_32_MS / 1000, null]).toContain(retry(value));
    },
  );

  test("a date in Retry-After is converted from the upstream's clock to the local clock", () => {
    const date = 'Sun, 01 Mar 2026 15:00:00 GMT';
    expect(retry('Sun, 01 Mar 2026 15:01:00 GMT', { date })).toBe(60);
    expect(retry('Sun, 01 Mar 2026 15:01:00 GMT', { date: 'yesterday' })).toBe(3 * 3600 + 60);
  });

  test('a date in Retry-After is not converted if the two clocks differ by years', () => {
    expect(retry('Sun, 01 Mar 2026 12:01:00 GMT', { date: 'Thu, 01 Jan 1970 00:00:00 GMT' })).toBe(60);
  });
});

describe('RateLimit headers', () => {
  test.each<[string, Headers]>([
    ['seconds', { 'ratelimit-remaining': '0', 'ratelimit-reset': '30' }],
    ['with X-', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '30' }],
    ['with X- and hyphens in the names', { 'x-rate-limit-remaining': '0', 'x-rate-limit-reset': '30' }],
    ['misspelt', { 'x-ratelimit-remain': '0', 'x-ratelimit-reset': String(NOW_MS / 1000 + 30) }],
    ['epoch milliseconds', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(NOW_MS + 30_000) }],
    ['a date', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '2026-03-01T12:00:30Z' }],
    ['overdrawn', { 'x-ratelimit-remaining': '-2', 'x-ratelimit-reset': '30' }],
    ['draft 7', { ratelimit: 'limit=10, remaining=0, reset=30' }],
    ['draft 7, policy first', { ratelimit: 'policy="10;w=60", limit=10, reset=30, remaining=0' }],
    ['draft 8', { ratelimit: '"default";r=0;t=30' }],
    ['draft 8, spaced', { ratelimit: '"default" ; r=0 ; t=30' }],
    ['two policies', { ratelimit: '"minute";r=0;t=30, "day";r=900;t=80000' }],
    ['two spent policies', { ratelimit: '"second";r=0;t=1, "minute";r=0;t=30' }],
    ['a hostile name', { ratelimit: '"a;r=5;t=9,\\"r=1";r=0;t=30' }],
    [
      'only one of two header families has no calls left',
      { ratelimit: '"d";r=5;t=9', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '30' },
    ],
  ])('RateLimit headers permit no call for 30 seconds: %s', (_form, headers) => {
    expect(reset(headers)).toBe(30);
  });

  test.each<[string, Headers]>([
    ['nothing said', {}],
    ['something left', { 'ratelimit-remaining': '1', 'ratelimit-reset': '30' }],
    ['no reset', { 'ratelimit-remaining': '0' }],
    ['no remainder', { 'ratelimit-reset': '30', ratelimit: '"default";t=30' }],
    ['only the other policy has a reset time', { ratelimit: '"minute";r=0, "day";r=900;t=80000' }],
    ['garbage', { 'ratelimit-remaining': 'none', 'ratelimit-reset': 'soon', ratelimit: ';;;,,,===' }],
    ['a policy whose name looks like parameters', { ratelimit: '"r=0;t=30"' }],
    ['two values', { 'ratelimit-remaining': '0, 0', 'ratelimit-reset': '30, 30' }],
  ])('RateLimit headers do not pause calls: %s', (_form, headers) => {
    expect(reset(headers)).toBeNull();
  });

  test('the reset time in RateLimit headers is limited', () => {
    expect(reset({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1600000000' })).toBe(0);
    expect(reset({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '99999999999999' })).toBe(
      DAYS_32_MS / 1000,
    );
  });
});

describe('the Link header', () => {
  test.each([
    ['<https://a.example/?page=2>; rel="next"', 'https://a.example/?page=2'],
    ['<?page=2>;rel=next', '?page=2'],
    ['</p/1>; rel="prev", </p/3>; rel="next"', '/p/3'],
    ['</p/3> ; REL = "Next"', '/p/3'],
    ['</p/3>; rel="last next"', '/p/3'],
    ['</p/3>; title="a; rel=next, <b>"; rel="next"', '/p/3'],
    ['</a,b;c>; rel=next', '/a,b;c'],
    ['</p/3>; title="say \\"next\\""; rel=next', '/p/3'],
    ['</p/2>, </p/3>; rel=next', '/p/3'],
  ])("the Link header contains the next page's URL: %s", (link, next) => {
    expect(nextLink({ link })).toBe(next);
  });

  test.each([
    '',
    'next',
    '<>; rel=next',
    '</p/3>; rel="prev"',
    '</p/3>; rel="nextpage"',
    '</p/3>; rev="next"',
    '</p/3>; title="rel=next"',
    '</p/3>; rel="prev"; rel="next"',
    '</p/3; rel=next',
    '</p/3>; rel="next',
  ])('the Link header contains no next-page URL: %j', (link) => {
    expect(nextLink({ link })).toBeNull();
  });
});

describe('an arbitrary header', () => {
  // Node accepts 16 KiB of headers. A backtracking pattern would need exponential time.
  test.each([
    '<',
    '<>',
    '<>;',
    '<a>; ',
    '<a>;\t ',
    '<a>;a',
    '<a>;a=',
    '<a>;a="',
    '<a>;a="\\',
    '<a>;rel="a ',
    '" ',
    ';r=',
    ';r=0',
    'r=0,',
    '0',
    ' ',
  ])('a header of 64 KiB of %j is read in linear time', (piece) => {
    const text = piece.repeat(Math.ceil(65_536 / piece.length));
    const startMs = performance.now();
    for (const value of [text, `<a>${text}`, `<a>;${text}`, `"${text}`, `<a>;x="${text}`, `${text}!`]) {
      nextLink({ link: value });
      rateLimitResetMs({ ratelimit: value, 'ratelimit-remaining': value, 'ratelimit-reset': value }, NOW_MS);
      retryAfterMs({ 'retry-after': value, date: value }, NOW_MS);
    }
    expect(performance.now() - startMs).toBeLessThan(5000);
  });
});
