import { brotliCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Call } from '../../src/call.ts';
import { classify, openClassify, type Reply } from '../../src/dialect/classify.ts';
import type { Dialect } from '../../src/dialect/dialect.ts';
import { MAX_DEPTH } from '../../src/dialect/response_limits.ts';
import type { Verdict } from '../../src/outcome.ts';
import { dialectOf, ENTITY, entityOf, SEARCH, STATS, searchDialect } from '../support/dialect.ts';

const NOW_MS = Date.parse('2026-03-01T12:00:00Z');
const JSON_TYPE = { 'content-type': 'application/json' };
const GOOD = {
  stats: '{"total":5}',
  search: '{"total":1,"results":[{"id":"42","name":"A"}]}',
  entity: '{"id":"42","name":"A"}',
};

interface Asked extends Partial<Omit<Reply, 'body'>> {
  readonly body?: string | Buffer;
  readonly dialect?: Dialect;
  readonly call?: Call;
  readonly keyHasWorked?: boolean;
}

function verdictOn({ dialect = dialectOf(), call = ENTITY, keyHasWorked = true, ...reply }: Asked): Verdict {
  const { status = 200, headers = JSON_TYPE, body = '' } = reply;
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  return classify(dialect, call, { status, headers, body: bytes }, { nowMs: NOW_MS, keyHasWorked });
}

const rules = (...responses: Dialect['responses']) => dialectOf({ responses });

