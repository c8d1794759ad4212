import { describe, expect, it } from 'vitest';
import { draftDialect, unfinishedDraft } from '../../src/probe/dialect_draft.ts';
import type { ProbeExchange, ProbeRequest } from '../../src/probe/exchange.ts';
import { findRecord } from '../../src/probe/record.ts';
import { idCandidates } from '../../src/probe/rows.ts';
import { searchExchange } from '../support/probe_exchanges.ts';
import { probedWith } from '../support/probed_api.ts';

/** Habits of national registries: their own language, padded lists, cursors under unusual names. */

type Reply = Pick<ProbeExchange, 'status' | 'json'>;

const COMPANIES = Array.from({ length: 90 }, (_, index) => ({
  id: `C${1000 + index * 7}`,
  name: `${['ÁGUILA', 'PEÑA', 'ITAPÚA', 'RÍO'][index % 4]} ${['SERVICIOS', 'GANADERA'][index % 2]} ${index}`,
}));

function recordOf({ path }: ProbeRequest): Reply {
  const company = COMPANIES.find(({ id }) => path.endsWith(`/${id}`));
  return company === undefined ? { status: 404, json: {} } : { status: 200, json: company };
}

/** Finds names that have a whole word, and refuses searches without a query. */
function apiForWholeWords(refusal: string) {
  return (request: ProbeRequest): Reply => {
    if (request.kind === 'entity') return recordOf(request);
    const text = new Map(request.params).get('q')?.toUpperCase() ?? '';
    if (text.length < 3) return { status: 400, json: { error: refusal } };
    const results = COMPANIES.filter(({ name }) => name.split(' ').includes(text)).slice(0, 20);
    return { status: 200, json: { results } };
  };
}

describe('queries in the language of the registry', () => {
  it.each([
    ['the words of an error', 'debe tener al menos 3 caracteres', 'https://r.example/api'],
    ['the country in the name of the host', 'too short', 'https://api.r.example.py/api'],
    ['the country in the path', 'too short', 'https://r.example/api', '/search?country_code=py'],
  ])('%s shows the language', (_, refusal, baseUrl, search = '/api/search') => {
    const beliefs = probedWith(apiForWholeWords(refusal), { search }, baseUrl);
    expect(draftDialect(beliefs)?.dialect.search).toMatchObject({ query_param: 'q', name: '/name' });
  });

  it('a registry in other letters is found although its errors are in English', () => {
    const companies = COMPANIES.map(({ id }, index) => ({
      id,
      name: `${['РИЛА', 'ОРЕЛ', 'ВИТОША', 'ПИРИН'][index % 4]} ${['АГРО', 'ИНВЕСТ'][index % 2]} ${id}`,
    }));
    const beliefs = probedWith((request) => {
      const company = companies.find(({ id }) => request.path.endsWith(`/${id}`));
      if (request.kind === 'entity')
        return company === undefined ? { status: 404, json: {} } : { status: 200, json: company };
      const text = new Map(request.params).get('name')?.toUpperCase();
      if (text === undefined) return { status: 400, json: { error: 'Give a name to look for.' } };
      const results = companies.filter(({ name }) => name.split(' ').some((word) => word.startsWith(text)));
      return { status: 200, json: { results: results.slice(0, 20), total: results.length } };
    });
    expect(draftDialect(beliefs)?.dialect.search).toMatchObject({ query_param: 'name', name: '/name' });
  });

  it('a parameter for the beginning of names is tried with beginnings', () => {
    const companies = COMPANIES.map(({ id }, index) => ({
      id,
      legal_name: `${['SUNRISE', 'HIMALAYA', 'DECCAN'][index % 3]} ${['TRADERS', 'FOODS'][index % 2]} ${id}`,
    }));
    const beliefs = probedWith(
      (request) => {
        const company = companies.find(({ id }) => request.path.endsWith(`/${id}`));
        if (request.kind === 'entity')
          return company === undefined ? { status: 404, json: {} } : { status: 200, json: company };
        const text = new Map(request.params).get('query')?.toUpperCase() ?? '';
        if (text.length < 3) return { status: 400, json: { error: 'at least 3 characters' } };
        const found = companies.filter(({ legal_name: name }) => name.startsWith(text));
        return { status: 200, json: { companies: found.slice(0, 20) } };
      },
      { search: '/firms?filters={"nameStartsWith":"{query:json}"}', entity: '/firms/{id}' },
    );
    expect(draftDialect(beliefs)?.dialect.search).toMatchObject({ id: '/id', name: '/legal_name' });
  });
});

