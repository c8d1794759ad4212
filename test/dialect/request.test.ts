import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { endpointsOf, idInPath, UnwritableUrl, urlOf } from '../../src/dialect/request.ts';
import {
  dialectOf,
  ENTITY,
  entityOf,
  type SEARCH,
  STATS,
  searchDialect,
  searchFor,
} from '../support/dialect.ts';

const HOST = 'https://registry.example';
const endpoints = endpointsOf({ base_url: `${HOST}/api` });

function hrefOf(call: typeof SEARCH, dialect = dialectOf()): string {
  const url = urlOf(endpoints, dialect, call);
  return url instanceof UnwritableUrl ? `unwritable: ${url.why}` : url.href;
}

test('a template is filled in with the query or the identifier', () => {
  const dialect = searchDialect({ query_template: 'name:{query}*', identifier_template: 'siren:{query}' });
  const sent = (call: typeof SEARCH) => new URL(hrefOf(call, dialect)).searchParams.get('q');
  expect(sent(searchFor('a$&b'))).toBe('name:a$&b*');
  expect(sent(searchFor('552', 'identifier'))).toBe('siren:552');
  expect(sent(searchFor(''))).toBeNull();
  const separate = searchDialect({ query_template: 'name:{query}*', identifier_param: 'id' });
  expect(new URL(hrefOf(searchFor('552', 'identifier'), separate)).searchParams.get('id')).toBe('552');
});

test('an API without a search by name is only listed', () => {
  const dialect = searchDialect({ query_param: null, min_length: 0 });
  expect(hrefOf(searchFor(''), dialect)).toMatch(/^https:/);
  expect(hrefOf(searchFor('acme'), dialect)).toBe('unwritable: the API has no search by name');
  expect(() => searchDialect({ query_param: null, min_length: 1 })).toThrow(
    'must be 0 if query_param is null',
  );
});

test('query strings in record and statistics paths are preserved', () => {
  const paths = { entity: '/krs/{id}?rejestr=P', stats: '/stats?of=all' };
  const { entity, stats } = endpointsOf({ base_url: `${HOST}/api`, paths });
  expect(stats?.href).toBe(`${HOST}/stats?of=all`);
  const url = urlOf(endpointsOf({ base_url: HOST, paths }), dialectOf(), entityOf('0/1?')) as URL;
  expect(url.href).toBe(`${HOST}/krs/0%2F1%3F?rejestr=P`);
  expect(idInPath(entity.slice(HOST.length), url.pathname + url.search)).toBe('0/1?');
  expect(idInPath('/krs/{id}?rejestr=P', '/krs/1')).toBeNull();
});

test('a parameter that the search path names in braces is written there', () => {
  const dialect = searchDialect({
    query_param: 'query',
    paging: { style: 'cursor', param: 'page', next: '/next', size_param: 'size', size: 50 },
  });
  const sent = (search: string, text: string, next: string | null = null) => {
    const address = endpointsOf({ base_url: HOST, paths: { search } });
    const url = urlOf(address, dialect, searchFor(text, 'name', { index: next === null ? 0 : 1, next }));
    return url instanceof UnwritableUrl ? url.why : url.href.slice(HOST.length);
  };
  const inPath = '/searchName/{query}';
  expect(sent(inPath, 'A/B & Co')).toBe('/searchName/A%2FB%20%26%20Co?size=50');
  expect(sent(inPath, '')).toBe('the path needs {query}, which has no value');
  expect(sent(inPath, '..')).toBe('".." cannot be sent, because URLs drop it from a path');
  const calls = '/Firm?name.contains("{query:json}")&limit({size})&page("{page}")&format(json)';
  expect(sent(calls, 'A "B"', 'x=')).toBe(
    '/Firm?name.contains(%22A%20%5C%22B%5C%22%22)&limit(50)&page(%22x%3D%22)&format(json)',
  );
  expect(sent(calls, '')).toBe('/Firm?limit(50)&format(json)');
});