describe('the default rules', () => {
  test.each<[number, string, Verdict['is']]>([
    [200, GOOD.entity, 'ok'],
    [203, GOOD.entity, 'ok'],
    [206, GOOD.entity, 'ok'],
    [204, '', 'broken'],
    [301, '', 'refused'],
    [302, '', 'broken'],
    [304, '', 'broken'],
    [400, '', 'refused'],
    [401, '', 'unauthorised'],
    [402, '', 'exhausted'],
    [403, '', 'refused'],
    [404, '', 'absent'],
    [405, '', 'broken'],
    [406, '', 'broken'],
    [408, '', 'broken'],
    [410, '', 'absent'],
    [414, '', 'refused'],
    [416, '', 'refused'],
    [418, '', 'broken'],
    [422, '', 'refused'],
    [429, '', 'throttled'],
    [451, '', 'refused'],
    [500, '', 'broken'],
    [502, '', 'broken'],
    [503, '', 'broken'],
    [504, '', 'broken'],
    [599, '', 'broken'],
  ])('by default, HTTP %i means %3$s', (status, body, is) => {
    expect(verdictOn({ status, body }).is).toBe(is);
  });

  test.each([STATS, SEARCH])('by default, a 404 to a $kind call is broken', (call) => {
    expect(verdictOn({ call, status: 404 })).toEqual({
      is: 'broken',
      why: expect.stringMatching(/^HTTP 404: the path was not found/),
      isWrongAddress: true,
    });
    expect(verdictOn({ call, status: 410 }).is).toBe('broken');
  });

  test('only a 404 to a search that is not HTML proposes the rule that nothing was found', () => {
    const why = (call: typeof SEARCH | typeof STATS, body: string) => {
      const verdict = verdictOn({ call, status: 404, body });
      return 'why' in verdict ? verdict.why : null;
    };
    const rule = '{ status: 404, kind: search, means: absent }';
    expect(why(SEARCH, '{"message":"none"}')).toContain(rule);
    expect(why(SEARCH, '<html>none</html>')).not.toContain(rule);
    expect(why(STATS, '{"message":"none"}')).not.toContain(rule);
  });

  test('a 403 for a search that asks for a filter refuses the search and not the key', () => {
    const body = '{"Message":"This is a CPU intensive query. Please add at least one filter: name, address"}';
    expect(verdictOn({ call: SEARCH, status: 403, body, keyHasWorked: false }).is).toBe('refused');
    const ofParameter = 'Ошибка: не указан параметр q.';
    expect(verdictOn({ call: SEARCH, status: 403, body: ofParameter, keyHasWorked: false }).is).toBe(
      'refused',
    );
    const ofKey = '{"error":"Please provide a query with your API key"}';
    expect(verdictOn({ call: SEARCH, status: 403, body: ofKey, keyHasWorked: false }).is).toBe(
      'unauthorised',
    );
  });

  test('a 406 with JSON refuses the parameters of a search', () => {
    const body = '{"errorCode":406,"errorText":"Name parameter must be at least 3 characters"}';
    expect(verdictOn({ call: SEARCH, status: 406, body }).is).toBe('refused');
    expect(verdictOn({ call: SEARCH, status: 406, body: '<html>Not Acceptable</html>' }).is).toBe('broken');
    expect(verdictOn({ status: 406, body }).is).toBe('broken');
  });

  test('a 403 means unauthorised until the key has been accepted once', () => {
    expect(verdictOn({ status: 403, body: '{"error":"no"}', keyHasWorked: false }).is).toBe('unauthorised');
    expect(verdictOn({ status: 403, body: '{"error":"no"}', keyHasWorked: true }).is).toBe('refused');
    expect(verdictOn({ status: 403, body: '<html>Access denied</html>', keyHasWorked: true }).is).toBe(
      'broken',
    );
  });

  test.each([
    'Rate limit exceeded',
    '{"error":{"message":"usage quota"}}',
    'Too many requests',
    'API limit reached',
  ])('a 403 that mentions a limit means throttled: "%s"', (body) => {
    expect(verdictOn({ status: 403, body, keyHasWorked: false }).is).toBe('throttled');
  });

  test.each([
    [429, '{"error":{"code":"quota_exceeded"}}'],
    [403, 'Your monthly allowance has been used up. Upgrade your plan.'],
    [403, '{"message":"You have no credits left."}'],
    [429, '{"title":"Tageslimit erreicht","detail":"Ihr Kontingent ist aufgebraucht."}'],
    [403, '{"erreur":"Votre abonnement a expiré."}'],
    [429, '{"mensaje":"Se ha superado la cuota diaria"}'],
    [403, '<h1>Tegoed verbruikt</h1>'],
    [429, '{"melding":"Kvoten er brukt opp"}'],
    [429, '{"code":"dailyLimitExceeded"}'],
    [200, '{"success":false,"error":"Your monthly quota is used up."}'],
    [429, '{"title":"Too Many Requests","detail":"The monthly limit for your account is reached."}'],
    [403, 'Your free trial is over.'],
    [429, "You've hit your daily cap of 25 lookups"],
    [403, 'You have used all 100 of your free requests'],
    [429, 'Your account has exceeded its monthly allotment.'],
    [403, 'Ihr Abrufkontingent ist ausgeschöpft.'],
    [429, 'Vous avez consommé tous vos crédits pour ce mois.'],
    [429, 'Límite mensual de consultas superado'],
    [429, 'Hai raggiunto il limite giornaliero di richieste'],
    [403, 'Uw tegoed is op.'],
    [429, 'Daglimiet bereikt'],
    [429, 'Månadens anropskvot är förbrukad'],
    [429, 'O seu plano não permite mais consultas este mês'],
    [429, 'Wykorzystano limit zapytań w ramach pakietu'],
    [429, 'Kuukausikiintiö on käytetty loppuun'],
  ])('status %i with a message about an exhausted quota means exhausted: %s', (status, body) => {
    expect(verdictOn({ status, body })).toMatchObject({
      is: 'exhausted',
      why: expect.stringContaining('HTTP'),
    });
  });

  test.each([
    [429, 'Quota exceeded: 10 requests per minute', {}],
    [429, '{"type":"about:blank","title":"Limit exceeded"}', {}],
    [429, 'Your quota is used up', { 'retry-after': '20' }],
    [429, 'Burst quota exceeded, retry in 5 s', {}],
    [429, 'API calls quota exceeded! Maximum admitted 10 per Minute.', {}],
    [403, '{"error":"Rate limit exceeded for your plan"}', {}],
  ])(
    'status %i with a message about a limit per second or minute means throttled: %s',
    (status, body, headers) => {
      expect(verdictOn({ status, body, headers }).is).toBe('throttled');
    },
  );

  test.each([
    [
      'throttled',
      '{"error_message":"You have exceeded your rate-limit.","results":[],"status":"OVER_QUERY_LIMIT"}',
    ],
    [
      'throttled',
      '{"results":[],"header":{"resultCode":"22","resultMsg":"LIMIT EXCEEDED: too many requests"}}',
    ],
    ['exhausted', '{"results":[],"error":{"message":"Your daily quota is used up"}}'],
    ['ok', '{"results":[],"status":"ZERO_RESULTS"}'],
    ['ok', '{"results":[],"message":"No company is named quota exceeded"}'],
    ['ok', '{"results":[],"query":"rate limit exceeded"}'],
    ['ok', '{"results":[],"message":"The limit of 100 results was exceeded. Refine your search."}'],
    ['ok', '{"results":[{"id":"1"}],"message":"Rate limit exceeded"}'],
  ])('a search with status 200 that reports a limit and has no results means %s: %s', (is, body) => {
    const call = { ...SEARCH, query: { by: 'name', text: 'quota exceeded' } } as const;
    expect(verdictOn({ call, body }).is).toBe(is);
  });

  test('an exceeded limit is not a refused query, although a rule recognises both by the same key', () => {
    const dialect = rules({ status: 200, at: '/error', means: 'refused' });
    const is = (error: string) =>
      verdictOn({ dialect, call: SEARCH, body: JSON.stringify({ results: [], error }) }).is;
    expect([is('The query is missing'), is('Rate limit exceeded')]).toEqual(['refused', 'throttled']);
  });

  test('a throttled outcome lasts one minute if the response states no wait', () => {
    const until = (headers: Reply['headers'], status = 429) => {
      const verdict = verdictOn({ status, headers });
      return verdict.is === 'throttled' || verdict.is === 'exhausted'
        ? [verdict.is, ((verdict.untilMs ?? Number.NaN) - NOW_MS) / 1000]
        : verdict;
    };
    expect(until({})).toEqual(['throttled', 60]);
    expect(until({ 'retry-after': '7' })).toEqual(['throttled', 7]);
    expect(until({ 'retry-after': 'Sun, 01 Mar 2026 12:00:07 GMT' })).toEqual(['throttled', 7]);
    expect(until({ 'x-ratelimit-remain': '0', 'x-ratelimit-reset': '9' })).toEqual(['throttled', 9]);
    expect(until({ 'retry-after': '7' }, 503)).toEqual(['throttled', 7]);
    expect(until({ 'retry-after': '7' }, 403)).toEqual(['throttled', 7]);
    expect(until({ 'retry-after': '3599' })).toEqual(['throttled', 3599]);
    expect(until({ 'retry-after': '3600' })).toEqual(['exhausted', 3600]);
    expect(until({ 'retry-after': '7200' })).toEqual(['exhausted', 7200]);
    expect(until({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '7200' })).toEqual(['exhausted', 7200]);
    expect(until({ 'retry-after': '9'.repeat(30) })).toEqual(['exhausted', 32 * 24 * 3600]);
    expect(until({}, 402)).toEqual(['exhausted', Number.NaN]);
  });

  test('a redirect is broken, and the reason names its target', () => {
    const headers = { location: 'https://elsewhere.example/login' };
    expect(verdictOn({ status: 302, headers })).toEqual({
      is: 'broken',
      why: 'HTTP 302 (redirects to https://elsewhere.example/login)',
    });
  });
});

