import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Json, parseJson } from '../../src/json/json.ts';
import { pointerOf, segmentsOf, valueAt } from '../../src/json/pointer.ts';
import { Pointer } from '../../src/json/pointer_schema.ts';

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
