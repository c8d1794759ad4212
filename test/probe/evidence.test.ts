import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/json/json.ts';
import { believe } from '../../src/probe/beliefs.ts';
import { type Param, type ProbeExchange, paramOf } from '../../src/probe/exchange.ts';
import { probe } from '../../src/probe/probe.ts';
import { findResultList, idCandidates, nameCandidates } from '../../src/probe/rows.ts';
import { findTotal } from '../../src/probe/total.ts';
import { roleOfParam } from '../../src/probe/words.ts';
import { searchExchange } from '../support/probe_exchanges.ts';

const WORDS = 'Amber Birch Cedar Delta Ember Fjord Grove Heron Islay Jarrow Kestrel Linden'.split(' ');
const COMPANIES = WORDS.map((word, index) => ({ id: `${70_011 + index * 37}`, name: `${word} Trading Ltd` }));

interface Api {
  readonly search: (params: ReadonlyMap<string, string>) => Pick<ProbeExchange, 'status' | 'json'>;
  readonly record?: (id: string) => Json;
  readonly paths?: { readonly search: string; readonly entity: string };
}

/** Probes an API without HTTP, until no request is worth a call. */
function probed({ search, record, paths }: Api, queryParam: string | null = null) {
  const exchanges: ProbeExchange[] = [];
  const upstream = { base_url: 'https://r.example/api', ...(paths === undefined ? {} : { paths }) };
  for (;;) {
    const { request, beliefs } = probe({ upstream, exchanges, hints: { queryParam, examples: [] } });
    if (request === null || exchanges.length >= 16) return { ...beliefs, exchanges };
    const id = request.path.split(/[/=]/).at(-1) ?? '';
    const company = COMPANIES.find((one) => one.id === id);
    const reply =
      request.kind === 'search'
        ? search(new Map(request.params))
        : request.kind === 'entity' && company !== undefined
          ? { status: 200, json: record?.(id) ?? (company as Json) }
          : { status: 404, json: {} };
    const reading = reply.status === 200 ? 'ok' : reply.status === 404 ? 'absent' : 'refused';
    exchanges.push({ ...reply, request, headers: {}, text: JSON.stringify(reply.json), reading });
  }
}

const found = (query: string | undefined) =>
  COMPANIES.filter(({ name }) => name.toLowerCase().includes((query ?? '').toLowerCase()));

describe('the name', () => {
  it('a name in a list is selected by conditions that distinguish its elements', () => {
    const rows = COMPANIES.map(({ id, name }, index) => ({
      id,
      names: [
        ...(index % 3 === 0 ? [{ name: `Old ${name}`, type: '1', endDate: '1999-01-01' }] : []),
        ...(index % 4 === 0 ? [{ name: 'Branch', type: '3' }] : []),
        { name, type: '1' },
      ],
    }));
    expect(nameCandidates(rows)[0]?.pointer).toBe('/names/[type=1][endDate=null]/name');
  });

  it('a name in a list is selected by a value that a list inside the element contains', () => {
    const rows = COMPANIES.map(({ id, name }, index) => ({
      id,
      names: [
        { value: name, types: ['label', 'display'] },
        ...(index % 2 === 0 ? [{ value: `${name} (alias)`, types: ['alias'] }] : []),
      ],
    }));
    expect(nameCandidates(rows)[0]?.pointer).toMatch(/^\/names\/\[types=(label|display)\]\/value$/);
  });

  it('a field of the company is preferred to the same field of a translation', () => {
    const rows = COMPANIES.map(({ id, name }) => ({ translations: [{ name: `Yn ${name}` }], id, name }));
    expect(nameCandidates(rows)[0]?.pointer).toBe('/name');
  });

  it('a text that is the same in most rows is not a name, and neither is a code', () => {
    const rows = COMPANIES.map(({ id }) => ({ id, name: 'Agency of Companies', title: `Q${id}` }));
    expect(nameCandidates(rows).map(({ pointer }) => pointer)).not.toContain('/name');
    const labelled = COMPANIES.map(({ id, name }) => ({ id, title: `Q${id}`, label: name }));
    expect(nameCandidates(labelled)[0]?.pointer).toBe('/label');
  });
});

