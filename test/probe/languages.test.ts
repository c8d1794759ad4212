import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/json/json.ts';
import { draftDialect } from '../../src/probe/dialect_draft.ts';
import type { ProbeRequest } from '../../src/probe/exchange.ts';
import { expressionsFor } from '../../src/probe/languages.ts';
import { probedWith } from '../support/probed_api.ts';

const FIRST = 'Amber Birch Cedar Delta Ember Fjord Grove Hazel Ivory Jade Koral Linden Maple Northern'.split(
  ' ',
);
const SECOND = 'Bakery Foundry Shipping Textiles Vineyard'.split(' ');
const COMPANIES = FIRST.flatMap((first, one) =>
  SECOND.map((second, other) => ({ code: `R${1000 + one * 7 + other * 131}`, title: `${first} ${second}` })),
).sort((a, b) => a.code.localeCompare(b.code));

type Rows = typeof COMPANIES;

const containing = (text: string): Rows =>
  COMPANIES.filter(({ title }) => title.toLowerCase().includes(text.toLowerCase()));
const good = (rows: Rows) => ({ status: 200, json: { count: rows.length, results: rows.slice(0, 20) } });
const bad = (message: string) => ({ status: 400, json: { message } });
const record = (path: string) => {
  const found = COMPANIES.find(({ code }) => path.endsWith(`/${code}`));
  return found === undefined ? { status: 404, json: { message: 'not found' } } : { status: 200, json: found };
};
const sentValue = (request: ProbeRequest, name: string) =>
  request.params.find(([sent]) => sent === name)?.[1] ?? null;

/** Probes an API whose search reads one parameter, and ignores all others. */
function probed(
  param: string,
  search: (value: string | null) => { status: number; json: Json },
  named: string | null = null,
) {
  return probedWith(
    (request) =>
      request.kind === 'search'
        ? search(sentValue(request, param))
        : request.kind === 'entity'
          ? record(request.path)
          : { status: 404, json: {} },
    { search: '/api/firms', entity: '/api/firms/{id}' },
    undefined,
    {},
    named,
  );
}