describe('reading a successful response', () => {
  test.each([
    ['nothing', '', 'HTTP 200, but the body is empty'],
    ['HTML', '\n <!DOCTYPE html><p>Maintenance', 'HTTP 200, but the body is HTML or XML, not JSON'],
    ['a truncated body', GOOD.search.slice(0, -5), 'HTTP 200, but the body is not JSON, or is incomplete'],
    ['two documents', '{}{}', 'HTTP 200, but the body is not JSON, or is incomplete'],
    ['text', 'OK', 'HTTP 200, but the body is not JSON, or is incomplete'],
    [
      'invalid UTF-8',
      Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x7d]),
      'HTTP 200, but the body is not valid text in its character set (default: UTF-8)',
    ],
    [
      'compressed bytes',
      brotliCompressSync(GOOD.search.repeat(50)),
      'HTTP 200, but the body is not valid text in its character set (default: UTF-8)',
    ],
    ['an abyss', '['.repeat(100_000), `HTTP 200, but the body is nested deeper than ${MAX_DEPTH} levels`],
    ['another document', '{"error":"soft"}', 'HTTP 200, but no list of results at /results: found nothing'],
    ['null', 'null', 'HTTP 200, but no list of results at /results: found nothing'],
  ])('a successful response is broken if its body is %s', (_what, body, why) => {
    expect(verdictOn({ call: SEARCH, body })).toEqual({
      is: 'broken',
      why,
      // The body is valid JSON but does not match the dialect.
      ...(why.includes('no list of results') ? { misread: true } : {}),
      ...(/nested deeper|character set/.test(why) || body === '{}{}' ? { isLasting: true } : {}),
      ...(why.includes('HTML') ? { isWrongAddress: true } : {}),
    });
  });

  test.each([
    ['utf-8', Buffer.from('{"id":"42","name":"Åkerøy"}')],
    ['utf-8', Buffer.from('\ufeff{"id":"42","name":"Åkerøy"}')],
    ['iso-8859-1', Buffer.from('{"id":"42","name":"Åkerøy"}', 'latin1')],
    ['iso-8859-1', Buffer.from('{"id":"42","name":"Åkerøy"}')],
    ['utf-16le', Buffer.from('{"id":"42","name":"Åkerøy"}', 'utf16le')],
    ['utf-16', Buffer.from('\ufeff{"id":"42","name":"Åkerøy"}', 'utf16le')],
    ['unheard-of', Buffer.from('{"id":"42","name":"Åkerøy"}')],
  ])('a successful response is read in the character set %s', (charset, body) => {
    const headers = { 'content-type': `text/json; charset="${charset.toUpperCase()}"` };
    expect(verdictOn({ headers, body })).toMatchObject({ is: 'ok', answer: { name: 'Åkerøy' } });
  });

  test.each(['unheard-of', 'utf-8', 'shift_jis'])(
    'a successful response is broken if its bytes are not valid in %s',
    (charset) => {
      const headers = { 'content-type': `application/json; charset=${charset}` };
      expect(verdictOn({ headers, body: Buffer.from([0x7b, 0xff, 0xfe, 0x7d]) }).is).toBe('broken');
    },
  );

  test("another entity's record, or a body that names a replacement, replaces the requested entity", () => {
    const replaced = { is: 'absent', shape: 'replaced by 43', replacedBy: '43' };
    expect(verdictOn({ body: '{"id":"43"}' })).toEqual({ ...replaced, shape: 'record of 43' });
    expect(verdictOn({ status: 404, body: '{"error":"merged","replaced_by":"43"}' })).toEqual(replaced);
    expect(verdictOn({ status: 409, body: '{"error":{"mergedInto":43}}' })).toEqual(replaced);
    expect(verdictOn({ status: 500, body: '{"replaced_by":"43"}' }).is).toBe('broken');
  });

  test('a permanent redirect replaces the entity if it leads to another record at the same origin', () => {
    const classify = openClassify(rules(), 'https://api.test/api/entity/{id}');
    const redirected = (location: string, status = 301) =>
      classify(
        entityOf('42'),
        { status, headers: { location }, body: Buffer.alloc(0) },
        { nowMs: 0, keyHasWorked: true },
      );
    const replaced = { is: 'absent', shape: 'replaced by 43', replacedBy: '43' };
    expect(redirected('/api/entity/43')).toEqual(replaced);
    expect(redirected('https://api.test/api/entity/43', 308)).toEqual(replaced);
    for (const location of [
      '/login',
      '/api/entity/42',
      '/api/entity/042',
      '/api/entity/42/',
      'https://other.test/api/entity/43',
      '/api/entity/a/b',
    ])
      expect(redirected(location).is).toBe('refused');
    expect(redirected('/api/entity/43', 302).is).toBe('broken');
  });
});

