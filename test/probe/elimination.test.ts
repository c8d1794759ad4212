import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/json/json.ts';
import { draftDialect, unfinishedDraft } from '../../src/probe/dialect_draft.ts';
import type { ProbeExchange, ProbeRequest } from '../../src/probe/exchange.ts';
import { distinctShifts } from '../../src/probe/paging.ts';
import { openProbePlanner } from '../../src/probe/probe_planner.ts';
import { probedWith } from '../support/probed_api.ts';

type Reply = Pick<ProbeExchange, 'status' | 'json'> & Partial<Pick<ProbeExchange, 'headers' | 'text'>>;

const COMPANIES = Array.from({ length: 90 }, (_, index) => ({
  id: `C${1000 + index * 7}`,
  name: `${['Amber', 'Birch', 'Cedar', 'Dover', 'Ember'][index % 5]} ${['Mill', 'Bay', 'Oak'][index % 3]} ${index}`,
}));

/** An API with companies that are listed, found by `search`, and opened by their ids. */
function apiWith(search: (params: ReadonlyMap<string, string>) => Reply, companies: readonly Json[]) {
  return ({ kind, path, params }: ProbeRequest): Reply => {
    if (kind === 'search') return search(new Map(params));
    const company = companies.find((one) => path.endsWith(`/${(one as { readonly id: string }).id}`));
    return company === undefined ? { status: 404, json: {} } : { status: 200, json: company };
  };
}

const page = (companies: readonly Json[], from: number, size: number): Reply => ({
  status: 200,
  json: { results: companies.slice(from, from + size), total: companies.length },
});

it('a page number that every search needs is not sent twice', () => {
  const beliefs = probedWith(
    apiWith((params) => {
      const sent = params.get('page');
      if (sent === undefined)
        return { status: 422, json: { errors: { page: ['The page field is required.'] } } };
      const text = (params.get('search') ?? '').toLowerCase();
      const found = COMPANIES.filter(({ name }) => name.toLowerCase().includes(text));
      return page(found, (Number(sent) - 1) * 20, 20);
    }, COMPANIES),
  );
  expect(draftDialect(beliefs)?.dialect.search).toMatchObject({ extra: {}, paging: { param: 'page' } });
});

it('a configured search that fails with an error in JSON may lack a parameter', () => {
  const { query } = probedWith(
    apiWith((params) => {
      const text = params.get('name')?.toLowerCase();
      if (text === undefined) return { status: 500, json: { status: 500, error: 'Internal Server Error' } };
      return page(
        COMPANIES.filter(({ name }) => name.toLowerCase().includes(text)),
        0,
        20,
      );
    }, COMPANIES),
    { search: '/companies/search/findByName' },
  );
  expect(query.value?.param).toBe('name');
});

it('a failed request is sent twice, and later ones with the same error only once', () => {
  const failed = (path: string): ProbeExchange => ({
    request: { kind: 'search', path, params: [], why: '' },
    status: 500,
    headers: {},
    json: {},
    text: '{}',
    reading: 'broken',
  });
  const next = (...paths: string[]) =>
    openProbePlanner({
      upstream: { base_url: 'https://r.example/api' },
      hints: { queryParam: null, examples: [] },
      probeLog: { exchanges: paths.map(failed) },
      maxCalls: 16,
    }).next({ nowMs: 0, most: 1, left: { calls: 16, lifetimeLimit: null } }).calls[0];
  expect(next('/a')).toMatchObject({ probe: { path: '/a' } });
  expect(next('/a', '/a')).not.toMatchObject({ probe: { path: '/a' } });
  expect(next('/a', '/a', '/b')).not.toMatchObject({ probe: { path: '/b' } });
});

