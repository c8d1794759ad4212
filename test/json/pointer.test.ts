import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Json, parseJson } from '../../src/json/json.ts';
import { onlyValueAt, pointerOf, segmentsOf, valueAt } from '../../src/json/pointer.ts';
import { KeyPointer, Pointer, RecordPointer } from '../../src/json/pointer_schema.ts';

describe('a JSON Pointer', () => {
  // RFC 6901, section 5.
  const document = parseJson(
    String.raw`{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8}`,
  );
  test.each([
    ['', document],
    ['/foo', ['bar', 'baz']],
    ['/foo/0', 'bar'],
    ['/', 0],
    ['/a~1b', 1],
    ['/c%d', 2],
    ['/e^f', 3],
    ['/g|h', 4],
    ['/i\\j', 5],
    ['/k"l', 6],
    ['/ ', 7],
    ['/m~0n', 8],
  ])('a JSON Pointer finds its value: %j', (pointer, value) => {
    expect(valueAt(document, pointer)).toEqual(value);
  });

  test.each([
    ['/links/[rel=next]/href', '/b'],
    ['/links/[rel=last]/href', undefined],
    ['/names/[until=null]/text', 'Now'],
    ['/names/[type=trade][until=null]/text', 'Shop'],
    ['/names/[type=]/text', undefined],
    ['/names/[type!=legal]/text', 'Shop'],
    ['/names/[type=legal][last]/text', 'Now'],
    ['/names/[last]/text', 'Shop'],
    ['/names/[0]', 'x'],
    ['/names/[until!=null]/text', 'Then'],
    ['/names/text', undefined],
    ['/[rel=next]', 'a key'],
  ])('a JSON Pointer finds the first list element that meets all conditions: %j', (pointer, value) => {
    const lists = parseJson(
      `{"links":[{"rel":"self","href":"/a"},{"rel":"next","href":"/b"}],"[rel=next]":"a key",
        "names":["x",{"type":"legal","until":"2016","text":"Then"},{"type":"legal","text":"Now"},
        {"type":"trade","until":null,"text":"Shop"}]}`,
    );
    expect(valueAt(lists, pointer)).toBe(value);
  });

  test.each([
    ['/labels/*', 'Boulangerie'],
    ['/labels/fr', 'Boulangerie'],
    ['/names/*', undefined],
    ['/starred/*', 'a key'],
  ])('the key * is the first value of an object that is not empty: %j', (pointer, value) => {
    const document = parseJson(
      `{"labels":{"en":null,"nl":"","fr":"Boulangerie","de":"Metzger"},"names":["x"],"starred":{"a":"b","*":"a key"}}`,
    );
    expect(valueAt(document, pointer)).toBe(value);
  });

  test.each([
    ['/names/[type=1][endDate=absent]/name', 'Acme Oy'],
    ['/names/[languages=fi]/name', 'Acme Oy'],
    ['/names/[languages/0=sv]/name', 'Acme Ab'],
    ['/names/[source/code=2]/name', 'Acme Ab'],
    ['/names/[source~1code=2]/name', 'Acme Ab'],
    ['/names/[tags/code=main]/name', 'Acme Ab'],
    ['/names/[note="null"]/name', 'Old Acme'],
    ['/names/[endDate=null]/name', 'Acme Oy'],
    ['/names/[note="a]b/c"]/name', 'Acme Ab'],
    ['/names/[type=9]/name', undefined],
    ['/only/text', 'One'],
    ['/only/[type=1]/text', 'One'],
    ['/only/1/text', undefined],
    ['/object/[type=1]/text', 'Alone'],
    ['/object/[0]/text', 'Alone'],
  ])('a selector finds an element by its values: %s', (pointer, value) => {
    const company: Json = {
      names: [
        { name: 'Old Acme', type: '1', endDate: '1995', note: 'null' },
        {
          name: 'Acme Ab',
          type: '2',
          endDate: '2001',
          languages: ['sv'],
          source: { code: 2 },
          tags: [{ code: 'main' }],
          note: 'a]b/c',
        },
        { name: 'Acme Oy', type: '1', languages: ['en', 'fi'] },
        { name: 'Empty', type: '3', endDate: '' },
      ],
      only: [{ type: 1, text: 'One' }],
      object: { type: '1', text: 'Alone' },
    };
    expect(valueAt(company, pointer)).toBe(value);
  });

  test('absent also matches an empty text, and null does not', () => {
    const names: Json = [{ end: '1995', name: 'a' }, { end: '', name: 'b' }, { name: 'c' }];
    expect(valueAt(names, '/[end=absent]/name')).toBe('b');
    expect(valueAt(names, '/[end=null]/name')).toBe('c');
  });

  test('a list with one scalar is its scalar, where a single value is expected', () => {
    expect(onlyValueAt({ names: ['Acme'] }, '/names')).toBe('Acme');
    expect(onlyValueAt({ names: ['Acme', 'Beta'] }, '/names')).toEqual(['Acme', 'Beta']);
  });

  test.each([
    [Pointer, '/names/[type]/text', /brackets that select nothing/],
    [Pointer, '/names/[type=1/text', /brackets that select nothing/],
    [Pointer, '/entities/{id}', /possible only in dialect.entity.root/],
    [Pointer, 'names', /beginning with/],
    [KeyPointer, '/lists/[type=1]/items', /selector in brackets is not possible here/],
    [KeyPointer, '/entities/{id}', /possible only in dialect.entity.root/],
    [RecordPointer, '/entities/[type=1]', /selector in brackets is not possible here/],
  ])('a pointer that cannot be followed is rejected with the reason: %#', (schema, pointer, why) => {
    expect(schema.safeParse(pointer).error?.issues[0]?.message).toMatch(why);
  });

  test('the pointer to a record can contain the id', () => {
    expect(RecordPointer.safeParse('/entities/{id}').success).toBe(true);
    expect(Pointer.safeParse('/names/[types/0=x]/text').success).toBe(true);
  });

  test.each([
    '/foo/2',
    '/foo/-',
    '/foo/00',
    '/foo/1e0',
    '/foo/length',
    '/no',
    '/foo/0/x',
    '/toString',
    '/__proto__',
  ])('a JSON Pointer finds no value: %s', (pointer) => {
    expect(valueAt(document, pointer)).toBeUndefined();
  });

  test('a JSON Pointer finds only own properties, even one named __proto__', () => {
    expect(valueAt(parseJson('{"__proto__":{"a":1}}'), '/__proto__/a')).toBe(1);
    expect(valueAt({}, '/__proto__/toString')).toBeUndefined();
    expect(valueAt({}, '/constructor/name')).toBeUndefined();
    expect(valueAt('text', '/length')).toBeUndefined();
  });

  test('a JSON Pointer can name any path', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { maxLength: 6 }), (segments) => {
        // Brackets at the start of a segment are a selector.
        fc.pre(!segments.some((segment) => segment.startsWith('[')));
        const pointer = pointerOf(segments);
        expect(Pointer.safeParse(pointer).success).toBe(true);
        expect(segmentsOf(pointer)).toEqual(segments);
        const nested = segments.reduceRight<Json>(
          (inner, key) => Object.fromEntries([[key, inner]]),
          'found',
        );
        expect(valueAt(nested, pointer)).toBe('found');
      }),
    );
  });
});