describe('query languages', () => {
  it('an expression is found in one request with many, if the API ignores the others', () => {
    const found = probed('filters[title][$containsi]', (value) => good(containing(value ?? '')));
    expect(found.query).toMatchObject({
      value: { param: 'filters[title][$containsi]', template: '{query}' },
      certainty: 'sure',
    });
    const group = found.searches.find(({ params }) => params.some(([name]) => name.startsWith('filters')));
    expect(group?.params.length).toBeGreaterThan(5);
  });

  it('an error that names its syntax proposes the expressions of this language', () => {
    const found = probed('where', (value) => {
      if (value === null) return good(COMPANIES);
      const text = /^search\(title,"(.*)"\)$/.exec(value)?.[1];
      return text === undefined ? bad('ODSQL query is malformed') : good(containing(text));
    });
    expect(found.query).toMatchObject({
      value: { param: 'where', template: 'search(title,"{query:json}")' },
      certainty: 'sure',
    });
  });

  it('an error about SQL proposes a statement with the kind of records in the path', () => {
    const found = probed('sql', (value) => {
      const text = /^SELECT \* FROM firms WHERE name LIKE '%(.*)%'$/.exec(value ?? '')?.[1];
      const rows = COMPANIES.map((row) => ({ ...row, title: `${row.title} Co` }));
      const found = rows.filter(({ title }) => title.toLowerCase().includes((text ?? '').toLowerCase()));
      return text === undefined ? bad('Send an SQL query') : good(found);
    });
    expect(found.query.value?.param).toBe('sql');
  });

  it('a parameter that the user names takes the expression that found companies in it', () => {
    const found = probed(
      'sql',
      (value) => {
        const text = /^SELECT \* FROM firms WHERE \w+ LIKE '%(.*)%'$/.exec(value ?? '')?.[1];
        return text === undefined ? bad('Unable to parse SQL') : good(containing(text));
      },
      'sql',
    );
    expect(draftDialect(found)?.dialect.search).toMatchObject({
      query_param: 'sql',
      query_template: expect.stringMatching(/^SELECT \* FROM firms WHERE \w+ LIKE '%\{query:odata\}%'$/),
    });
  });

  it('a parameter that takes JSON shows its fields in the error about an empty object', () => {
    const found = probed('filters', (value) => {
      if (value === null) return bad("Missing required parameter 'filters'");
      if (!value.startsWith('{')) return bad("'filters' is not valid JSON");
      const { titleHas } = JSON.parse(value) as { titleHas?: string };
      return titleHas === undefined ? bad('filters needs titleHas') : good(containing(titleHas));
    });
    expect(found.query.value).toEqual({ param: 'filters', template: '{"titleHas":"{query:json}"}' });
  });

  it('an API that refuses a search without a clause shows its fields for the clause that is always true', () => {
    const found = probed('where', (value) => {
      if (value === null) return bad("'where' clause is required");
      if (value === '1=1') return good(COMPANIES);
      const text = /^UPPER\(title\) LIKE UPPER\('%(.*)%'\)$/.exec(value)?.[1];
      return text === undefined ? bad("'where' parameter is invalid") : good(containing(text));
    });
    expect(found.query.value?.template).toBe("UPPER(title) LIKE UPPER('%{query:odata}%')");
    expect(found.query.certainty).toBe('sure');
    expect(found.calls).toBeLessThanOrEqual(16);
  });

  it("the expression in the record's path is also the one for names, with the name's field", () => {
    const found = probedWith(
      (request) => {
        const source =
          request.kind === 'entity'
            ? new URLSearchParams(request.path.split('?')[1]).get('source')
            : sentValue(request, 'source');
        const [, field, text = ''] = /^\{"match":\{"(\w+)":"(.*)"\}\}$/.exec(source ?? '') ?? [];
        const rows = field === 'code' ? COMPANIES.filter(({ code }) => code === text) : containing(text);
        return { status: 200, json: rows.slice(0, 10) };
      },
      { search: '/api/firms', entity: '/api/firms?source={"match":{"code":"{id:json}"}}', stats: null },
    );
    expect(found.query).toMatchObject({
      value: { param: 'source', template: '{"match":{"title":"{query:json}"}}' },
      certainty: 'sure',
    });
  });

  it("a text beside the id in the record's path may not be part of a query", () => {
    const clues = { text: '', name: null, id: null, areInCapitals: false, fields: [], refused: [] };
    const [first] = expressionsFor({
      ...clues,
      errors: '',
      searchPath: '',
      recordPath: "/search?text='DocId:{id}'",
    });
    expect(first).toMatchObject({ param: 'text', template: "'{query:odata}'" });
    const ofNumbers = expressionsFor({
      ...clues,
      errors: '',
      searchPath: '',
      recordPath: '/search?q=cin:{id}',
    });
    expect(ofNumbers.slice(0, 2).map(({ template }) => template)).toEqual(['name:{query}', 'cin:{query}']);
  });

  it("a filter in the record's path names the id and the filter for names in capitals", () => {
    const rows = COMPANIES.map((one) => ({ ...one, title: one.title.toUpperCase(), uuid: `Z${one.code}` }));
    const found = probedWith(
      ({ kind, path, params }) => {
        const sent =
          kind === 'entity'
            ? new URLSearchParams(path.split('?')[1])
            : new URLSearchParams(Object.fromEntries(params));
        const names = [...sent.keys()].filter((name) => name.startsWith('$') && name !== '$filter');
        if (names.length > 0) return { status: 400, json: { message: `${names[0]} is not supported` } };
        const filter = sent.get('$filter');
        if (filter === null) return { status: 200, json: { value: rows } };
        const [, code] = /^code eq '(.*)'$/.exec(filter) ?? [];
        const [, text] = /^contains\(title,'(.*)'\)$/.exec(filter) ?? [];
        if (code === undefined && text === undefined) return bad('The filter is invalid');
        return {
          status: 200,
          json: { value: rows.filter((row) => (text ? row.title.includes(text) : row.code === code)) },
        };
      },
      { search: '/odata/Firms', entity: "/odata/Firms?$filter=code eq '{id}'", stats: null },
    );
    expect(found.query).toMatchObject({
      value: { param: '$filter', template: "contains(title,'{query:upper:odata}')" },
      certainty: 'sure',
    });
    expect(found.search?.listing.ids[0]?.pointer).toBe('/code');
  });

  it('a parameter that refuses plain words takes the expression that its error suggests', () => {
    const found = probed('query', (value) => {
      if (value === null) return good(COMPANIES);
      const text = /^title==\*(.*)\*$/.exec(value)?.[1];
      return text === undefined ? bad('Invalid RSQL expression') : good(containing(text));
    });
    expect(found.query).toMatchObject({
      value: { param: 'query', template: 'title==*{query:words}*' },
      certainty: 'sure',
    });
  });

  it.each(['organisation', 'organization', 'business'])(
    '%s takes the query, although another parameter of its request had the same value',
    (param) => {
      const found = probedWith(
        (request) => {
          if (request.kind === 'entity') return record(request.path);
          const text = sentValue(request, param);
          return good(text === null ? [] : containing(text));
        },
        { search: '/api/search', entity: '/api/firms/{id}', stats: null },
      );
      expect(found.query).toMatchObject({ value: { param, template: '{query}' }, certainty: 'sure' });
    },
  );

  it('a parameter can be named after what the path lists', () => {
    const found = probedWith(
      (request) => {
        if (request.kind === 'entity') return record(request.path);
        const text = sentValue(request, 'registrant_name');
        return good(text === null ? COMPANIES : containing(text));
      },
      { search: '/api/v1/registrants/', entity: '/api/v1/registrants/{id}', stats: null },
    );
    expect(found.query).toMatchObject({ value: { param: 'registrant_name' }, certainty: 'sure' });
  });

  it('a 404 with a text about the results is the response to a search that found nothing', () => {
    const found = probedWith(
      (request) => {
        if (request.kind === 'entity') return record(request.path);
        const text = sentValue(request, 'query') ?? '';
        const rows = COMPANIES.map((one) => ({ ...one, title: `${one.title} de Gaulle` })).filter(
          ({ title }) => title.toLowerCase().split(' ').includes(text.toLowerCase()),
        );
        return rows.length === 0 ? { status: 404, json: { message: 'no results found' } } : good(rows);
      },
      { search: '/full_text/{query}', entity: '/api/firms/{id}', stats: null },
    );
    expect(found.query.value?.param).toBe('query');
    expect(found.search?.listing.results).toBe('/results');
  });

  it('the names of fields in an error are keys of a JSON filter', () => {
    const found = probed('filters', (value) => {
      const text = /^\{"titleContains":"(.*)"\}$/.exec(value ?? '')?.[1];
      if (text === undefined) return bad('Missing filters. Supported filters: titleContains, postcode, town');
      if (text.length < 3) return bad('titleContains must have at least 3 characters');
      return good(containing(text));
    });
    expect(found.query).toMatchObject({
      value: { param: 'filters', template: '{"titleContains":"{query:json}"}' },
      certainty: 'sure',
    });
  });

  it('queries are written in capitals if those in small letters find nothing', () => {
    const found = probed('title', (value) => {
      if (value === null) return bad('title is required');
      const rows = COMPANIES.map((one) => ({ ...one, title: one.title.toUpperCase() }));
      return good(rows.filter(({ title }) => title.startsWith(value)));
    });
    expect(found.query).toMatchObject({
      value: { param: 'title', template: '{query:upper}' },
      certainty: 'sure',
    });
  });

  it('an expression that finds the same rows for every query is not the query', () => {
    const found = probed('where', () => good(COMPANIES));
    expect(found.query.value).toBeNull();
    const [question] = found.questions;
    expect(question?.about ?? 'query_param').toBe('query_param');
  });
});

