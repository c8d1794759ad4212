import { describe, expect, test } from 'vitest';
import { PROBLEMS } from '../../src/api/problems.ts';
import type { Reply } from './api_client.ts';

/** Companies that every service must contain to be tested against this contract. */
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

/** A service with the three endpoints. It serves a sandbox or a mirror. */
export interface Service {
  readonly url: string;
  ask(path: string, options?: RequestInit): Promise<Reply>;
  /** A suspended account's key. */
  readonly barredKey: string;
}

/** Defines the tests that the endpoints must pass, whatever the catalogue. */
export function keepsTheContract(service: () => Service): void {
  const ask: Service['ask'] = (path, options) => service().ask(path, options);
  const askWithKey = async (path: string, authorization: string) =>
    await fetch(service().url + path, { headers: { authorization } });

  describe('a search', () => {
    test('finds companies by name, and returns each entity id', async () => {
      const { status, headers, json } = await ask(`/api/search?q=${encodeURIComponent('MÜLL')}`);
      expect(status).toBe(200);
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(json).toEqual({
        total: 1,
        results: [{ id: '00000417', name: 'Müller & Söhne GmbH', status: 'active' }],
      });
    });

    test('finds companies by identifier through the same parameter', async () => {
      expect((await ask('/api/search?q=sc0001')).json).toMatchObject({
        total: 1,
        results: [{ id: 'SC000193' }],
      });
    });

    test('returns an empty list and a total of 0 if nothing matches', async () => {
      expect((await ask('/api/search?q=nothing')).json).toEqual({ total: 0, results: [] });
    });

    test('uses the maximum page size if a larger page is requested', async () => {
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
    ])('with %s is rejected with 400', async (_what, query) => {
      const { status, json } = await ask(`/api/search${query}`);
      expect(status).toBe(400);
      expect(json).toMatchObject({
        status: 400,
        code: expect.stringMatching(/^(parameter_invalid|query_too_short)$/),
      });
    });
  });

  describe('an entity', () => {
    test('returns the record with every digit of integers above 2^53', async () => {
      const { status, text } = await ask('/api/entity/00000417');
      expect(status).toBe(200);
      expect(text).toContain('"tax_reference":9007199254740993');
    });

    test('accepts slashes, spaces and percent signs in the id', async () => {
      const { json } = await ask(`/api/entity/${encodeURIComponent('us_ca/C32 68%2F')}`);
      expect(json).toMatchObject({ id: 'us_ca/C32 68%2F', name: 'Mueller Holdings' });
    });

    test('returns 404 with a problem document for an unknown id', async () => {
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
      'is required for %s, and otherwise the response is 401 with a challenge',
      async (path) => {
        const response = await fetch(service().url + path);
        expect(response.status).toBe(401);
        expect(response.headers.get('www-authenticate')).toBe('Bearer realm="registry"');
        expect(await response.json()).toMatchObject({ code: 'credentials_missing' });
      },
    );

    test.each(['Bearer nobody', 'bearer nobody'])(
      'with an unknown value (%s) is an invalid token',
      async (key) => {
        const response = await askWithKey('/api/search?q=a', key);
        expect(response.status).toBe(401);
        expect(response.headers.get('www-authenticate')).toBe(
          'Bearer realm="registry", error="invalid_token"',
        );
      },
    );

    test.each(['Basic bm9ib2R5', 'Bearer', 'Bearer a b'])(
      'is not recognised in the header "%s"',
      async (key) => {
        const response = await askWithKey('/api/search?q=a', key);
        expect(await response.json()).toMatchObject({ status: 401, code: 'credentials_missing' });
      },
    );

    test('is rejected with 403 if its account is suspended', async () => {
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

    test('POST with a body of any size and type gets 405', async () => {
      const body = 'x'.repeat(100_000);
      const headers = { 'content-type': 'a/b' };
      expect((await ask('/api/search', { method: 'POST', body, headers })).status).toBe(405);
    });
  });
}

const PATHS = ['/api/search?q=a', '/api/entity/00000417', '/api/registry/stats'];
