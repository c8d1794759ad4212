import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  Extension,
  Manifest,
  ProposedProperties,
  ResultBatch,
  Suggestions,
} from '../support/reconciliation_schemas.ts';
import { type Mirrored, openMirrored, type Served, serve } from '../support/served_mirror.ts';

const COMPANIES = [
  {
    id: '1',
    name: 'Société Générale de Vins',
    fields: { status: 'active', registered_on: '1999-05-06', country: 'FR' },
  },
  { id: '2', name: 'Wilson Services Ltd', fields: { status: 'active', country: 'GB', employees: 12 } },
  { id: '3', name: 'Wilson Services Ltd', fields: { status: 'dissolved', country: 'IM' } },
  { id: '4', name: 'Vanished Trading Ltd', fields: { status: 'active', country: 'GB' } },
];
const OPEN = { access: 'open', companyPage: null } as const;

let mirrored: Mirrored;
let served: Served;

beforeAll(async () => {
  mirrored = await openMirrored({ companies: COMPANIES });
  await mirrored.sync();
  mirrored.sandbox.companies.remove('4', mirrored.now());
  await mirrored.sync(400 * 86_400_000);
  served = await serve(mirrored, { reconciliation: OPEN });
});
afterAll(async () => {
  await served.close();
  await mirrored.close();
});

const json = async (path: string, init: RequestInit = {}) => {
  const response = await fetch(`${served.service.url}${path}`, init);
  expect(response.status, path).toBe(200);
  return response.json();
};
const reconcile = async (queries: object) => {
  const body = new URLSearchParams({ queries: JSON.stringify(queries) });
  return ResultBatch.parse(await json('/reconcile', { method: 'POST', body }));
};

