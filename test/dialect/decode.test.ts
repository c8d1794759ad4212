import { describe, expect, test } from 'vitest';
import { NotUnderstood } from '../../src/dialect/body_values.ts';
import { decode } from '../../src/dialect/decode.ts';
import type { Dialect } from '../../src/dialect/dialect.ts';
import type { Headers } from '../../src/dialect/headers.ts';
import { parseJson } from '../../src/json/json.ts';
import type { SearchAnswer } from '../../src/outcome.ts';
import { dialectOf, ENTITY, entityOf, SEARCH, STATS, searchDialect, searchFor } from '../support/dialect.ts';

function read(dialect: Dialect, call: typeof SEARCH, body: string, headers: Headers = {}) {
  const answer = decode(dialect, call, parseJson(body), headers);
  return answer instanceof NotUnderstood ? answer.why : answer;
}

test('a record without an id of its own has the requested one', () => {
  const dialect = dialectOf({ entity: { root: '/data', id: null, name: '/name' } });
  expect(read(dialect, entityOf('0042') as never, '{"data":{"name":"Acme"}}')).toMatchObject({
    kind: 'record',
    entityId: '0042',
    name: 'Acme',
  });
  expect(read(dialect, entityOf('0042') as never, '{"data":null}')).toContain('no record at /data');
});

