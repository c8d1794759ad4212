import { describe, expect, test } from 'vitest';
import { PROBLEMS } from '../../src/api/problems.ts';
import type { Reply } from './api_client.ts';

/** Companies that a service needs before it can be tested against this contract. */
export const CONTRACT_COMPANIES = [
  {
    id: '00000417',
    name: 'Müller & Söhne GmbH',
    fields: { status: 'active', tax_reference: 9_007_199_254_740_993n, ratio: 0.1 },
  },
  { id: 'SC000193', name: "O'Brien “Quoted” Ltd", fields: { status: 'dissolved' } },
  { id: '000028V', name: '株式会社あおス', fields: { status: 'active', officers: [{ name: '佐藤 花子' }] } },
  { id: 'us_ca/C32 68%2F', name: 'Mueller Holdings', fields: { status: 'active' } },
];

/** A service with the three endpoints, which serves a sandbox or a mirror. */
export interface Service {
  readonly url: string;
  ask(path: string, options?: RequestInit): Promise<Reply>;
  /** A suspended account's key. */
  readonly barredKey: string;
}

/** Defines the tests that the endpoints must pass with any catalogue. */
export function keepsTheContract(service: () => Service): void {
  const ask: Service['ask'] = (path, options) => service().ask(path, options);
  const askWithKey = async (path: string, authorization: string) =>
    await fetch(service().url + path, { headers: { authorization } });

  describe('a search', () => {
    test('a search finds companies by name, and returns each entity id', async () => {
      const { status, headers, json } = await ask(`/api/search?q=${encodeURIComponent('MÜLL')}`);
      expect(status).toBe(200);
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(json).toEqual({
        total: 1,
        results: [{ id: '00000417', name: 'Müller & Söhne GmbH', status: 'active' }],
      });
    });

    test('a search finds companies by identifier through the same parameter', async () => {
      expect((await ask('/api/search?q=sc0001')).json).toMatchObject({
        total: 1,
        results: [{ id: 'SC000193' }],
      });
    });

    test('a search returns an empty list and a total of 0 if nothing matches', async () => {
      expect((await ask('/api/search?q=nothing')).json).toEqual({ total: 0, results: [] });
    });

    test('a search uses the max page size if the request asks for a larger page', async () => {
      expect((await ask('/api/search?q=m&per_page=1000000')).json).toMatchObject({ total: 2 });
    });

    test.each([
      ['no query', ''],
      ['an empty query', '?q='],
      ['page number 0', '?q=a&page=0'],
      ['a page that is not a number', '?q=a&page=one'],
      ['a negative page size', '?q=a&per_page=-1'],
      ['the same parameter twice', '?q=a&q=b'],
      ['a query with 3,000 characters', `?q=${'a'.repeat(3_000)}`],
    ])('a search with %s is rejected with 400', async (_what, query) => {
      const { status, json } = await ask(`/api/search${query}`);
      expect(status).toBe(400);
      expect(json).toMatchObject({
        status: 400,
        code: expect.stringMatching(/^(parameter_invalid|query_too_short)$/),
      });
    });
  });

  describe('an entity', () => {
    test("an entity's record keeps every digit of integers above 2^53", async () => {
      const { status, text } = await ask('/api/entity/00000417');
      expect(status).toBe(200);
      expect(text).toContain('"tax_reference":9007199254740993');
    });

    test("an entity's id can contain slashes, spaces and percent signs", async () => {
      const { json } = await ask(`/api/entity/${encodeURIComponent('us_ca/C32 68%2F')}`);
      expect(json).toMatchObject({ id: 'us_ca/C32 68%2F', name: 'Mueller Holdings' });
    });

    test('an unknown entity id gets 404 with a problem document', async () => {
      const { status, headers, json } = await ask('/api/entity/99999999');
      expect(status).toBe(404);
      expect(headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
      expect(json).toEqual({
        type: '/problems/entity_not_found',
        title: PROBLEMS.entity_not_found.title,
        status: 404,
        detail: PROBLEMS.entity_not_found.title,
        instance: '/api/entity/99999999',
        code: 'entity_not_found',
      });
    });
  });

  describe('a key', () => {
    test.each(PATHS)(
      'a key is required for %s, and without one the response is 401 with a challenge',
      async (path) => {
        const response = await fetch(service().url + path);
        expect(response.status).toBe(401);
        expect(response.headers.get('www-authenticate')).toBe('Bearer realm="registry"');
        expect(await response.json()).toMatchObject({ code: 'credentials_missing' });
      },
    );

    test.each(['Bearer nobody', 'bearer nobody'])(
      'a key with an unknown value (%s) is an invalid token, and the response is delayed',
      async (key) => {
        const startMs = performance.now();
        const response = await askWithKey('/api/search?q=a', key);
        expect(response.status).toBe(401);
        expect(performance.now() - startMs).toBeGreaterThan(490);
        expect(response.headers.get('www-authenticate')).toBe(
          'Bearer realm="registry", error="invalid_token"',
        );
      },
    );

    test('unknown keys that are sent at the same time are answered one after another', async () => {
      const startMs = performance.now();
      await Promise.all(
        ['Bearer one', 'Bearer two', 'Bearer three'].map((key) => askWithKey('/api/search?q=a', key)),
      );
      expect(performance.now() - startMs).toBeGreaterThan(1490);
    });

    test.each(['Basic bm9ib2R5', 'Bearer', 'Bearer a b'])(
      'a key is not recognised in the header "%s"',
      async (key) => {
        const response = await askWithKey('/api/search?q=a', key);
        expect(await response.json()).toMatchObject({ status: 401, code: 'credentials_missing' });
      },
    );

    test('a key is rejected with 403 if its account is suspended', async () => {
      const response = await askWithKey('/api/registry/stats', `Bearer ${service().barredKey}`);
      expect(response.status).toBe(403);
      expect(await response.json()).toMatchObject({ code: 'account_suspended' });
    });
  });

  describe('an unknown path or method', () => {
    test.each(['/', '/api', '/api/', '/api/entity', '/api/api/search?q=a', '/api/search/x'])(
      '%s is 404',
      async (path) => {
        expect(await ask(path)).toMatchObject({ status: 404, json: { code: 'not_found' } });
      },
    );

    test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
      '%s gets 405 with Allow: GET',
      async (method) => {
        for (const path of PATHS) {
          const { status, headers, json } = await ask(path, { method });
          expect(status).toBe(405);
          expect(headers.get('allow')).toBe('GET');
          expect(json).toMatchObject({ code: 'method_not_allowed' });
        }
      },
    );

    test('HEAD gets 405 without a body', async () => {
      expect(await ask('/api/registry/stats', { method: 'HEAD' })).toMatchObject({ status: 405, text: '' });
    });

    test('POST gets 405, whatever the size and type of its body', async () => {
      const body = 'x'.repeat(100_000);
      const headers = { 'content-type': 'a/b' };
      expect((await ask('/api/search', { method: 'POST', body, headers })).status).toBe(405);
    });
  });
}

const PATHS = ['/api/search?q=a', '/api/entity/00000417', '/api/registry/stats'];