describe('the reconciliation service', () => {
  it('the reconciliation service describes itself in its manifest', async () => {
    const manifest = Manifest.parse(await json('/reconcile'));
    expect(manifest.name).toBe('Sandbox registry');
    expect(manifest.authentication).toBeUndefined();
  });

  it('the reconciliation service matches a unique name, but lets the user choose among companies with the same name', async () => {
    const found = await reconcile({
      q0: { query: 'SOCIÉTÉ GÉNÉRALE DE VINS' },
      q1: { query: 'Wilson Services Ltd', limit: 2 },
      q2: { query: 'Wilsen Servces' },
      q3: { query: 'no such company at all' },
    });
    expect(found.q0?.result).toMatchObject([{ id: '1', score: 100, match: true }]);
    expect(found.q1?.result.map(({ id, match }) => [id, match])).toEqual([
      ['2', false],
      ['3', false],
    ]);
    expect(found.q2?.result.map(({ id }) => id).sort()).toEqual(['2', '3']);
    expect(found.q3?.result).toEqual([]);
  });

  it('the reconciliation service distinguishes companies with the same name by their properties', async () => {
    const properties = [{ pid: 'country', v: 'IM' }];
    const { q } = await reconcile({ q: { query: 'Wilson Services Ltd', properties } });
    expect(q?.result.map(({ id, match, score }) => [id, match, score])).toEqual([
      ['3', true, 100],
      ['2', false, 50],
    ]);
  });

  it('the reconciliation service marks a gone company and never matches it', async () => {
    const { q } = await reconcile({ q: { query: 'Vanished Trading Ltd' } });
    expect(q?.result[0]).toMatchObject({
      id: '4',
      match: false,
      description: expect.stringContaining('gone from the registry since'),
      type: [{ id: 'company' }, { id: 'gone_company' }],
    });
  });

  it('the reconciliation service responds to a batch of queries in a GET request', async () => {
    const queries = encodeURIComponent(JSON.stringify({ q: { query: '2' } }));
    const { q } = ResultBatch.parse(await json(`/reconcile?queries=${queries}`));
    expect(q?.result[0]).toMatchObject({ id: '2', match: true });
  });

  it('the reconciliation service suggests companies, properties and types', async () => {
    const companies = Suggestions.parse(await json('/reconcile/suggest/entity?prefix=wil'));
    expect(companies.result.map(({ id }) => id)).toEqual(['2', '3']);
    const properties = Suggestions.parse(await json('/reconcile/suggest/property?prefix=emp'));
    expect(properties.result).toEqual([{ id: 'employees', name: 'employees', description: '/employees' }]);
    const types = Suggestions.parse(await json('/reconcile/suggest/type?prefix=gone'));
    expect(types.result.map(({ id }) => id)).toEqual(['gone_company']);
  });

  it.each([
    'suggest/entity?prefix=a&prefix=b',
    'suggest/property?prefix=a&prefix=b',
    'suggest/type?prefix=a&prefix=b',
    'suggest/entity?prefix=a&cursor=1&cursor=2',
    'properties?limit=-1',
    'properties?limit=0',
    'properties?limit=1&limit=2',
  ])('the reconciliation service rejects the parameters in %s with 400', async (path) => {
    expect((await fetch(`${served.service.url}/reconcile/${path}`)).status).toBe(400);
  });

  it('the reconciliation service adds property values of the correct type to rows', async () => {
    const proposed = ProposedProperties.parse(await json('/reconcile/properties?type=company'));
    expect(proposed.properties.map(({ id }) => id)).toEqual(expect.arrayContaining(['status', 'employees']));
    const extend = {
      ids: ['1', '2', 'unknown'],
      properties: [{ id: 'status' }, { id: 'registered_on' }, { id: 'employees' }],
    };
    const body = new URLSearchParams({ extend: JSON.stringify(extend) });
    const { meta, rows } = Extension.parse(await json('/reconcile', { method: 'POST', body }));
    expect(meta.map(({ id }) => id)).toEqual(['status', 'registered_on', 'employees']);
    expect(rows).toEqual({
      1: {
        status: [{ str: 'active' }],
        registered_on: [{ date: '1999-05-06T00:00:00Z' }],
        employees: [],
      },
      2: { status: [{ str: 'active' }], registered_on: [], employees: [{ int: 12 }] },
      unknown: { status: [], registered_on: [], employees: [] },
    });
  });

  it.each([
    [
      'queries',
      { q: { query: 'wilson', type: 'compny' } },
      'the type compny is unknown. Known: company, gone_company.',
    ],
    [
      'queries',
      { q: { query: 'wilson', properties: [{ pid: 'staus', v: 'active' }] } },
      'the property staus is unknown.',
    ],
    ['extend', { ids: ['1'], properties: [{ id: 'staus' }] }, 'the property staus is unknown.'],
  ])(
    'the reconciliation service rejects %s with the unknown name in %j',
    async (parameter, value, detail) => {
      const body = new URLSearchParams({ [parameter]: JSON.stringify(value) });
      const response = await fetch(`${served.service.url}/reconcile`, { method: 'POST', body });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({
        code: 'parameter_invalid',
        detail: expect.stringContaining(detail),
      });
    },
  );

  it.each(['{', '[]', '{"q":{}}', '{"q":{"query":"a","limit":0}}'])(
    'the reconciliation service rejects the batch %s',
    async (queries) => {
      const body = new URLSearchParams({ queries });
      const response = await fetch(`${served.service.url}/reconcile`, { method: 'POST', body });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({
        code: 'parameter_invalid',
        detail: expect.stringMatching(/^queries/),
      });
    },
  );

  it('a reconciliation service without keys accepts requests only from local pages', async () => {
    const url = `${served.service.url}/reconcile`;
    const local = await fetch(url, { headers: { origin: 'http://127.0.0.1:3333' } });
    expect(local.headers.get('access-control-allow-origin')).toBe('http://127.0.0.1:3333');
    const foreign = await fetch(url, { headers: { origin: 'https://example.org' } });
    expect(foreign.status).toBe(403);
  });
});

describe('a reconciliation service with keys', () => {
  it('a reconciliation service with keys returns its manifest without one, but requires a key for queries', async () => {
    const keyed = await serve(mirrored, {
      reconciliation: { ...OPEN, access: 'keyed' },
      config: { ...mirrored.config, ledger: `${mirrored.folder}/keyed.db` },
    });
    try {
      const manifest = await fetch(`${keyed.service.url}/reconcile`);
      expect(Manifest.parse(await manifest.json()).authentication).toMatchObject({ in: 'header' });
      const queries = encodeURIComponent(JSON.stringify({ q: { query: 'wilson' } }));
      const without = await fetch(`${keyed.service.url}/reconcile?queries=${queries}`);
      expect(without.status).toBe(401);
    } finally {
      await keyed.close();
    }
  });
});