describe('reading a search response', () => {
  test.each([
    '"timed_out":true',
    '"incomplete_results":true',
    '"isTruncated":"true"',
    '"responseHeader":{"partialResults":true}',
    '"_shards":{"total":5,"failed":1}',
  ])('a response with %s is partial, and its total counts nothing', (mark) => {
    const body = `{"total":1,"results":[{"id":"1"}],${mark}}`;
    expect(read(dialectOf(), SEARCH, body)).toMatchObject({ isPartial: true, total: null, rows: [{}] });
  });

  test.each([
    '"timed_out":false',
    '"partial":null',
    '"_shards":{"total":5,"failed":0}',
    '"jobs":{"failed":1}',
    '"partialMatch":true',
  ])('a response with %s is not partial', (mark) => {
    const body = `{"total":1,"results":[{"id":"1","truncated":true}],${mark}}`;
    expect(read(dialectOf(), SEARCH, body)).not.toHaveProperty('isPartial');
  });

  test('a search returns its rows in order, the total, and the rejected results', () => {
    const body =
      '{"total":7,"results":[{"id":"1","name":"A"},{"name":"no id"},{"id":12345678901234567890,"name":null},5]}';
    expect(read(dialectOf(), SEARCH, body)).toEqual({
      kind: 'search',
      rows: [
        { entityId: '1', name: 'A', summary: { id: '1', name: 'A' } },
        { entityId: '12345678901234567890', name: null, summary: { id: 12345678901234567890n, name: null } },
      ],
      withoutId: 1,
      resultCount: 4,
      rejected: [{ position: 3, why: 'no id at /id: the result is a number, which is at /value' }],
      total: 7,
      next: null,
    });
  });

  test.each([
    ['{"results":[{"id":"1"},{"id":null},{"id":""},{"id":"2"}]}', 2, []],
    ['{"results":[{"id":"1"},{"id":null},{"id":"2"},{"id":{}}]}', 1, [3]],
    ['{"results":[{"id":"1"},{"code":"A"},{"code":"B"}]}', 0, [1, 2]],
  ])(
    'results without an id are only counted if at least as many others have one: %s',
    (body, ...expected) => {
      const answer = read(dialectOf(), SEARCH, body) as SearchAnswer;
      expect([answer.withoutId, answer.rejected.map(({ position }) => position)]).toEqual(expected);
    },
  );

  test('the only match can be the body itself, without a list', () => {
    expect(read(dialectOf(), SEARCH, '{"id":"1","name":"A","city":"B"}')).toMatchObject({
      rows: [{ entityId: '1', name: 'A' }],
      resultCount: 1,
      next: null,
    });
    const inList = searchDialect({ results: '' });
    expect(read(inList, SEARCH, '{"id":"1","name":"A"}')).toMatchObject({ rows: [{ entityId: '1' }] });
    const why = 'no list of results at /results: found nothing';
    expect(read(dialectOf(), SEARCH, '{"id":"1","error":"wrong"}')).toBe(why);
  });

  test('if a result has no id, the first fallback path with a value is used', () => {
    const dialect = searchDialect({ id_fallbacks: ['/code', '/other'] });
    const body = '{"results":[{"id":"1","other":"x"},{"id":"","code":null,"other":"A_2"},{"name":"none"}]}';
    expect(read(dialect, SEARCH, body)).toMatchObject({
      rows: [{ entityId: '1' }, { entityId: 'A_2' }],
      withoutId: 1,
    });
  });

  test('if a result has no name, the first fallback with text is used, and the texts at a list of paths are joined', () => {
    const dialect = searchDialect({ name_fallbacks: ['/label', ['/first', '/last']] });
    const body =
      '{"results":[{"id":"1","name":"A","label":"x"},{"id":"2","name":" ","first":"Ján","last":"Kováč"},{"id":"3","label":"L","last":"x"},{"id":"4"}]}';
    expect(read(dialect, SEARCH, body)).toMatchObject({
      rows: [{ name: 'A' }, { name: 'Ján Kováč' }, { name: 'L' }, { name: null }],
    });
  });

  test('an object with an id is a list with one result, and empty text is an empty list', () => {
    const dialect = searchDialect({ results: '/items/item', total: '/total' });
    expect(read(dialect, SEARCH, '{"total":1,"items":{"item":{"id":"1","name":"A"}}}')).toMatchObject({
      rows: [{ entityId: '1', name: 'A' }],
      resultCount: 1,
    });
    for (const body of ['{"total":0,"items":""}', '{"total":0,"items":{"item":""}}'])
      expect(read(dialect, SEARCH, body)).toMatchObject({ rows: [], total: 0 });
    expect(read(dialect, SEARCH, '{"items":{"item":{"message":"busy"}}}')).toMatch(/found an object/);
    expect(read(searchDialect({ results: '' }), SEARCH, '{"id":"error-7"}')).toMatch(/found an object/);
  });

  test('results can be the values of an object, whose keys are the ids of results without one', () => {
    const dialect = searchDialect({ results: '/records/{id}', absent_when_empty: true });
    const body = '{"records":{"A1":{"id":"A1","name":"A"},"B2":{"name":"B"}}}';
    expect(read(dialect, SEARCH, body)).toMatchObject({
      rows: [
        { entityId: 'A1', name: 'A' },
        { entityId: 'B2', name: 'B' },
      ],
    });
    expect(read(dialect, SEARCH, '{"records":{}}')).toMatchObject({ rows: [] });
    expect(read(dialect, SEARCH, '{"result":"none"}')).toMatchObject({ rows: [] });
    expect(() => searchDialect({ results: '/{id}/rows' })).toThrow(/last key/);
  });

  test('a result that an object has by its id is an object, because texts by key can describe an error', () => {
    const dialect = searchDialect({ results: '/{id}', id: '/{id}', total: null });
    const body = '{"A1":{"name":"Acme"},"A2":{"name":"Baker"}}';
    expect(read(dialect, SEARCH, body)).toMatchObject({ rows: [{ entityId: 'A1' }, { entityId: 'A2' }] });
    expect(read(dialect, SEARCH, '{"error":"try again","code":"x1"}')).toMatch(
      /^none of 2 results is usable/,
    );
    expect(() => searchDialect({ name: '/{id}' })).toThrow(/contains \{id\}/);
  });

  test('a result that is a list becomes an object with its cells', () => {
    const dialect = searchDialect({ results: '/1', id: '/cell_2', name: '/cell_1', total: '/0' });
    expect(read(dialect, SEARCH, '[7,[["Acme",42,null]]]')).toMatchObject({
      rows: [{ entityId: '42', name: 'Acme', summary: { cell_1: 'Acme', cell_2: 42, cell_3: null } }],
      total: 7,
    });
  });

  test('a path continues in a text that is JSON, and a record can be such a text', () => {
    const dialect = dialectOf({ entity: { root: '/content', id: '/id', name: '/names/0' } });
    const body = JSON.stringify({ content: '{"id":"0042","names":["Acme"]}' });
    expect(read(dialect, entityOf('0042') as never, body)).toMatchObject({
      name: 'Acme',
      document: { id: '0042', names: ['Acme'] },
    });
    const broken = JSON.stringify({ content: '{"id":"0042"' });
    expect(read(dialect, entityOf('0042') as never, broken)).toMatch(/^no record at \/content: found text/);
  });

  test('a result outside the list comes first, without the keys that belong to the page', () => {
    const dialect = searchDialect({ results: '/hits', main: '' });
    const main = { entityId: '1', name: 'A', summary: { id: '1', name: 'A', town: 'X' } };
    const hits = '"hits":[{"id":"2","name":"B"}]';
    const top = '"id":"1","name":"A","town":"X"';
    const both = { rows: [main, { entityId: '2' }], total: 2, resultCount: 2 };
    expect(read(dialect, SEARCH, `{"total":2,${top},${hits}}`)).toMatchObject(both);
    expect(read(dialect, SEARCH, `{${top}}`)).toMatchObject({ rows: [main] });
    expect(read(dialect, SEARCH, `{"total":1,${hits}}`)).toMatchObject({ rows: [{ entityId: '2' }] });
    expect(read(dialect, SEARCH, `{"id":"2","name":"B",${hits}}`)).toMatchObject({
      rows: [{ entityId: '2' }],
      resultCount: 1,
    });
    const later = searchFor('acme', 'name', { index: 1, next: null });
    expect(read(dialect, later, `{${top},${hits}}`)).toMatchObject({ rows: [main, {}], resultCount: 1 });
  });

  test('results can be in the lists of several groups', () => {
    const groups =
      '[{"court":"Graz","entries":[{"id":"1"},{"id":"2"}]},{"court":"Wien","entries":[{"id":"3"}]}]';
    const dialect = searchDialect({ results: '/groups/*/entries' });
    expect(read(dialect, SEARCH, `{"groups":${groups}}`)).toMatchObject({
      resultCount: 3,
      rows: [{ entityId: '1' }, { entityId: '2' }, { entityId: '3' }],
    });
  });

  test('results can be texts or numbers, which get the key value', () => {
    const dialect = searchDialect({ results: '/result', id: '/value', name: null });
    expect(read(dialect, SEARCH, '{"result":["acme",7]}')).toMatchObject({
      rows: [
        { entityId: 'acme', summary: { value: 'acme' } },
        { entityId: '7', summary: { value: 7 } },
      ],
    });
  });

  test('all results for one company are grouped under one key', () => {
    const dialect = searchDialect({ group_as: 'rows' });
    const body = '{"total":3,"results":[{"id":"1","name":"A"},{"id":"2"},{"id":"1","name":"A2"}]}';
    expect(read(dialect, SEARCH, body)).toMatchObject({
      rows: [
        {
          entityId: '1',
          name: 'A',
          summary: {
            name: 'A',
            rows: [
              { id: '1', name: 'A' },
              { id: '1', name: 'A2' },
            ],
          },
        },
        { entityId: '2' },
      ],
      resultCount: 3,
    });
  });

  test.each([
    [
      'results.companies[].company',
      { results: '/results/companies', item: '/company', id: '/company_number', name: '/name' },
      '{"results":{"companies":[{"company":{"company_number":"C 3/268","name":"GITHUB, INC."}}]}}',
      'C 3/268',
      'GITHUB, INC.',
    ],
    [
      'a list at the top level',
      { results: '', id: '/id', name: '/name' },
      '[{"id":"1","name":"A"}]',
      '1',
      'A',
    ],
    [
      'data[].attributes',
      { results: '/data', id: '/id', name: '/attributes/entity/legalName/name' },
      '{"data":[{"id":"6367","attributes":{"entity":{"legalName":{"name":"Kommstart"}}}}]}',
      '6367',
      'Kommstart',
    ],
    [
      'leading zeros',
      { results: '/items', id: '/nr', name: '/title' },
      '{"items":[{"nr":"00185647","title":"X"}]}',
      '00185647',
      'X',
    ],
    [
      'numbers as id and name',
      { results: '/items', id: '/nr', name: '/title' },
      '{"items":[{"nr":34,"title":24}]}',
      '34',
      '24',
    ],
  ])('the id and name are read from results in the shape: %s', (_shape, changes, body, entityId, name) => {
    expect(read(searchDialect({ total: null, ...changes }), SEARCH, body)).toMatchObject({
      rows: [{ entityId, name }],
    });
  });

  test.each([
    ['"83"', 83],
    ['" 83 "', 83],
    ['83.0', 83],
    ['8.3e1', 83],
    ['null', null],
    ['-1', null],
    ['"1,000"', null],
    ['true', null],
    ['[83]', 83],
    ['[83,84]', null],
    ['1e300', null],
  ])("a search's total is read from %s", (total, understood) => {
    expect(read(dialectOf(), SEARCH, `{"total":${total},"results":[{"id":"1"}]}`)).toMatchObject({
      total: understood,
    });
  });

  test.each([
    ['{"value":10000,"relation":"gte"}', null],
    ['{"value":10000,"relation":"eq"}', 10_000],
    ['{"value":10000,"exact":false}', null],
    ['{"value":10000,"isEstimated":true}', null],
    ['{"value":10000,"total_is_exact":false,"hits":[]}', null],
    ['{"value":10000,"total_is_exact":true,"hits":[]}', 10_000],
    ['{"value":10000,"total_type":"gte","hits":[]}', null],
    ['{"value":10000,"exact":false,"hits":[]}', 10_000],
    ['{"value":"10000+"}', null],
    ['{"value":"at least 10000"}', null],
    ['{"value":"1–20 of 1,345"}', 1345],
    ['{"value":"1-20 von 345 Treffern"}', 345],
    ['{"value":"1-20 of about 345"}', null],
    ['{"value":"1-20 of 345+"}', null],
  ])('a total of %s is a count only if it is exact', (found, total) => {
    const dialect = searchDialect({ total: '/found/value' });
    expect(read(dialect, SEARCH, `{"found":${found},"results":[{"id":"1"}]}`)).toMatchObject({ total });
  });

  test.each([
    ['573', 573],
    ['0-24/573', 573],
    ['items 0-24/573', 573],
    ['items */0', 0],
    ['items 0-24/*', null],
    ['', null],
    [undefined, null],
  ])('a total is read from the header %j', (text, total) => {
    const dialect = searchDialect({ total: 'Content-Range' });
    expect(read(dialect, SEARCH, '{"results":[{"id":"1"}]}', { 'content-range': text })).toMatchObject({
      total,
    });
  });

  test('a search is empty if the body has no list and the total is 0', () => {
    expect(read(dialectOf(), SEARCH, '{"total":0}')).toMatchObject({ rows: [], total: 0 });
    expect(read(dialectOf(), SEARCH, '{"total":0,"results":null}')).toMatchObject({ rows: [], total: 0 });
    expect(read(dialectOf(), SEARCH, '{"total":3}')).toBe('no list of results at /results: found nothing');
    expect(read(dialectOf(), SEARCH, '{"total":0,"results":{}}')).toMatch(/found an object/);
    expect(read(dialectOf(), SEARCH, '{"results":null}')).toMatchObject({ rows: [] });
    expect(read(dialectOf(), SEARCH, '{"total":30,"results":null}')).toMatch(/found null/);
    expect(
      read(searchDialect({ absent_when_empty: true, total: null }), SEARCH, '{"links":{}}'),
    ).toMatchObject({
      rows: [],
    });
  });

  test('a search is not understood if its first page has no results although the total is at least 10', () => {
    const message = 'the first page has no results at /results, although the total is 1,234';
    expect(read(dialectOf(), SEARCH, '{"total":1234,"results":[]}')).toBe(message);
    expect(read(dialectOf(), SEARCH, '{"total":9,"results":[]}')).toMatchObject({ rows: [], total: 9 });
    const absent = searchDialect({ absent_when_empty: true });
    expect(read(absent, SEARCH, '{"total":1234,"items":[]}')).toMatch(/^no list of results/);
  });

  test('a search is not understood if no row has an id', () => {
    expect(read(dialectOf(), SEARCH, '{"total":2,"results":[{"nr":1},{"nr":2}]}')).toMatch(
      /^none of 2 results is usable: no id at \/id/,
    );
  });

  test.each(['true', '[]', '{}'])('a search rejects a result with the id %s', (id) => {
    expect(read(dialectOf(), SEARCH, `{"results":[{"id":"1"},{"id":${id}}]}`)).toMatchObject({
      rows: [{ entityId: '1' }],
      rejected: [{ position: 1 }],
    });
  });

  test.each([
    ['cursor', { param: 'after', next: '/next' }, '"abc"', 'abc'],
    ['cursor', { param: 'after', next: '/next' }, '12345678901234567890', '12345678901234567890'],
    ['cursor', { param: 'after', next: '/next' }, 'null', null],
    ['cursor', { param: 'after', next: '/next' }, 'false', null],
    ['cursor', { param: 'after', next: '/next' }, '""', null],
    ['cursor', { param: 'after', next: '/next' }, '{"a":1}', null],
    ['next_url', { next: '/next' }, '"/api/search?page=2"', '/api/search?page=2'],
    ['link_header', {}, 'null', '?page=2'],
    ['page', { param: 'page' }, '"ignored"', null],
  ])(
    'the next page in the paging style %s with the settings %j is read from %s',
    (style, changes, next, expected) => {
      const dialect = searchDialect({ paging: { style, ...changes } });
      const body = `{"results":[{"id":"1"}],"next":${next}}`;
      expect(read(dialect, SEARCH, body, { link: '<?page=2>; rel="next"' })).toMatchObject({
        next: expected,
      });
    },
  );
});