interface Reply {
  readonly status: number;
  readonly json: Json;
}

describe('expressions that an API shows', () => {
  const FIRMS = Array.from({ length: 60 }, (_, index) => ({
    cert: `${3_000 + index * 7}`,
    title: `${['STEVES', 'OCEANIC', 'ENIGMA', 'BRYDON'][index % 4]} ${['BANK', 'TRUST'][index % 2]} ${index}`,
  }));
  const reply = (rows: readonly object[]): Reply => ({
    status: 200,
    json: { total: rows.length, data: rows as Json[] },
  });
  const refusal = (error: string): Reply => ({ status: 400, json: { error } });
  const probedFor = (found: (sent: ReadonlyMap<string, string>) => Reply) =>
    probedWith(
      ({ kind, path, params }) => {
        const firm = FIRMS.find(({ cert }) => path.endsWith(`/${cert}`));
        if (kind === 'entity') return { status: firm === undefined ? 404 : 200, json: firm ?? {} };
        return found(new Map(params));
      },
      { search: '/banks', entity: '/banks/{id}', stats: null },
    );

  it('a form in an error is tried with the field of the name', () => {
    const { query } = probedFor((sent) => {
      const search = sent.get('search');
      if (search === undefined) return reply(FIRMS.slice(0, 10));
      const [, field, word = ''] = /^(\w+):\s*(.+)$/.exec(search) ?? [];
      if (field !== 'title') return refusal('search must be of the form title: value');
      return reply(FIRMS.filter(({ title }) => title.split(' ').includes(word.toUpperCase())).slice(0, 10));
    });
    expect(query.value).toEqual({ param: 'search', template: 'title:{query}' });
  });

  it('a comparison without functions is in the capitals of the names', () => {
    const { query } = probedFor((sent) => {
      const where = sent.get('where');
      if (where === '1=1') return reply(FIRMS.slice(0, 20));
      const [, word] = /^title LIKE '%(.*)%'$/.exec(where ?? '') ?? [];
      if (word === undefined) return refusal('Invalid where clause.');
      return reply(FIRMS.filter(({ title }) => title.includes(word)).slice(0, 20));
    });
    expect(query.value).toEqual({ param: 'where', template: "title LIKE '%{query:upper:odata}%'" });
  });
});
