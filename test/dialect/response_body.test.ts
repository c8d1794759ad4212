import { afterEach, describe, expect, test, vi } from 'vitest';
import { readBody } from '../../src/dialect/response_body.ts';
import type { Json, JsonObject } from '../../src/json/json.ts';

test.each(['callback({"Names":[1]})', ' jQuery_1.cb( {"Names":[1]} );\n', '/**/callback({"Names":[1]});'])(
  'the argument of a function call is read as JSON: %s',
  (body) => {
    expect(readBody(Buffer.from(body), 'text/javascript').json).toEqual({ Names: [1] });
  },
);

test.each(['callback("text")', 'callback({"Names":[1]}) + 1', '({"Names":[1]})'])(
  '%s is not JSON',
  (body) => {
    expect(readBody(Buffer.from(body), 'text/javascript').json).toBeUndefined();
  },
);

test('the argument of a function call can have 30 MB of characters beyond the basic plane', () => {
  const name = '🏢'.repeat(15 * 1024 * 1024);
  const body = Buffer.from(`callback({"name":"${name}"});`);
  expect((readBody(body, 'text/javascript').json as JsonObject).name === name).toBe(true);
});

afterEach(() => {
  vi.restoreAllMocks();
});

test('a lack of memory is not a flaw in the body', () => {
  vi.spyOn(JSON, 'parse').mockImplementation(() => {
    throw new RangeError('Array buffer allocation failed');
  });
  expect(() => readBody(Buffer.from('{}'), 'application/json')).toThrow(RangeError);
});

describe('a table whose cells have no keys', () => {
  test.each<[string, Json, Json]>([
    [
      'a list of texts beside the rows names the cells',
      {
        columns: ['id', 'name'],
        rows: [
          [1, 'Acme'],
          [2, null],
        ],
      },
      [
        { id: 1, name: 'Acme' },
        { id: 2, name: null },
      ],
    ],
    [
      'objects with a name beside the rows name the cells',
      { fields: [{ name: 'id' }, { name: 'name' }], primaryKeys: ['id'], rows: [['7', 'Beta']] },
      [{ id: '7', name: 'Beta' }],
    ],
    [
      'rows of another length keep their form',
      { columns: ['id', 'name'], rows: [[1, 'Acme', 2]] },
      [[1, 'Acme', 2]],
    ],
    ['a repeated name names no cells', { columns: ['a', 'a'], rows: [[1, 2]] }, [[1, 2]]],
    ['rows without names keep their form', { rows: [[1, 2]] }, [[1, 2]]],
  ])('%s, also in a member of the body', (_, body, rows) => {
    const read = (value: Json) =>
      readBody(Buffer.from(JSON.stringify(value)), 'application/json').json as JsonObject;
    expect(read(body)).toEqual({ ...(body as JsonObject), rows });
    expect(read({ data: body })).toEqual({ data: { ...(body as JsonObject), rows } });
  });
});

test.each([
  ['little-endian', Buffer.from('\ufeff{"name":"Müller"}', 'utf16le')],
  ['big-endian', Buffer.from('\ufeff{"name":"Müller"}', 'utf16le').swap16()],
])('%s UTF-16 is recognised by its byte order mark, whatever the response states', (_order, body) => {
  for (const contentType of ['', 'application/json; charset=utf-8'])
    expect(readBody(body, contentType).json).toEqual({ name: 'Müller' });
});