test('an id of several segments is written into the record path', () => {
  const paths = { entity: '/companies/{id:path}' };
  const { entity } = endpointsOf({ base_url: HOST, paths });
  const url = (id: string) => urlOf({ ...endpoints, entity }, dialectOf(), entityOf(id));
  expect((url('us_de/A B') as URL).href).toBe(`${HOST}/companies/us_de/A%20B`);
  expect(idInPath(entity, `${HOST}/companies/us_de/A%20B`)).toBe('us_de/A B');
  expect(url('us_de/..')).toBeInstanceOf(UnwritableUrl);
});

describe('the base URL', () => {
  test.each([
    ['https://registry.example/api', ''],
    ['https://registry.example/api/', ''],
    ['https://registry.example/api///', ''],
    ['https://registry.example', ''],
    ['https://registry.example/', ''],
    ['https://REGISTRY.example:443/api', ''],
    ['https://registry.example/v1/api', '/v1'],
    ['https://registry.example/v1/', '/v1'],
    ['https://registry.example/myapi', '/myapi'],
    ['https://registry.example/api/v2', '/api/v2'],
    ['https://registry.example//api', '/'],
  ])('the base URL %s is joined with the paths so that /api occurs exactly once', (base_url, prefix) => {
    const { search, stats, entity } = endpointsOf({ base_url });
    expect(search).toBe(`${HOST}${prefix}/api/search`);
    expect(stats?.href).toBe(`${HOST}${prefix}/api/registry/stats`);
    expect(entity).toBe(`${HOST}${prefix}/api/entity/{id}`);
  });

  test("configured paths replace the base URL's path and begin at the root of the host", () => {
    const paths = { search: '/api/api/search', entity: '/v2/company/{id}/profile' };
    const { search, stats, entity } = endpointsOf({ base_url: `${HOST}/api`, paths });
    expect(search).toBe(`${HOST}/api/api/search`);
    expect(entity).toBe(`${HOST}/v2/company/{id}/profile`);
    expect(stats?.href).toBe(`${HOST}/api/registry/stats`);
  });

  test('the base URL determines the host for any path', () => {
    fc.assert(
      fc.property(fc.webPath(), fc.nat(3), (path, slashes) => {
        const { search } = endpointsOf({ base_url: `${HOST}${'/'.repeat(slashes)}${path}` });
        expect(new URL(search).origin).toBe(HOST);
      }),
    );
  });
});

describe("an entity's URL", () => {
  test.each(['', '.', '..', 'a\ud800', '\udc00'])('no entity URL is built for the id %j', (id) => {
    expect(urlOf(endpoints, dialectOf(), entityOf(id))).toBeInstanceOf(UnwritableUrl);
  });

  test.each([
    ['/Organisations({id})', '/Organisations(.)'],
    ['/companies?id={id}', '/companies?id=.'],
  ])('the id "." is sent if it is not a path segment of its own: %s', (path, sent) => {
    const { entity } = endpointsOf({ base_url: HOST, paths: { entity: path } });
    expect((urlOf({ ...endpoints, entity }, dialectOf(), entityOf('.')) as URL).href).toBe(HOST + sent);
  });

  test("an entity's URL contains any other id unchanged", () => {
    const { entity } = endpointsOf({ base_url: HOST, paths: { entity: '/x/{id}/y' } });
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (id) => {
        const url = urlOf({ ...endpoints, entity }, dialectOf(), entityOf(id));
        if (url instanceof UnwritableUrl)
          return expect(/^\.{1,2}$/.test(id) || !id.isWellFormed()).toBe(true);
        const [, x, segment = '', y, ...rest] = url.pathname.split('/');
        expect([x, decodeURIComponent(segment), y, rest, url.search, url.hash]).toEqual([
          'x',
          id,
          'y',
          [],
          '',
          '',
        ]);
      }),
      { numRuns: 1000 },
    );
  });
});