describe('the id', () => {
  it('the id is the value that the key in the record path names', () => {
    const rows = COMPANIES.map(({ id, name }, index) => ({ id: index * 3 + 5, uen: id, name }));
    expect(idCandidates(rows, '/name', '/records?filters=%7B%22uen%22%3A%22{id}%22%7D')[0]?.pointer).toBe(
      '/uen',
    );
  });

  it('a running number is the id if the parameter in the record path has its name, in the plural too', () => {
    const rows = COMPANIES.map(({ name }, index) => ({
      OBJECTID: index + 1,
      name,
      town: `${index} Main St`,
    }));
    const [id] = idCandidates(rows, '/name', '/query?objectIds={id}');
    expect(id?.pointer).toBe('/OBJECTID');
    expect(idCandidates(rows, '/name', null).map(({ pointer }) => pointer)).toContain('/OBJECTID');
  });

  it('a few rows can have no id', () => {
    const rows = COMPANIES.map(({ name }, index) => ({
      name,
      register: index === 3 ? null : { uniqueKey: `${7_000_011 + index * 37}` },
      street: `Main Street ${index}`,
    }));
    expect(rows.length).toBeGreaterThanOrEqual(10);
    expect(idCandidates(rows, '/name', null)[0]?.pointer).toBe('/register/uniqueKey');
  });

  it('the last segment of a link to the record opens it if no value does', () => {
    const rows = COMPANIES.map(({ id, name }) => ({
      code: `c${id}`,
      url: `https://front/v1/firm/${id}`,
      name,
    }));
    const { search, addresses, exchanges } = probed({
      paths: { search: '/firms', entity: '/v1/firm/{id}' },
      search: () => ({ status: 200, json: { rows } }),
      record: (id) => rows.find(({ url }) => url.endsWith(`/${id}`)) ?? {},
    });
    expect(search?.id).toMatchObject({ value: '/url', certainty: 'sure' });
    expect(addresses.value?.entity).toBe('/v1/firm/{id:last}');
    expect(exchanges.filter(({ request }) => request.kind === 'entity').length).toBeLessThanOrEqual(2);
  });

  it('a parameter that takes the id alone in the path of the record is not tried for the name', () => {
    const { query } = probed({
      paths: { search: '/firms', entity: '/firms?crno={id}' },
      search: (params) => {
        const rows = params.has('crno') ? COMPANIES.filter(({ id }) => id === params.get('crno')) : COMPANIES;
        return { status: 200, json: { total: rows.length, rows } };
      },
    });
    expect(query.value).toBeNull();
  });

  it('a number that several rows share is an id together with a code', () => {
    const rows = COMPANIES.map(({ name }, index) => ({
      jurisdiction_code: index % 2 === 0 ? 'im' : 'je',
      company_number: `${70_011 + Math.floor(index / 2)}`,
      name,
    }));
    expect(idCandidates(rows, '/name', null)[0]?.pointer).toBe('{/jurisdiction_code}/{/company_number}');
  });

  it('an id inside a list is not the id of the company', () => {
    const rows = COMPANIES.map(({ id, name }) => ({ name, names: [{ id: `n${id}`, text: name }] }));
    expect(idCandidates(rows, '/name', null).map(({ pointer }) => pointer)).not.toContain('/names/0/id');
  });
});

it('a list that is the same for every query is not the list of results', () => {
  const facets = WORDS.map((word, index) => ({
    id: `${index}`,
    name: `${word} county`,
    count: index,
    kind: 'place',
  }));
  const page = (query: string) => searchExchange({ facets, hits: found(query) }, query);
  expect(findResultList([page('amber'), page('birch')], null)?.results).toBe('/hits');
});

it('a number that equals the rows of a page with a next page is not the total', () => {
  const rows = COMPANIES.slice(0, 5);
  const page = (query: string) => searchExchange({ total: 5, next: '/search?page=2', hits: rows }, query);
  const total = findTotal(
    [page('a'), page('e')],
    () => 5,
    (exchange) => paramOf(exchange, 'q'),
  );
  expect(total.value).toBeNull();
});