describe('elimination of parameter names', () => {
  it.each([
    ['name', 'Please provide a taxpayerId, fei, sosFileNumber or name.'],
    ['org', 'Missing required parameter: org'],
    ['denominazione', 'Parametro obbligatorio mancante: denominazione'],
    ['suche', 'param is missing or the value is empty: suche'],
    ['libelle', 'Il manque le paramètre obligatoire libelle'],
    ['org', { message: { org: 'Missing required parameter in the query string' } }],
    ['query', "Neither a search query nor a browse parameter ('release', 'collection', 'area') was given."],
  ])('an error about a search without a query leads to the parameter %s', (param, error) => {
    const { query } = probedWith(
      apiWith((params) => {
        const text = params.get(param)?.toLowerCase();
        if (text === undefined) return { status: 400, json: { error } };
        const found = COMPANIES.filter(({ name }) => name.toLowerCase().includes(text));
        return page(found, 0, 20);
      }, COMPANIES),
    );
    expect(query.value?.param).toBe(param);
  });

  it('a parameter that refuses short texts by a range of lengths is tried with longer ones', () => {
    const { query, minQueryChars } = probedWith(
      apiWith((params) => {
        const text = params.get('razonSocial')?.toLowerCase();
        const error =
          text === undefined ? 'Falta el parámetro razonSocial' : 'razonSocial: tamaño entre 3 y 50';
        if (text === undefined || text.length < 3) return { status: 400, json: { error } };
        return page(
          COMPANIES.filter(({ name }) => name.toLowerCase().includes(text)),
          0,
          20,
        );
      }, COMPANIES),
    );
    expect([query.value?.param, minQueryChars]).toEqual(['razonSocial', 3]);
  });

  it('at a configured path, a page for people can mean that the query is missing or too short', () => {
    const firms = COMPANIES.map((one) => ({ ...one, name: `${one.name} Limited` }));
    const beliefs = probedWith(
      apiWith((params) => {
        const text = params.get('query')?.toLowerCase() ?? '';
        if (text.length < 3)
          return { status: 404, json: undefined, text: '<html><title>Too short</title></html>' };
        return page(
          firms.filter(({ name }) => name.toLowerCase().includes(text)),
          0,
          20,
        );
      }, firms),
      { search: '/find.json', entity: '/api/entity/{id}', stats: null },
    );
    expect(unfinishedDraft(beliefs)?.dialect).toMatchObject({
      search: { query_param: 'query' },
      responses: [{ kind: 'search', status: 404, means: 'absent' }],
    });
  });

  it('a word in an error that is refused alone is not the query parameter', () => {
    const { query } = probedWith(
      apiWith((params) => {
        const text = params.get('q')?.toLowerCase();
        const errors = [{ status: 400, code: 'INVALID_REQUEST', title: 'Invalid LittleFirms request' }];
        if (text === undefined) return { status: 400, json: { errors } };
        return page(
          COMPANIES.filter(({ name }) => name.toLowerCase().includes(text)),
          0,
          20,
        );
      }, COMPANIES),
    );
    expect(query.value?.param).toBe('q');
  });

  it('a refused group of parameters excludes none of its members', () => {
    const { search } = probedWith(
      apiWith((params) => {
        if (params.has('key')) return { status: 400, json: { error: 'bad_request' } };
        return page(COMPANIES, Number(params.get('skip') ?? 0), Number(params.get('limit') ?? 20));
      }, COMPANIES),
    );
    expect(search?.paging.value).toEqual({ style: 'offset', param: 'skip', first: 0 });
  });

  it('parameters that a refusal of all unknown ones does not name are tried first, and words of known names with wildcards', () => {
    const matches = (pattern: string, name: string) =>
      new RegExp(`^${pattern.replaceAll('%', '.*')}$`, 'i').test(name);
    const { search, query } = probedWith(
      apiWith((params) => {
        const unknown = [...params.keys()].filter((name) => !['name', 'limit', 'offset'].includes(name));
        if (unknown.length > 0)
          return {
            status: 400,
            json: { path: '$', error: `unexpected variables in variableValues: ${unknown.join(', ')}` },
          };
        const found = COMPANIES.filter(({ name }) => matches(params.get('name') ?? '%', name));
        return page(found, Number(params.get('offset') ?? 0), Number(params.get('limit') ?? 20));
      }, COMPANIES),
    );
    expect(query.value).toEqual({ param: 'name', template: '%{query}%' });
    expect(search?.paging.value).toEqual({ style: 'offset', param: 'offset', first: 0 });
  });

  it('a filter with which every word finds nothing is not taken for the query parameter', () => {
    const { query, search } = probedWith(
      apiWith((params) => {
        const found = params.has('q') ? [] : COMPANIES;
        return page(found, Number(params.get('offset') ?? 0), Number(params.get('limit') ?? 20));
      }, COMPANIES),
    );
    expect(search?.name.value).not.toBeNull();
    expect(query.value).toBeNull();
  });

  it('a long refusal that names every unknown parameter is read to its end', () => {
    const { params } = probedWith(
      apiWith((sent) => {
        const known = ['pageSize', 'pageToken'];
        const unknown = [...sent.keys()].filter((name) => !known.includes(name));
        const errors = unknown.map(
          (name) =>
            `Invalid JSON payload received. Unknown name "${name}": Cannot bind query parameter. Field '${name}' could not be found in request message.`,
        );
        if (unknown.length > 0) return { status: 400, json: { error: { message: errors.join('\n') } } };
        const from = Number(sent.get('pageToken')?.slice(1) ?? 0);
        const rows = COMPANIES.slice(from, from + 20);
        return { status: 200, json: { companies: rows, nextPageToken: `t${from + 20}` } };
      }, COMPANIES),
    );
    expect([...params.known]).toContain('pageSize');
    expect(params.refused.has('keywords')).toBe(true);
  });

  it('a start in rows is an offset', () => {
    const { search } = probedWith(
      apiWith((params) => {
        const from = Number(params.get('limit_start') ?? 0);
        return {
          status: 200,
          json: { data: COMPANIES.slice(from, from + Number(params.get('limit') ?? 20)) },
        };
      }, COMPANIES),
    );
    expect(search?.paging.value).toEqual({ style: 'offset', param: 'limit_start', first: 0 });
  });

  it('the parameters of a link in any header are known', () => {
    const known = new Set(['Name', 'Limit', 'Offset']);
    const { search } = probedWith(
      apiWith((params) => {
        const wrong = [...params.keys()].find((name) => !known.has(name));
        if (wrong !== undefined) return { status: 406, json: { errorText: `Invalid parameter: ${wrong}` } };
        const text = params.get('Name')?.toLowerCase();
        if (text === undefined) return { status: 406, json: { errorText: 'No parameters found' } };
        const from = Number(params.get('Offset') ?? 0);
        const named = COMPANIES.map(({ id, name }) => ({ id, name: `${name} Limited` }));
        const found = named.filter(({ name }) => name.toLowerCase().includes(text));
        const next = `https://other.example/search?Offset=${from + 20}&Limit=20`;
        return { ...page(found, from, 20), headers: { 'next-page': next } };
      }, COMPANIES),
    );
    expect(search?.paging.value).toEqual({ style: 'offset', param: 'Offset', first: 0 });
  });
});