test('a page after the last one can lack the list of results', () => {
  const dialect = searchDialect({ results: '/items/item', total: '/total' });
  const pageAt = (index: number) => ({ ...SEARCH, page: { index, next: null } });
  const missing = '{"total":20,"items":""}';
  expect(read(dialect, pageAt(2), missing)).toMatchObject({ rows: [], total: 20 });
  expect(read(dialect, pageAt(0), missing)).toContain('no list of results');
});

describe('reading a record', () => {
  test('a record is the object at the root path and gets the requested id', () => {
    const dialect = dialectOf({ entity: { root: '/data', id: '/lei', name: '/name' } });
    expect(read(dialect, ENTITY, '{"data":{"lei":"42","name":"A"},"queried_at":1}')).toEqual({
      kind: 'record',
      entityId: '42',
      name: 'A',
      document: { lei: '42', name: 'A' },
    });
  });

  test('the HTML in a name is removed', () => {
    const body = '{"id":"42","name":"<mark>Vil</mark>nius &amp; Co"}';
    expect(read(dialectOf(), ENTITY, body)).toMatchObject({ name: 'Vilnius & Co' });
  });

  test('a record is found under its id', () => {
    const dialect = dialectOf({
      entity: { root: '/entities/{id}', id: '/id', name: '/labels/[language=en]/value' },
    });
    const body =
      '{"entities":{"Q1":{"id":"Q1","labels":[{"language":"fi","value":"B"},{"language":"en","value":"A"}]}}}';
    expect(read(dialect, entityOf('Q1'), body)).toMatchObject({ kind: 'record', entityId: 'Q1', name: 'A' });
    expect(read(dialect, entityOf('Q2'), body)).toMatch(/^no record at/);
  });

  test.each([
    ['00042', '42'],
    ['42', '"00042"'],
    ['42', '42'],
    ['ab-1', '"AB-1"'],
    ['AB-1', '" ab-1 "'],
    ['12345678901234567890', '12345678901234567890'],
  ])('a record with the id %2$s is accepted for the requested id %1$s', (requested, id) => {
    expect(read(dialectOf(), entityOf(requested), `{"id":${id}}`)).toMatchObject({ entityId: requested });
  });

  test.each([
    ['42', '43'],
    ['42', '"42x"'],
    ['42', '"1042"'],
  ])('a record with the id %2$s is rejected for the requested id %1$s', (requested, id) => {
    expect(read(dialectOf(), entityOf(requested), `{"id":${id}}`)).toMatch(/^requested "\d+", received /);
  });

  test.each(['[]', 'null', '"text"', '5', '{}', '{"id":null}', '{"id":{}}'])(
    'no record is found in the body %s',
    (body) => {
      expect(read(dialectOf(), ENTITY, body)).toMatch(/^(no record|the record has no id)/);
    },
  );
});

