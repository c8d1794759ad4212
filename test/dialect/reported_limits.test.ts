import { describe, expect, test } from 'vitest';
import { openReportedLimits, ReportedLimit, statedSpacingMs } from '../../src/dialect/reported_limits.ts';
import { readBody } from '../../src/dialect/response_body.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');

function reportOf(limits: object[], reply: { status?: number; headers?: object; body?: string }) {
  const read = openReportedLimits(limits.map((limit) => ReportedLimit.parse(limit)));
  const { status = 200, headers = {}, body = '{}' } = reply;
  const parsed = readBody(Buffer.from(body), '');
  return read({ status, headers: headers as Record<string, string>, body: parsed }, NOW);
}

describe('the limits that a response reports', () => {
  test('one configured header states the calls left, and another one the reset time', () => {
    const limit = { window: 'day', remaining: 'X-Calls-Left', reset: 'X-Renewal' };
    const { quotas } = reportOf([limit], { headers: { 'x-calls-left': '37', 'x-renewal': '3600' } });
    expect(quotas).toEqual([{ window: 'day', left: 37, limit: null, resetsAtMs: NOW + 3_600_000 }]);
  });

  test('a JSON path in the body can locate the calls left', () => {
    const limit = { remaining: '/meta/quota/left', limit: '/meta/quota/of', window: 'month' };
    const { quotas } = reportOf([limit], { body: '{"meta":{"quota":{"left":"12","of":500}}}' });
    expect(quotas).toEqual([{ window: 'month', left: 12, limit: 500, resetsAtMs: null }]);
  });

  test('a negative number means that no call is left, and text that is not a number is ignored', () => {
    const limit = { remaining: 'x-left' };
    expect(reportOf([limit], { headers: { 'x-left': '-1' } }).quotas[0]?.left).toBe(0);
    expect(reportOf([limit], { headers: { 'x-left': 'plenty' } }).quotas).toEqual([]);
  });

  test('a limit per minute sets the spacing, and pauses the account if no call is left', () => {
    const limit = { window: 'minute', limit: 'x-limit', remaining: 'x-left', reset: 'x-reset' };
    const { quotas, spacingMs, pausedUntilMs } = reportOf([limit], {
      headers: { 'x-limit': '10', 'x-left': '0', 'x-reset': '25' },
    });
    expect(quotas).toEqual([]);
    expect(spacingMs).toBe(6100);
    expect(pausedUntilMs).toBe(NOW + 25_000);
  });

  test('a configured limit without a number of calls is rejected', () => {
    expect(ReportedLimit.safeParse({ limit: 'x-limit' }).success).toBe(false);
    expect(ReportedLimit.safeParse({ reset: 'x-reset' }).success).toBe(false);
    expect(ReportedLimit.safeParse({ remaining: 'not a header' }).success).toBe(false);
  });

  test("a rate is read from a rejection's text, but not from the same text in a successful response", () => {
    const body = '{"message":"Rate exceeded: max 5 requests per second"}';
    expect(reportOf([], { status: 429, body }).spacingMs).toBe(400);
    expect(reportOf([], { status: 400, body }).spacingMs).toBe(400);
    expect(reportOf([], { body }).spacingMs).toBe(0);
  });
});

describe('a rate in an error text', () => {
  test.each([
    ['max 5 requests per second', 400],
    ['You may send 60 API calls a minute.', 61_000 / 60],
    ['limit of 100 calls within 10 seconds', 110],
    ['{"limit":"10/min"}', 6100],
    ['quota: 2 rps', 1000],
    ['1 request every 2 seconds', 3000],
    ['Höchstens 20 Anfragen pro Minute', 3050],
    ['30 requêtes par minute au maximum', 61_000 / 30],
    ['máximo 10 solicitudes por minuto', 6100],
    ['al massimo 10 richieste al minuto', 6100],
    ['ten hoogste 10 verzoeken per minuut', 6100],
    ['høyst 10 forespørsler per minutt', 6100],
    ['no máximo 10 requisições por minuto', 6100],
    ['maksymalnie 10 zapytań na minutę', 6100],
    ['enintään 10 pyyntöä minuutissa', 6100],
    ['120 requests per hour', 3_601_000 / 120],
    ['12 requests per second, but at most 100 requests per minute', 610],
  ])('the text "%s" states a rate', (text, spacingMs) => {
    expect(statedSpacingMs(text)).toBeCloseTo(spacingMs, 6);
  });

  test.each([
    'Retry after 5 seconds.',
    'HTTP 429 in 30 s',
    'Wait 60 seconds, then send 1 request.',
    '1000 requests per day',
    'too many requests in the last minute',
    'Request 5 took 3 seconds',
    'The query must have at least 3 letters',
    'version 2.10/s',
  ])('the text "%s" states no rate', (text) => {
    expect(statedSpacingMs(text)).toBeNull();
  });
});