it('a record in a list that is padded with null is found', () => {
  const company = { id: '305-81-48738', name: '로쏘', idInList: '/bno', nameInList: '/company' };
  const items = [{ company: '로쏘', bno: '305-81-48738' }, null, null];
  expect(findRecord(searchExchange({ resultCode: 0, items }), company).value).toEqual({
    root: '/items/0',
    id: '/bno',
    name: '/company',
  });
});

it('the key of the id in the path of a record can have spaces', () => {
  const rows = [1, 2, 3].map((at) => ({ _id: at, 'מספר חברה': 510000000 + at * 7, 'שם חברה': `חברה ${at}` }));
  const [first] = idCandidates(rows, '/שם חברה', '/search?filters={"מספר חברה":{id:json}}');
  expect(first?.pointer).toBe('/מספר חברה');
});

it('if errors name all unknown parameters, one request shows which of them takes the cursor', () => {
  const beliefs = probedWith((request) => {
    if (request.kind === 'entity') return recordOf(request);
    const sent = new Map(request.params);
    const unknown = [...sent.keys()].filter((name) => !['limit', 'token'].includes(name));
    if (unknown.length > 0)
      return {
        status: 400,
        json: { constraints: unknown.map((name) => `property ${name} should not exist`) },
      };
    const from = Number((sent.get('token') ?? 'page-0').slice(5));
    const size = Number(sent.get('limit') ?? 10);
    const records = COMPANIES.slice(from, from + size);
    const next = from + size < COMPANIES.length ? `page-${from + size}` : null;
    return { status: 200, json: { next, count: COMPANIES.length, records } };
  });
  expect(draftDialect(beliefs)?.dialect.search.paging).toMatchObject({
    style: 'cursor',
    param: 'token',
    next: '/next',
  });
});

it('parameters in the same part of the path as the query are always sent', () => {
  const beliefs = probedWith(
    (request) => {
      if (request.kind === 'entity') return recordOf(request);
      const sent = new Map(request.params);
      const [query, from, size] = ['query', 'from', 'size'].map((name) => sent.get(name));
      // Without all values, the part is omitted, and the API lists everything.
      if (query === undefined || from === undefined || size === undefined)
        return { status: 200, json: COMPANIES.slice(0, 10) };
      const found = COMPANIES.filter(({ name }) => name.toLowerCase().includes(query.toLowerCase()));
      return { status: 200, json: found.slice(Number(from), Number(from) + Number(size)) };
    },
    { search: '/firms?source={"from":{from},"size":{size},"match":"{query:json}"}', entity: '/firms/{id}' },
  );
  expect(draftDialect(beliefs)?.dialect.search).toMatchObject({
    query_param: 'query',
    paging: { style: 'offset', param: 'from', size_param: 'size' },
  });
});

it('a search without a known query parameter has a draft that lists everything', () => {
  const beliefs = probedWith((request) => {
    if (request.kind === 'entity') return recordOf(request);
    const text = new Map(request.params).get('xyz')?.toLowerCase();
    const isRare = new Map(request.params).get('q') === 'limited' && request.params.length > 3;
    return text === undefined && !isRare
      ? { status: 400, json: { code: 8, message: 'bad' } }
      : { status: 200, json: { code: 0, results: COMPANIES.slice(0, 5) } };
  });
  expect(
    unfinishedDraft({ ...beliefs, query: { ...beliefs.query, value: null } })?.dialect.search,
  ).toMatchObject({
    query_param: null,
    min_length: 0,
  });
});