describe('statistics', () => {
  test.each([
    ['{"total":52645}', 52645],
    ['{"total":"52645"}', 52645],
    ['{"total":null}', null],
    ['[{"total":"52645"}]', 52645],
  ])('the statistics are read from the body %s', (body, total) => {
    expect(read(dialectOf(), STATS, body)).toMatchObject({ kind: 'stats', total });
  });

  test('statistics that are not an object are stored under the key value', () => {
    const readAt = (total: string | null, body: string) => read(dialectOf({ stats: { total } }), STATS, body);
    expect(readAt('/0/count', '[{"count":"1300"}]')).toMatchObject({
      total: 1300,
      document: { count: '1300' },
    });
    expect(readAt('', '1300')).toMatchObject({ total: 1300, document: { value: 1300 } });
    expect(readAt('/[kind=all]/n', '[{"kind":"new","n":3},{"kind":"all","n":9}]')).toMatchObject({
      total: 9,
      document: {
        value: [
          { kind: 'new', n: 3 },
          { kind: 'all', n: 9 },
        ],
      },
    });
  });

  test('statistics without the count are not understood', () => {
    expect(read(dialectOf(), STATS, '{"count":1}')).toBe(
      'the statistics have no count at /total: found nothing',
    );
    expect(read(dialectOf(), STATS, '{"total":"many"}')).toMatch(/found text/);
    expect(read(dialectOf(), STATS, '[]')).toMatch(/found nothing/);
    expect(read(dialectOf({ stats: { total: null } }), STATS, '{"count":1}')).toMatchObject({ total: null });
  });
});

