import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Dialect } from '../../src/dialect/dialect.ts';
import { type Json, parseJson } from '../../src/json/json.ts';
import { unlikelyId } from '../../src/probe/absence.ts';
import { joinsOf } from '../../src/probe/addresses.ts';
import type { AnsweredSearch } from '../../src/probe/answered_searches.ts';
import { proposeChanges } from '../../src/probe/dialect_changes.ts';
import type { Exchange } from '../../src/probe/evidence.ts';
import { findNextPageLink } from '../../src/probe/next_page_link.ts';
import { probe } from '../../src/probe/probe.ts';
import { isNamedIn, lengthNamedBy } from '../../src/probe/query_parameter.ts';
import { findRecord } from '../../src/probe/record_paths.ts';
import { findResultList, itemOf } from '../../src/probe/result_list.ts';
import { findSemantics, finds } from '../../src/probe/search_semantics.ts';
import { findClamp, findTotal } from '../../src/probe/search_total.ts';
import { findRegistryTotal } from '../../src/probe/statistics_total.ts';

describe('the list of results', () => {
  it.each([
    ['at the top', [row(1), row(2)], '', ''],
    ['nested', { meta: { total: 2 }, _embedded: { enheter: [row(1), row(2)] } }, '/_embedded/enheter', ''],
    [
      'wrapped',
      { results: { companies: [{ company: row(1) }, { company: row(2) }] } },
      '/results/companies',
      '/company',
    ],
    [
      'wrapped beside a score',
      {
        hits: [
          { _score: 1.5, _source: row(1) },
          { _score: 1, _source: row(2) },
        ],
      },
      '/hits',
      '/_source',
    ],
    ['beside facets', { facets: [{ value: 'GB', count: 3 }], items: [row(1), row(2)] }, '/items', ''],
  ])('is found %s', (_where, body, results, item) => {
    const listing = findResultList([answered(body as Json)]);
    expect(listing?.results).toBe(results);
    const [id] = listing?.ids ?? [];
    const [name] = listing?.names ?? [];
    expect(itemOf(listing?.rows ?? [], id?.pointer ?? '', name?.pointer ?? null)).toBe(item);
    expect(id?.pointer).toBe(`${item}/company_number`);
    expect(name?.pointer).toBe(`${item}/title`);
  });

  it('tells a name three levels down from other names, and an id from a number that is the same for all', () => {
    const lei = (id: string, legal: string) => ({
      type: 'lei-records',
      id,
      attributes: {
        lei: id,
        entity: { legalName: { name: legal, language: 'sv' }, jurisdiction: 'SE', status: 'ACTIVE' },
        registration: { managingLou: '5493' },
      },
    });
    const listing = findResultList([
      answered({ data: [lei('A1', 'Kommstart 174 AB'), lei('B2', 'Volvo Car AB')] }),
    ]);
    expect(listing?.names[0]?.pointer).toBe('/attributes/entity/legalName/name');
    expect(listing?.ids[0]?.pointer).toBe('/id');
  });

  it('takes the field whose value ends the address of the record for the id', () => {
    const rows = [1, 2, 3].map((n) => ({
      code: `X${n}`,
      ref: `R-${n}`,
      name: `Company ${n} Ltd`,
      href: `/company/R-${n}`,
    }));
    expect(findResultList([answered({ rows })])?.ids[0]?.pointer).toBe('/ref');
  });
});

describe('the total of a query', () => {
  const page = (fields: object, rows: number) =>
    answered({ ...fields, results: Array.from({ length: rows }, (_, n) => row(n)) });

  it('is the number that goes with the query, not the number of rows or pages', () => {
    const searches = [
      asking(page({ count: 20, page: { totalElements: 83, totalPages: 5 } }, 20), 'kiwi'),
      asking(page({ count: 3, page: { totalElements: 3, totalPages: 1 } }, 3), 'kiwifruit'),
    ];
    expect(findTotal(searches, '/results', 'q')).toMatchObject({
      value: '/page/totalElements',
      certainty: 'sure',
    });
  });

  it('is not claimed where a number only repeats the rows', () => {
    const searches = [asking(page({ count: 20 }, 20), 'a'), asking(page({ count: 20 }, 20), 'b')];
    expect(findTotal(searches, '/results', 'q')).toMatchObject({ value: null, certainty: 'open' });
  });

  it('means "at least" where different queries have the same round one, or more rows than it says come', () => {
    const totals = (...pairs: [string, number, string][]) =>
      pairs.map(([text, total, first]) => ({ text, total, ids: [first] }));
    expect(findClamp(totals(['a', 10_000, '1'], ['b', 10_000, '2'], ['c', 9, '3'])).value).toBe(10_000);
    // All queries may have found everything.
    expect(findClamp(totals(['a', 10_000, '1'], ['b', 10_000, '2'])).value).toBeNull();
    expect(findClamp(totals(['a', 9_000, '1'], ['b', 17, '2'])).value).toBeNull();
    expect(findClamp([{ text: 'a', total: 100, ids: Array.from({ length: 120 }, String) }]).value).toBe(100);
  });
});