it('a paging candidate without a value of its own is left out', () => {
  const candidates = [
    { param: 'offset', style: 'offset', firsts: [0] },
    { param: 'page', style: 'page', firsts: [1] },
    { param: 'start', style: 'offset', firsts: [0] },
  ] as const;
  const limits = { count: 3, total: Number.POSITIVE_INFINITY };
  expect(distinctShifts(candidates, [1], limits, null)).toEqual([
    ['offset', '1'],
    ['page', '3'],
  ]);
});

it.each([
  ['that also takes *', true, '{query:words}*'],
  ['without *', false, '{query}'],
])('a search for whole words %s gets queries in the right form', (_, takesStars, template) => {
  const firms = COMPANIES.map(({ id, name }) => ({ id, name: `${name} Mercantile Co` }));
  const matches = (word: string, text: string) =>
    takesStars && text.endsWith('*') ? word.startsWith(text.slice(0, -1)) : word === text;
  const { query } = probedWith(
    apiWith((params) => {
      const text = params.get('q')?.toLowerCase();
      if (text === undefined) return { status: 400, json: { error: 'Missing required parameter: q' } };
      const found = firms.filter(({ name }) =>
        name
          .toLowerCase()
          .split(' ')
          .some((word) => matches(word, text)),
      );
      return page(found, Number(params.get('offset') ?? 0), 20);
    }, firms),
  );
  expect(query.value).toEqual({ param: 'q', template });
});