describe('the response table', () => {
  test("the response table's first matching row applies, before the default rules", () => {
    const dialect = rules(
      { status: [403, 429], at: '/code', is: 7, means: 'exhausted' },
      { status: 403, means: 'throttled' },
      { means: 'broken' },
    );
    expect(verdictOn({ dialect, status: 403, body: '{"code":"7"}' }).is).toBe('exhausted');
    expect(verdictOn({ dialect, status: 403, body: '{"code":8}' }).is).toBe('throttled');
    expect(verdictOn({ dialect, status: 200, body: GOOD.entity }).is).toBe('broken');
  });

  test.each<[string, Dialect['responses'][number], Asked]>([
    ['a status', { status: 509, means: 'throttled' }, { status: 509 }],
    [
      'a soft error',
      { status: 200, at: '/error', is: 'SLOW_DOWN', means: 'throttled' },
      { body: '{"error":"SLOW_DOWN"}' },
    ],
    ['a place', { at: '/errors/0', means: 'throttled' }, { body: '{"errors":[{}]}' }],
    ['a null', { at: '/data', is: null, means: 'throttled' }, { body: '{"data":null}' }],
    ['a truth', { at: '/limited', is: true, means: 'throttled' }, { body: '{"limited":true}' }],
    [
      'a pattern at a JSON path',
      { at: '/error/message', matches: 'RATE|usage', means: 'throttled' },
      { body: '{"error":{"message":"Usage exceeded"}}' },
    ],
    [
      'a pattern in an object',
      { at: '/error', matches: '"code":\\s*9', means: 'throttled' },
      { body: '{"error":{"code":9}}' },
    ],
    [
      'a pattern in the body',
      { status: 200, matches: 'slow\\s+down', means: 'throttled' },
      { body: '<p>Please SLOW\ndown' },
    ],
    ['a header', { status: 200, header: 'X-Blocked', means: 'throttled' }, { headers: { 'x-blocked': '' } }],
    ['a kind', { status: 404, kind: 'entity', means: 'throttled' }, { status: 404 }],
  ])('the response table applies a row with %s', (_what, rule, reply) => {
    expect(verdictOn({ dialect: rules(rule), ...reply }).is).toBe('throttled');
  });

  test.each<[string, Dialect['responses'][number]]>([
    ['another status', { status: 404, means: 'throttled' }],
    ['another kind', { kind: 'search', means: 'throttled' }],
    ['no such place', { at: '/error', means: 'throttled' }],
    ['another value', { at: '/id', is: '43', means: 'throttled' }],
    ['no such text', { matches: 'limit', means: 'throttled' }],
    ['no such header', { header: '__proto__', means: 'throttled' }],
    ['a value without a JSON path', { is: null, means: 'throttled' }],
  ])('the response table does not apply a row with %s', (_what, rule) => {
    expect(verdictOn({ dialect: rules(rule), body: GOOD.entity }).is).toBe('ok');
  });

  test('the response table can recognise the response to a search that finds nothing', () => {
    for (const [status, means] of [
      [404, 'absent'],
      [204, 'absent'],
      [404, 'ok'],
      [204, 'ok'],
    ] as const) {
      const dialect = rules({ status, kind: 'search', means });
      expect(verdictOn({ dialect, call: SEARCH, status })).toMatchObject({
        is: 'ok',
        answer: { rows: [], total: 0 },
      });
    }
  });

  test('a rule that calls a search successful hides no missing list, but results in an error are read', () => {
    const dialect = rules({ kind: 'search', means: 'ok' });
    expect(verdictOn({ dialect, call: SEARCH, body: '{"moved":[]}' })).toMatchObject({
      is: 'broken',
      why: expect.stringContaining("the rule's meaning is absent"),
    });
    const answer = verdictOn({ dialect, call: SEARCH, status: 500, body: GOOD.search });
    expect(answer).toMatchObject({ is: 'ok', answer: { rows: [{}] } });
  });

  test('by default, a search has no matches with HTTP 204, and no further page with HTTP 404', () => {
    const nothing = { is: 'ok', answer: { rows: [] } };
    expect(verdictOn({ call: SEARCH, status: 204 })).toMatchObject(nothing);
    const second = { ...SEARCH, page: { index: 1, next: null } };
    expect(verdictOn({ call: second, status: 404, body: '{"detail":"Invalid page."}' })).toMatchObject(
      nothing,
    );
    expect(verdictOn({ call: second, status: 404, body: '<h1>Not Found</h1>' }).is).toBe('broken');
    expect(verdictOn({ call: SEARCH, status: 404, body: '{}' }).is).toBe('broken');
  });

  test.each(['(', '(?=x)'])('the response table rejects the pattern %s', (matches) => {
    expect(() => rules({ matches, means: 'broken' })).toThrow('not a regular expression');
    expect(() => rules({ total: matches, means: 'broken' })).toThrow('not a regular expression');
  });

  test.each(['(a+)+$', '^(\\w+\\s?)*$', '(a|aa)+$', '(.*a){12}', '([a-z]+)*\\d'])(
    'the response table matches the pattern %s in linear time',
    (matches) => {
      const body = `"${'a'.repeat(20_000)}!"`;
      const startMs = performance.now();
      verdictOn({ dialect: rules({ status: 429, matches, means: 'exhausted' }), status: 429, body });
      verdictOn({ dialect: rules({ status: 429, at: '', matches, means: 'exhausted' }), status: 429, body });
      expect(performance.now() - startMs).toBeLessThan(2000);
    },
  );
});