test('an id that is not well-formed Unicode is rejected', () => {
  const search = read(
    dialectOf(),
    SEARCH,
    '{"total":3,"results":[{"id":"1"},{"id":"\\ud800"},{"id":"\\ud801"}]}',
  );
  expect(search).toMatchObject({
    rows: [{ entityId: '1' }],
    rejected: [{ why: expect.stringContaining('not well-formed Unicode') }, { position: 2 }],
  });
  const record = decode(dialectOf(), entityOf('42'), parseJson('{"id":"\\ud800"}'), {});
  expect(record).toBeInstanceOf(NotUnderstood);
});

test('a record without an id at the first path is read by a fallback path', () => {
  const dialect = dialectOf({ entity: { id: '/ico', id_fallbacks: ['/icoId'] } });
  expect(read(dialect, entityOf('A_1'), '{"icoId":"A_1"}')).toMatchObject({ entityId: 'A_1' });
  expect(read(dialect, entityOf('A_1'), '{"ico":"2","icoId":"A_1"}')).toMatch(/received "2"/);
});

test('a record without a name at the path is read by a fallback path', () => {
  const dialect = dialectOf({
    entity: { id: '/id', name: '/name', name_fallbacks: [['/person/first', '/person/last']] },
  });
  expect(read(dialect, entityOf('1'), '{"id":"1","person":{"first":"Ján","last":"Kováč"}}')).toMatchObject({
    name: 'Ján Kováč',
  });
});