describe('the statistics', () => {
  it.each([
    [{ companies: { total: 4000 } }, '/companies/total', 'sure'],
    [{ companies: { total: 4000, active: 3000 }, officers: { total: 9000 } }, '/companies/total', 'sure'],
    [{ total_companies: 2600000, total_persons: 9, built_at: '2026-05-09' }, '/total_companies', 'sure'],
    [{ version: 3, updated: 1_700_000_000 }, null, 'likely'],
  ])('%j: %s', (body, place, certainty) => {
    expect(findRegistryTotal(body, null)).toMatchObject({ value: place, certainty });
  });

  it('are confirmed by a search for everything', () => {
    expect(findRegistryTotal({ a: { records: 500 }, b: { entities: 500_000 } }, 500)).toMatchObject({
      value: '/a/records',
      certainty: 'sure',
    });
  });
});

describe('a record', () => {
  const company = {
    id: '00185647',
    name: 'Example Holdings PLC',
    idInList: '/company_number',
    nameInList: '/title',
  };

  it.each([
    [
      { company_number: '00185647', company_name: 'Example Holdings PLC' },
      '',
      '/company_number',
      '/company_name',
    ],
    [
      { data: { id: '00185647', attributes: { name: 'Example Holdings PLC' } } },
      '/data',
      '/id',
      '/attributes/name',
    ],
    [
      { api_version: '2', results: { company: { number: '00185647', name: 'Example Holdings PLC' } } },
      '/results/company',
      '/number',
      '/name',
    ],
    [
      { id: '00185647', legal: { name: 'Example Holdings PLC' }, address: { city: 'London' } },
      '',
      '/id',
      '/legal/name',
    ],
  ])('is found in %j', (body, root, id, name) => {
    expect(findRecord(answered(body), company)).toMatchObject({
      value: { root, id, name },
      certainty: 'sure',
    });
  });

  it('of another company is none', () => {
    expect(findRecord(answered({ id: '1', name: 'Other' }), company).value).toBeNull();
  });
});

describe('how names are found', () => {
  const known = [
    { id: '1', name: 'marlin fishing ltd' },
    { id: '2', name: 'blue marlin ltd' },
    { id: '3', name: 'summarline ltd' },
    { id: '4', name: 'oak marlinspike ltd' },
    { id: '5', name: 'marlinade ltd' },
    { id: '6', name: 'the marlins ltd' },
  ];

  it.each([
    ['prefix', ['1', '5']],
    ['token', ['1', '2']],
    ['token_prefix', ['1', '2', '4', '5', '6']],
    ['substring', ['1', '2', '3', '4', '5', '6']],
  ])('is %s where "marlin" finds %j', (how, ids) => {
    const found = askedFor(
      'marlin',
      known.filter(({ id }) => ids.includes(id)),
    );
    const semantics = findSemantics([found], known, () => true);
    expect(semantics.left).toContain(how);
    // A single row inside of a word may have been found by something that is not shown.
    if (how !== 'substring') expect(semantics).toMatchObject({ value: how, certainty: 'sure' });
  });

  it('is not told by punctuation, which everyone cuts in their own way', () => {
    expect(finds('token', 'neil', "o'neil ltd")).toBeNull();
    expect(finds('token_prefix', 'bar', 'foo-bar ltd')).toBeNull();
    expect(finds('prefix', 'acme', '"acme" ltd')).toBeNull();
    expect(finds('substring', 'neil', "o'neil ltd")).toBe(true);
  });

  it('is open where rows were found by something that is not shown', () => {
    const strange = [
      { id: '9', name: 'Nothing alike' },
      { id: '8', name: 'Else' },
    ];
    expect(findSemantics([askedFor('marlin', strange)], known, () => false).certainty).toBe('open');
  });
});

describe('a refusal', () => {
  it.each([
    ['The parameter q is missing.', 'q', true],
    ["Missing required parameter: 'query'", 'query', true],
    ['navn: must be given', 'navn', false],
    ['The query is too short.', 'query', false],
    ['Use "search" to look for names', 'search', true],
  ])('"%s" names %s: %s', (words, name, isNamed) => {
    expect(isNamedIn(words, name)).toBe(isNamed);
  });

  it.each([
    ['A query needs at least 3 characters.', 3],
    ['minimum length is 2 letters', 2],
    ['Something else', null],
  ])('"%s" asks for %s characters', (text, length) => {
    expect(lengthNamedBy({ ...answered({ message: text }), reading: 'refused' })).toBe(length);
  });
});