it.each([
  ['a search', true],
  ['a wrong path', false],
])('%s that first returns 404 with a text is tried with other queries', (_, isSearch) => {
  const firms = COMPANIES.map(({ id, name }) => ({ id, name: `${name} Co` }));
  const { addresses, query, calls } = probedWith(
    apiWith((params) => {
      const text = params.get('q')?.toLowerCase() ?? '';
      const found = firms.filter(({ name }) => text !== '' && name.toLowerCase().includes(text));
      return isSearch && found.length > 0 ? page(found, 0, 20) : { status: 404, json: 'Nothing found.' };
    }, firms),
    { search: '/find', entity: '/firm/{id}' },
  );
  expect(addresses.value?.search).toBe(isSearch ? '/find' : undefined);
  expect(query.value?.param).toBe(isSearch ? 'q' : undefined);
  if (!isSearch) expect(calls).toBeLessThan(8);
});

it.each([
  ['repeats the query', (text: string) => ({ query: text, result: null })],
  [
    'has another status',
    (text: string) => ({ status: text === '' ? 'INVALID_REQUEST' : 'ZERO_RESULTS', result: [] }),
  ],
])('a response without companies that %s shows the query parameter', (_, bodyFor) => {
  const titles = 'Umbra Velox Quiet Zephyr Willow Yonder Xenon Tundra Kayak Jigsaw'.split(' ');
  const games = titles.flatMap((one) => titles.map((other) => `${one} ${other}`));
  const companies = games.map((name, at) => ({ id: `G${9000 + at * 13}`, name }));
  const { query } = probedWith(
    apiWith((params) => {
      const text = params.get('term')?.toLowerCase() ?? '';
      const result = companies.filter(
        ({ name }) => text !== '' && name.toLowerCase().split(' ').includes(text),
      );
      return { status: 200, json: result.length === 0 ? bodyFor(text) : { ...bodyFor(text), result } };
    }, companies),
  );
  expect(query.value?.param).toBe('term');
});

const LIMITED = COMPANIES.map((company) => ({ ...company, name: `${company.name} Limited` }));

it('if an API ignores unknown parameters, an error about one is about its value', () => {
  const beliefs = probedWith(
    apiWith((params) => {
      const text = params.get('q')?.toLowerCase();
      const skip = params.get('skip') ?? '0';
      if (text === undefined) return { status: 400, json: { error: 'q is required' } };
      if (Number(skip) % 20 > 0) return { status: 400, json: { error: '"skip" is wrong' } };
      const found = LIMITED.filter(({ name }) => name.toLowerCase().includes(text));
      return page(found, Number(skip), 20);
    }, LIMITED),
  );
  expect(draftDialect(beliefs)?.dialect.search.paging).toMatchObject({ style: 'offset', param: 'skip' });
});

it('a parameter in a group with an effect is found although few calls are left', () => {
  const companies = COMPANIES.map(({ id }, index) => ({
    id,
    name: `${['上海', '北京', '深圳', '杭州'][index % 4]}${['华为', '腾飞', '东方'][index % 3]}${id}有限公司`,
  }));
  const beliefs = probedWith(
    ({ kind, path, params }) => {
      const company = companies.find(({ id }) => path.endsWith(`=${id}`));
      if (kind === 'entity')
        return company === undefined ? { status: 404, json: {} } : { status: 200, json: company };
      const text = new Map(params).get('word');
      if (text === undefined) return { status: 400, json: { code: 8, reason: '缺少必要参数' } };
      const found = companies.filter(({ name }) => name.includes(text));
      return found.length === 0 ? { status: 400, json: { code: 7, reason: '无数据' } } : page(found, 0, 20);
    },
    { search: '/search', entity: '/firms?keyword={id}' },
  );
  expect(beliefs.query.value?.param).toBe('word');
});

it('a parameter without an effect is not sent again as an expression', () => {
  const beliefs = probedWith(() => ({ status: 400, json: { message: 'wrong' } }), {
    search: '/search',
    entity: '/firms?keyword={id}',
  });
  const alone = beliefs.searches.filter(({ params }) => params.length === 1 && params[0]?.[0] === 'keyword');
  const isTelling = (text = '') => text.length >= 4;
  expect(alone.filter(({ params }) => isTelling(params[0]?.[1])).length).toBeLessThan(2);
});