describe('a probe', () => {
  it('a probe adopts no query parameter whose presence changes nothing', () => {
    const { query } = probed({ search: () => ({ status: 200, json: { total: 12, results: COMPANIES } }) });
    expect(query.value).toBeNull();
  });

  it('a query that all rows contain by chance is no evidence if a search without it has the same rows', () => {
    const rows = COMPANIES.map((one) => ({ ...one, name: one.name.replace('Ltd', 'Services') }));
    const search = (params: readonly Param[]): ProbeExchange => ({
      request: { kind: 'search', path: '/api/search', params, why: '' },
      status: 200,
      headers: {},
      json: { results: rows },
      text: '',
      reading: 'ok',
    });
    const { query } = believe({
      upstream: { base_url: 'https://r.example/api' },
      exchanges: [search([]), search([['filterByFormula', 'SEARCH(LOWER("s"),LOWER(name))']])],
      hints: { queryParam: null, examples: [] },
    });
    expect(query.value).toBeNull();
  });

  it('a key of the names in rows can be the query parameter, although its word is unknown', () => {
    const rows = COMPANIES.map(({ id, name }) => ({ id, caption: name }));
    const matching = (text: string) =>
      rows.filter(({ caption }) => caption.toLowerCase().includes(text.toLowerCase()));
    const { query } = probed({
      search: (params) => ({ status: 200, json: { results: matching(params.get('caption') ?? '') } }),
    });
    expect(query).toMatchObject({ value: { param: 'caption' }, certainty: 'sure' });
  });

  it('a probe opens the record of a row that has a name', () => {
    const { exchanges } = probed({
      search: (params) => ({
        status: 200,
        json: { results: found(params.get('q')).map((one, at) => (at % 5 === 2 ? { id: one.id } : one)) },
      }),
    });
    const record = exchanges.find(({ request }) => request.kind === 'entity');
    expect(record?.request.path).toContain(COMPANIES[3]?.id);
  });

  it('a probe sends none of the names again that an error refuses', () => {
    const known = ['legalName', 'page'];
    const { query, exchanges } = probed({
      search: (params) => {
        const unknown = [...params.keys()].filter((name) => !known.includes(name));
        if (unknown.length > 0)
          return {
            status: 400,
            json: { message: `The following parameters are not valid: ${unknown.join(', ')}` },
          };
        return {
          status: 200,
          json: { total: found(params.get('legalName')).length, results: found(params.get('legalName')) },
        };
      },
    });
    expect(query).toMatchObject({ value: { param: 'legalName' }, certainty: 'sure' });
    const sent = exchanges.flatMap(({ request }) => request.params.map(([name]: Param) => name));
    expect(sent.filter((name) => name === 'query').length).toBeLessThanOrEqual(1);
  });

  it('a probe sends a constant parameter of the record path if an error requires it', () => {
    const { constants, search } = probed({
      paths: { search: '/records', entity: '/records/{id}?dataset=d-17' },
      search: (params) =>
        params.get('dataset') === 'd-17'
          ? { status: 200, json: { results: found(params.get('q')) } }
          : { status: 409, json: { error: { dataset: ['Missing value'] }, success: false } },
    });
    expect(constants).toEqual([['dataset', 'd-17']]);
    expect(search?.listing.results).toBe('/results');
  });

  it('a probe gives a constant parameter of the search path no other role', () => {
    const { exchanges } = probed({
      paths: { search: '/search?countries=DE&$count=true', entity: '/companies/{id}' },
      search: (params) => ({ status: 200, json: { results: found(params.get('q')) } }),
    });
    const constants = exchanges.flatMap(({ request: { kind, params } }) =>
      kind === 'search' ? [`${new Map(params).get('countries')} ${new Map(params).get('$count')}`] : [],
    );
    expect([...new Set(constants)]).toEqual(['DE true']);
  });

  it('a probe tries the expression that the user named, although plain words have no effect', () => {
    const { query } = probed(
      {
        search: (params) => ({
          status: 200,
          json: { results: found(/^name:(.*)$/.exec(params.get('q') ?? '')?.[1]) },
        }),
      },
      'q=name:{query}',
    );
    expect(query.value).toEqual({ param: 'q', template: 'name:{query}' });
  });

  it('a probe takes parameters in braces in the search path as the query and the page size', () => {
    const { query, search } = probed({
      paths: { search: '/find/{text}?limit({limit})', entity: '/companies/{id}' },
      search: (params) => ({
        status: 200,
        json: { results: found(params.get('text')).slice(0, Number(params.get('limit') ?? 5)) },
      }),
    });
    expect(query.value?.param).toBe('text');
    expect(search?.size.param.value).toBe('limit');
  });

  it('a probe finds the parameters of a page whose numbers a body nests', () => {
    const { search } = probed({
      search: (params) => {
        const page = Number(params.get('pagination[page]') ?? 1);
        const pageSize = Number(params.get('pagination[pageSize]') ?? 3);
        return {
          status: 200,
          json: {
            data: COMPANIES.slice((page - 1) * pageSize, page * pageSize),
            meta: { pagination: { page, pageSize, total: COMPANIES.length } },
          },
        };
      },
    });
    expect(search?.paging.value).toMatchObject({ style: 'page', param: 'pagination[page]' });
  });

  it('a probe recognises a record that is the value of its own id', () => {
    const { search } = probed({
      search: (params) => ({ status: 200, json: { results: found(params.get('q')) } }),
      record: (id) => ({
        entities: { [id]: { id, name: COMPANIES.find((one) => one.id === id)?.name ?? '' } },
      }),
    });
    expect(search?.record.value?.root).toBe('/entities/{id}');
  });
});

it.each([
  ['$q', 'query'],
  ['fullName', 'query'],
  ['nazwa', 'query'],
  ['page-size', 'size'],
  ['filter[entity.legalName]', 'query'],
  ['page[number]', 'page'],
  ['resultsFrom', 'offset'],
  ['registrationDateFrom', 'filter'],
  ['nextPageToken', 'cursor'],
])('the word forms of %s mean the role %s', (name, role) => {
  expect(roleOfParam(name)).toBe(role);
});