describe('recognising a deleted entity', () => {
  const gone = { root: '/data', id: '/id', gone: { at: '/class', is: 'Deleted' } };

  test('a 410 without the record only claims that the entity was deleted, and a 410 with it is the tombstone', () => {
    const claim = { is: 'absent', shape: 'reported as gone' };
    expect(verdictOn({ status: 410 })).toEqual(claim);
    expect(verdictOn({ status: 410, body: '<html>' })).toEqual(claim);
    expect(verdictOn({ status: 410, body: '{"error":"moved"}' })).toEqual(claim);
    expect(verdictOn({ status: 410, body: GOOD.entity })).toMatchObject({
      is: 'gone',
      answer: { name: 'A' },
    });
  });

  test('an entity is deleted if the body contains the mark, and its record becomes the tombstone', () => {
    const dialect = dialectOf({ entity: gone });
    expect(
      verdictOn({ dialect, body: '{"data":{"id":"42","class":"Deleted","on":"2026-09-15"}}' }),
    ).toMatchObject({
      is: 'gone',
      answer: { entityId: '42', document: { on: '2026-09-15' } },
    });
    expect(verdictOn({ dialect, body: '{"data":{"id":"42","class":"Company"}}' }).is).toBe('ok');
    expect(verdictOn({ dialect, body: '{"class":"Deleted"}' }).is).toBe('absent');
  });

  test("another entity's tombstone does not prove a deletion", () => {
    const dialect = dialectOf({ entity: gone });
    expect(verdictOn({ dialect, body: '{"data":{"id":"43","class":"Deleted"}}' })).toMatchObject({
      is: 'broken',
      why: expect.stringMatching(/received "43"/),
    });
  });

  test.each([
    ['null', 'ok'],
    ['false', 'ok'],
    ['"2026-09-15"', 'gone'],
    ['true', 'gone'],
    ['0', 'gone'],
  ])('a mark without a configured value, %s, means %s', (value, is) => {
    const dialect = dialectOf({ entity: { id: '/id', gone: { at: '/deleted' } } });
    expect(verdictOn({ dialect, body: `{"id":"42","deleted":${value}}` }).is).toBe(is);
  });

  test('a search or statistics response never proves a deletion', () => {
    const dialect = rules({ status: 410, means: 'gone' });
    expect(verdictOn({ dialect, call: SEARCH, status: 410 }).is).toBe('broken');
    expect(verdictOn({ dialect, call: STATS, status: 410, body: GOOD.entity }).is).toBe('broken');
  });
});

