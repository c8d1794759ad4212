import { expect, test } from 'vitest';
import { readSpecification } from '../../../src/probe/openapi/specification.ts';
import { reportStatements } from '../../../src/probe/report.ts';

test('an operation that returns a list, or part of a company, is neither a record nor statistics', () => {
  const get = (...names: string[]) => ({ get: { parameters: names.map((name) => ({ in: 'query', name })) } });
  const paths = {
    '/search/companies': get('q'),
    '/company/{company_number}/insolvency': get(),
    '/officers/{officer_id}': get(),
    '/summary': get('limit'),
  };
  const stated = readSpecification({ openapi: '3.0.0', paths }, 'https://registry.example/api');
  expect(stated?.addresses.value).toEqual({
    search: '/api/search/companies',
    entity: '/api/entity/{id}',
    stats: '/api/registry/stats',
  });
});

test('the record path is open if the document does not state it, and the search path stays sure', () => {
  const search = { get: { parameters: [{ in: 'query', name: 'q' }] } };
  const reported = (paths: Record<string, unknown>) => {
    const stated = readSpecification({ openapi: '3.0.0', paths }, 'https://registry.example/api');
    return stated === null ? [] : reportStatements(stated).slice(0, 2);
  };
  expect(reported({ '/search': search })).toMatchObject([
    { topic: 'search path', value: '/api/search', certainty: 'sure' },
    {
      topic: 'record path',
      value: '/api/entity/{id}',
      certainty: 'open',
      because: 'the document has no operation that returns one company',
    },
  ]);
  expect(reported({ '/search': search, '/company/{id}': { get: {} } })).toMatchObject([
    { topic: 'search path', certainty: 'sure' },
    { topic: 'record path', value: '/api/company/{id}', certainty: 'sure' },
  ]);
});

test("the paths begin with the configured server's path, even if that server is not listed first", () => {
  const servers = [{ url: 'https://registry.example/test/api' }, { url: 'https://registry.example/api/' }];
  const paths = { '/search': { get: { parameters: [{ in: 'query', name: 'q' }] } } };
  const stated = readSpecification({ openapi: '3.0.1', servers, paths }, 'https://registry.example/api');
  expect(stated?.addresses.value?.search).toBe('/api/search');
});

test("a search's parameters can have Dutch names", () => {
  const parameters = [
    { in: 'query', name: 'handelsnaam', schema: { type: 'string' } },
    { in: 'query', name: 'aantal', schema: { type: 'number' } },
  ];
  const paths = { '/zoeken': { get: { parameters } } };
  const stated = readSpecification({ openapi: '3.0.1', paths }, 'https://registry.example/api');
  expect(stated).toMatchObject({
    addresses: { value: { search: '/api/zoeken' } },
    queryParam: { value: 'handelsnaam' },
    sizeParam: { value: 'aantal' },
  });
});