describe("a search's URL", () => {
  test("a search's URL contains the query, the fixed parameters and the page", () => {
    const dialect = searchDialect({ extra: { status: 'all' } });
    expect(hrefOf(searchFor('Å & Co', 'name', { index: 2, next: null }), dialect)).toBe(
      `${HOST}/api/search?status=all&q=%C3%85+%26+Co&per_page=50&page=3`,
    );
  });

  test("a search's URL contains an identifier in the identifier parameter, if the dialect has one", () => {
    const paging = { style: 'none' };
    expect(hrefOf(searchFor('00', 'identifier'), searchDialect({ paging, identifier_param: 'nr' }))).toBe(
      `${HOST}/api/search?nr=00`,
    );
    expect(hrefOf(searchFor('00', 'identifier'), searchDialect({ paging }))).toBe(`${HOST}/api/search?q=00`);
  });

  test("a search's URL omits an empty query on every page, unless extra parameters send one", () => {
    const paging = { style: 'page', param: 'page', first: 0, size_param: 'size', size: 50 } as const;
    const everything = searchFor('', 'name', { index: 2, next: null });
    const dialect = searchDialect({ paging, min_length: 0 });
    expect(hrefOf(everything, dialect)).toBe(`${HOST}/api/search?size=50&page=2`);
    const solr = searchDialect({ paging, min_length: 0, extra: { q: '*:*' } });
    expect(hrefOf(everything, solr)).toBe(`${HOST}/api/search?q=*%3A*&size=50&page=2`);
    expect(hrefOf(searchFor('acme'), solr)).toBe(`${HOST}/api/search?q=acme&size=50&page=0`);
  });

  test("the first page's URL has no offset of 0, unless the path names the parameter", () => {
    const paging = { style: 'offset', param: 'Offset', first: 0 } as const;
    expect(hrefOf(searchFor('acme'), searchDialect({ paging }))).toBe(`${HOST}/api/search?q=acme`);
    const named = endpointsOf({ base_url: HOST, paths: { search: '/find?from={Offset}' } });
    const url = urlOf(named, searchDialect({ paging }), searchFor('acme')) as URL;
    expect(url.href).toBe(`${HOST}/find?from=0&q=acme`);
  });

  test.each([
    ['none', {}, null, '?q=acme'],
    ['page', { param: 'page[number]', first: 0 }, null, '?q=acme&page%5Bnumber%5D=3'],
    ['offset', { param: 'start', size: 20 }, null, '?q=acme&start=60'],
    ['offset', { param: 'start', first: 1, size: 20 }, null, '?q=acme&start=61'],
    ['offset', { param: 'start', first: 1, size: 20 }, '45', '?q=acme&start=46'],
    ['cursor', { param: 'after', next: '/next' }, 'a+b/=', '?q=acme&after=a%2Bb%2F%3D'],
    ['cursor', { param: 'after', next: '/next', first: '*' }, null, '?q=acme&after=*'],
    ['next_url', { next: '/links/next' }, '?page=4&q=a', '?page=4&q=a'],
    ['next_url', { next: '/links/next' }, '/api/search?p=4', '?p=4&q=acme'],
    ['link_header', {}, `${HOST}/api/search?p=4`, '?p=4&q=acme'],
  ])(
    'the fourth page in the paging style %s with the settings %j has the right URL',
    (style, changes, next, search) => {
      const dialect = searchDialect({ paging: { style, ...changes } });
      expect(hrefOf(searchFor('acme', 'name', { index: 3, next }), dialect)).toBe(
        `${HOST}/api/search${search}`,
      );
    },
  );

  test('no search URL is built for a query with half a surrogate pair', () => {
    expect(hrefOf(searchFor('a\ud800'))).toMatch(/^unwritable: .*surrogate/);
  });
});