describe("a 404's form", () => {
  const profile = (id: string, body: string, status = 404) => {
    const verdict = verdictOn({ call: entityOf(id), status, body });
    return verdict.is === 'absent' ? verdict.shape : verdict;
  };

  test("a 404's form is the same for two ids, and differs if the meaning differs", () => {
    const one = profile('42', '{"error":"not_found","message":"Company 42 not found","trace":"f3a4"}');
    const two = profile('43', '{"error":"not_found","message":"Company 43 not found","trace":"77aa"}');
    expect(one).toBe(two);
    expect(profile('42', '{"error":"no_such_route","message":"x","trace":"1"}')).not.toBe(one);
    expect(profile('42', '{"error":"not_found"}')).not.toBe(one);
    expect(profile('42', '')).toBe('404 empty');
    expect(profile('42', '<html>')).toBe('404 markup');
    expect(profile('42', 'not here')).toBe('404 text not here');
  });

  test("a gateway's 404 has another form than the API's own 404", () => {
    const page = (title: string) => `<html><head><title>${title}</title></head><body>${title}</body></html>`;
    expect(profile('42', page('404 Not Found nginx'))).not.toBe(profile('43', page('No company 43')));
    expect(profile('42', page('No company 42'))).toBe(profile('43', page('No company 43')));
    expect(profile('42', '{"message":"no Route matched with those values"}')).not.toBe(
      profile('42', '{"message":"Company not found"}'),
    );
    const dated = (at: string) => `{"message":"Company not found","at":"${at}","ray":"8f3c${at.length}"}`;
    expect(profile('42', dated('Thu, 26 Nov 2026'))).toBe(profile('43', dated('Fri, 1 Jan 2027')));
  });

  test("a 404's form is limited in length and is well-formed Unicode", () => {
    const wide = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, index) => [`${'k'.repeat(index % 90)}\ud83c${index}`, 1]),
    );
    for (const body of [
      JSON.stringify(wide),
      `${'['.repeat(400)}1${']'.repeat(400)}`,
      `{"code":"${'x'.repeat(9999)}"}`,
    ]) {
      const found = profile('42', body) as string;
      expect(found.length).toBeLessThanOrEqual(500);
      expect(found.isWellFormed()).toBe(true);
    }
  });
});