describe('a way to the next page', () => {
  it.each([
    [{ links: { next: 'https://r.example/api/search?q=a&page=2' } }, 'next_url', '/links/next'],
    [{ paging: { next_cursor: 'abc' } }, 'cursor', '/paging/next_cursor'],
    [{ page: { nextPageToken: 'abc' } }, 'cursor', '/page/nextPageToken'],
  ])('is seen in %j', (body, is, at) => {
    expect(findNextPageLink([answered(body)])).toMatchObject({ is, at });
  });

  it.each([{ links: { next: null, previous: 'x', last: '/y' } }, { has_next: true }, { results: [] }])(
    'is not seen in %j',
    (body) => {
      expect(findNextPageLink([answered(body as Json)])).toBeNull();
    },
  );
});

describe('addresses', () => {
  it('are tried with one /api, with two, and without', () => {
    const searches = (base_url: string) => joinsOf({ base_url }).map(({ search }) => search);
    expect(searches('https://r.example/api')).toEqual(['/api/search', '/api/api/search']);
    expect(searches('https://r.example')).toEqual(['/api/search', '/search']);
    expect(searches('https://r.example/v1')).toEqual(['/v1/api/search', '/v1/search', '/api/search']);
  });

  it('an id that should not exist has the form of those that do', () => {
    expect(unlikelyId(['00185647', 'SC123456'])).toMatch(/^\d{8}$/);
    expect(unlikelyId(['acme-holdings'])).not.toBe('acme-holdings');
  });
});

describe('a proposal', () => {
  const dialect = Dialect.parse({
    search: {
      query_param: 'q',
      paging: { style: 'none' },
      results: '/results',
      id: '/company_number',
      name: '/title',
    },
    entity: { root: '', id: '/company_number' },
    stats: { total: '/total' },
  });

  it('says where the list has gone, and keeps the id that still stands in its rows', () => {
    const moved = { exchange: answered({ data: { hits: [row(1), row(2)] } }), entityId: null };
    expect(proposeChanges(dialect, [moved])).toEqual([
      expect.objectContaining({ key: 'search.results', from: '/results', to: '/data/hits' }),
    ]);
  });

  it('says where the record has gone', () => {
    const request = { kind: 'entity' as const, path: '', params: [], why: '' };
    const moved = {
      exchange: { ...answered({ version: 2, data: { number: 'N7' } }), request },
      entityId: 'N7',
    };
    expect(proposeChanges(dialect, [moved]).map(({ key, to }) => [key, to])).toEqual([
      ['entity.root', '/data'],
      ['entity.id', '/number'],
    ]);
  });

  it('is silent on answers that show nothing', () => {
    expect(proposeChanges(dialect, [{ exchange: answered({ oops: true }), entityId: null }])).toEqual([]);
  });
});

describe('whatever comes', () => {
  it('the next question is chosen without a fault, and there is an end to them', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ status: fc.constantFrom(200, 200, 200, 400, 404, 500), body: fc.json() }), {
          minLength: 1,
        }),
        (answers) => {
          const exchanges: Exchange[] = [];
          const upstream = { base_url: 'https://r.example/api' };
          for (let calls = 0; calls < 60; calls++) {
            const { ask } = probe({ upstream, exchanges, hints: { queryParam: null, examples: [] } });
            if (ask === null) return;
            const { status, body } = answers[calls % answers.length] ?? { status: 200, body: '{}' };
            const reading =
              status === 200 ? 'answered' : status === 404 ? 'absent' : status === 400 ? 'refused' : 'broken';
            exchanges.push({ request: ask, status, headers: {}, json: parseJson(body), text: body, reading });
          }
          expect.fail('sixty questions, and no end');
        },
      ),
      { numRuns: 150 },
    );
  });
});

function row(n: number) {
  return {
    company_number: `0834390${n}`,
    title: `Active ${'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[n]} Limited`,
    status: 'active',
  };
}

function answered(json: Json | object): Exchange {
  const request = { kind: 'search' as const, path: '/api/search', params: [], why: '' };
  return {
    request,
    status: 200,
    headers: {},
    json: json as Json,
    text: JSON.stringify(json),
    reading: 'answered',
  };
}

function asking(exchange: Exchange, text: string): Exchange {
  return { ...exchange, request: { ...exchange.request, params: [['q', text]] } };
}

function askedFor(
  text: string,
  found: readonly { readonly id: string; readonly name: string }[],
): AnsweredSearch {
  const search = asking(answered({}), text);
  return {
    search,
    text,
    rows: [],
    ids: found.map(({ id }) => id),
    names: found.map(({ name }) => name),
    total: found.length,
  };
}
