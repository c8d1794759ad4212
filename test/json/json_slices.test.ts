import fc from 'fast-check';
import { expect, test } from 'vitest';
import { elementsOf, sliceAt } from '../../src/json/json_slices.ts';

const spaced = fc.constantFrom(0, 1, '\t', ' ');

test('a slice of JSON text has the same value as the parsed document', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 4 }), fc.array(fc.string()), spaced, (json, noise, indent) => {
      const document = JSON.parse(json);
      const text = JSON.stringify(
        { noise, deep: { at: document }, list: [document, 1, document] },
        null,
        indent,
      );
      const cut = (segments: string[]) => {
        const slice = sliceAt(text, segments);
        return slice === null ? undefined : JSON.parse(text.slice(slice.from, slice.to));
      };
      expect(cut([])).toEqual(JSON.parse(text));
      expect(cut(['deep', 'at'])).toEqual(document);
      expect(cut(['list', '2'])).toEqual(document);
      expect(cut(['list', '3'])).toBeUndefined();
      expect(cut(['deep', 'nowhere', 'at'])).toBeUndefined();
      const list = sliceAt(text, ['list']);
      const elements = list === null ? [] : elementsOf(text, list);
      expect(elements.map(({ from, to }) => JSON.parse(text.slice(from, to)))).toEqual([
        document,
        1,
        document,
      ]);
    }),
    { numRuns: 500 },
  );
});

test("a slice of JSON text has a repeated key's last value, escaped or not", () => {
  const text = '{"a":1,"\\u0061":{"b":9007199254740993},"c":[]}';
  const slice = sliceAt(text, ['a', 'b']);
  expect(slice && text.slice(slice.from, slice.to)).toBe('9007199254740993');
  expect(elementsOf(text, sliceAt(text, ['c']) ?? { from: 0, to: 0 })).toEqual([]);
});

test('a slice of JSON text omits the byte order mark and surrounding space', () => {
  const text = '\uFEFF \n[ "a" , {"b" : [1, "]"] } ]\n';
  const list = sliceAt(text, []);
  expect(elementsOf(text, list ?? { from: 0, to: 0 }).map(({ from, to }) => text.slice(from, to))).toEqual([
    '"a"',
    '{"b" : [1, "]"] }',
  ]);
});