// Error bodies as real registries send them.
describe('classifying error bodies from real registries', () => {
  test.each([
    ['{"type":"about:blank","title":"Unauthorized","status":401,"detail":"No such key."}', 'No such key.'],
    ['{"error":{"code":"E7","message":"No such key."}}', 'No such key.'],
    ['{"code":"E7"}', '{"code":"E7"}'],
  ])("a verdict's reason is the sentence for people in a JSON error: %s", (body, sentence) => {
    expect(verdictOn({ status: 401, body })).toMatchObject({
      is: 'unauthorised',
      why: `HTTP 401: ${sentence}`,
    });
  });

  test("a registry's error body can mean a search without matches, even if it has no list", () => {
    const dialect = searchDialect({ results: '/_embedded/enheter', id: '/nr', total: '/page/totalElements' });
    const body = '{"_links":{"self":{}},"page":{"size":100,"totalElements":0,"totalPages":0,"number":0}}';
    expect(verdictOn({ dialect, call: SEARCH, body })).toMatchObject({
      is: 'ok',
      answer: { rows: [], total: 0 },
    });
  });

  test('a deleted entity can be described with a success status', () => {
    const dialect = dialectOf({
      entity: { id: '/nr', name: '/navn', gone: { at: '/respons_klasse', is: 'SlettetEnhet' } },
    });
    const body = '{"nr":"42","navn":"ROLS AS","slettedato":"2026-09-15","respons_klasse":"SlettetEnhet"}';
    expect(verdictOn({ dialect, body })).toMatchObject({ is: 'gone', answer: { name: 'ROLS AS' } });
  });
});