describe("a next page's URL", () => {
  const dialect = searchDialect({ paging: { style: 'next_url', next: '/next' } });
  const nextHref = (next: string) => hrefOf(searchFor('acme', 'name', { index: 1, next }), dialect);

  test.each([
    'https://evil.example/api/search/page/2',
    '//evil.example/api/search',
    'https://registry.example.evil.example/',
    'https://registry.example:8443/api/search',
    'https://registry.example@evil.example/',
    'http://registry.example:8080/api/search',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'data:text/plain,x',
    'http://[',
  ])("a next page's URL is rejected if it is %s", (next) => {
    expect(nextHref(next)).toMatch(/^unwritable: /);
  });

  test("a next page's URL on the same host is changed from http to https", () => {
    const complete = 'registry.example/api/search?q=acme&page=2';
    expect(nextHref(`http://${complete}`)).toBe(`https://${complete}`);
  });

  test.each([
    'http://internal:8080/v2/search',
    'https://evil.example/',
    '//registry.example:8443/api/search',
    '/search',
    `${HOST}/search`,
  ])("of a next page's URL at %s, only the query is used, at the configured address", (address) => {
    expect(nextHref(`${address}?q=acme&after=b%2Fc`)).toBe(`${HOST}/api/search?q=acme&after=b%2Fc`);
    expect(nextHref(`${address}?page=2`)).toBe(`${HOST}/api/search?page=2&q=acme`);
  });

  test('constant parameters of the path are added to a next page at that path', () => {
    const address = endpointsOf({
      base_url: HOST,
      paths: { search: '/find?query[0][key]=name&query[0][key]=alias&format=json' },
    });
    const at = (next: string) =>
      urlOf(address, dialect, searchFor('acme', 'name', { index: 1, next })) as URL;
    expect(at('/find?q=acme&after=2&format=xml').href).toBe(
      `${HOST}/find?q=acme&after=2&format=xml&query[0][key]=name&query[0][key]=alias`,
    );
    expect(at('/scroll?after=2').href).toBe(`${HOST}/scroll?after=2`);
  });

  test("credentials are removed from a next page's URL, because they would replace the key", () => {
    const complete = 'registry.example/api/search?q=acme&page=2';
    expect(nextHref(`https://user:pass@${complete}`)).toBe(`https://${complete}`);
  });

  test("the query is added to a next page's URL that has only a page number", () => {
    expect(nextHref('?page=2')).toBe(`${HOST}/api/search?page=2&q=acme`);
    expect(nextHref('page=2')).toBe(`${HOST}/api/search?page=2&q=acme`);
    expect(nextHref('?cursor=YWJj')).toBe(`${HOST}/api/search?cursor=YWJj`);
    expect(nextHref('/api/next?page=2')).toBe(`${HOST}/api/next?page=2`);
  });

  test("a next page's URL never sends the key to another origin", () => {
    const anything = fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl(), fc.webPath(), fc.domain());
    fc.assert(
      fc.property(anything, fc.constantFrom('', '//', '/\\', 'http:', 'https:///', '\t/'), (text, prefix) => {
        const url = urlOf(endpoints, dialect, searchFor('acme', 'name', { index: 1, next: prefix + text }));
        if (!(url instanceof UnwritableUrl)) expect(url.origin).toBe(HOST);
      }),
      { numRuns: 1000 },
    );
  });
});

test('the URLs of statistics and entities do not depend on the dialect', () => {
  expect(hrefOf(STATS)).toBe(`${HOST}/api/registry/stats`);
  expect(hrefOf(ENTITY)).toBe(`${HOST}/api/entity/42`);
});

test('constant parameters in the path of the search are sent with every page', () => {
  const paths = { search: '/api/3/search?resource_id=abc&format=json' };
  const address = endpointsOf({ base_url: HOST, paths });
  const first = urlOf(address, dialectOf(), searchFor('acme')) as URL;
  expect(first.pathname).toBe('/api/3/search');
  expect(Object.fromEntries(first.searchParams)).toMatchObject({
    resource_id: 'abc',
    format: 'json',
    q: 'acme',
  });
});

test('an id is escaped inside a parameter of the record path', () => {
  const paths = { entity: '/search?filters=%7B%22uen%22%3A%22{id:json}%22%7D' };
  const url = urlOf(endpointsOf({ base_url: HOST, paths }), dialectOf(), entityOf('a"b')) as URL;
  expect(url.searchParams.get('filters')).toBe('{"uen":"a\\"b"}');
});

test('a query of which the template sends nothing has no URL', () => {
  const dialect = searchDialect({ query_template: '{query:words}*' });
  expect(hrefOf(searchFor('&'), dialect)).toMatch(/^unwritable: the query has no letter or digit/);
});