describe("a verdict's reason", () => {
  test("a verdict's reason is one short line without control characters", () => {
    const body = `\u001b[31mred\u0007\u202e\n\n${'x\u0000'.repeat(5000)}`;
    const verdict = verdictOn({ status: 500, body });
    const why = 'why' in verdict ? verdict.why : '';
    expect(why).toMatch(/^HTTP 500: \[31mred x x x/);
    expect(why).not.toMatch(/\p{C}/u);
    expect(why.length).toBeLessThan(250);
  });

  test("a verdict's reason does not end in half a surrogate pair", () => {
    const verdict = verdictOn({ status: 500, body: `x${'🏢'.repeat(500)}` });
    expect('why' in verdict && verdict.why.isWellFormed()).toBe(true);
  });
});

test.each([
  ['{"popis":"Výběr obsahuje příliš mnoho výsledků (581 859). Povoleno je 1 000"}', 581_859],
  ['{"popis":"too many (581,859)"}', 581_859],
  ['{"popis":"too many (several)"}', undefined],
  ['{"popis":"too many"}', undefined],
])("a rejected query's total is read from %s", (body, total) => {
  const dialect = rules({ status: 400, at: '/popis', total: String.raw`\((.*?)\)`, means: 'refused' });
  const verdict = verdictOn({ dialect, call: SEARCH, status: 400, body });
  expect(verdict).toMatchObject({ is: 'refused' });
  expect('total' in verdict ? verdict.total : undefined).toBe(total);
});

test('an empty list in place of a record means that the company does not exist', () => {
  const dialect = dialectOf({ entity: { root: '/results/0', id: '/id' } });
  expect(verdictOn({ dialect, body: '{"results":[{"id":"42"}]}' })).toMatchObject({ is: 'ok' });
  expect(verdictOn({ dialect, body: '{"results":[]}' })).toMatchObject({ is: 'absent' });
  expect(verdictOn({ dialect, body: '{"message":"down"}' })).toMatchObject({ is: 'broken' });
});

test('a record that is missing under its id or in its list is absent', () => {
  const inObject = dialectOf({ entity: { root: '/entities/{id}', id: '/id' } });
  expect(verdictOn({ dialect: inObject, body: '{"entities":{}}' }).is).toBe('absent');
  expect(verdictOn({ dialect: inObject, body: '{"entities":{"42":{"id":"42"}}}' }).is).toBe('ok');
  const inList = dialectOf({ entity: { root: '/companies/0', id: '/id' } });
  expect(verdictOn({ dialect: inList, body: '{"companies":[]}' }).is).toBe('absent');
});

test('a rule can recognise an empty body', () => {
  const dialect = dialectOf({ responses: [{ status: 200, matches: '^$', means: 'absent' }] });
  expect(verdictOn({ dialect, body: '' }).is).toBe('absent');
  expect(verdictOn({ dialect, body: '{}' }).is).toBe('broken');
});
