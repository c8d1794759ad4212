import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_DEPTH } from '../../src/dialect/response_limits.ts';
import { ExactNumber, type Json, parseJson, stringifyJson } from '../../src/json/json.ts';

describe('a number', () => {
  test.each([
    ['9007199254740993', 9007199254740993n],
    ['-9007199254740993', -9007199254740993n],
    ['9007199254740991', 9007199254740991],
    ['18446744073709551616', 18446744073709551616n],
  ])('parsing keeps the integer %s', (literal, value) => {
    expect(parseJson(literal)).toEqual(value);
    expect(stringifyJson(parseJson(literal))).toBe(literal);
  });

  test.each(['0.1234567890123456789', '123456789012345678.5', '1e400', '1e-400', '-1.7976931348623157e309'])(
    'parsing keeps the digits of the decimal %s',
    (literal) => {
      expect(parseJson(literal)).toEqual(new ExactNumber(literal));
      expect(stringifyJson(parseJson(literal))).toBe(literal);
    },
  );

  test.each([
    ['1.50', 1.5],
    ['1E2', 100],
    ['0.1', 0.1],
    ['1.0000000000000000', 1],
    ['5e-324', 5e-324],
    ['1.7976931348623157e308', Number.MAX_VALUE],
    ['0e10', 0],
    ['0.00000000000000000', 0],
  ])('a number becomes a double if a double can represent %s exactly', (literal, value) => {
    expect(parseJson(literal)).toBe(value);
  });

  test('a number can be negative zero', () => {
    expect(parseJson('-0')).toBe(-0);
    expect(parseJson('[-0.0000000000000000]')).toEqual([-0]);
  });

  test('a number with a million digits is parsed in linear time', () => {
    const many = '7'.repeat(1_000_000);
    const wide = `0.1${'0'.repeat(1_000_000)}1`;
    const startMs = performance.now();
    expect(stringifyJson(parseJson(many))).toBe(many);
    expect(stringifyJson(parseJson(wide))).toBe(wide);
    expect(performance.now() - startMs).toBeLessThan(2000);
  });

  test('a number keeps its value when it is parsed and written', () => {
    const digits = (maxLength: number) =>
      fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength });
    const literal = fc
      .tuple(
        fc.constantFrom('', '-'),
        fc.oneof(
          fc.constant('0'),
          digits(25).map((text) => text.replace(/^0+(?=\d)/, '')),
        ),
        fc.option(digits(25), { nil: null }),
        fc.option(fc.tuple(fc.constantFrom('e', 'E'), fc.constantFrom('', '+', '-'), digits(3)), {
          nil: null,
        }),
      )
      .map(([sign, whole, fraction, exponent]) => {
        const point = fraction === null ? '' : `.${fraction}`;
        return `${sign}${whole}${point}${exponent === null ? '' : exponent.join('')}`;
      });
    fc.assert(
      fc.property(fc.array(literal), (literals) => {
        const text = stringifyJson(parseJson(`{"list":[${literals.join(',')}]}`));
        const back = text.slice('{"list":['.length, -2);
        const found = back === '' ? [] : back.split(',');
        expect(found.map(exactly)).toEqual(literals.map(exactly));
      }),
      { numRuns: 2000 },
    );
  });
});

/**
 * Returns a literal's value as a whole number and a power of ten, without rounding. Equal values produce
 * equal results.
 */
function exactly(literal: string): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(literal);
  if (match === null) throw new Error(`not a number: ${literal}`);
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  let value = BigInt(whole + fraction);
  let power = Number(exponent) - fraction.length;
  if (value === 0n) return '0';
  while (value % 10n === 0n) {
    value /= 10n;
    power += 1;
  }
  return `${sign}${value}e${power}`;
}

describe('a document', () => {
  test("a document keeps a repeated key's last value, even if that value is an exact number", () => {
    expect(parseJson('{"a":1,"b":2,"a":3}')).toEqual({ a: 3, b: 2 });
    expect(parseJson('{"a":1,"a":12345678901234567890}')).toEqual({ a: 12345678901234567890n });
    expect(parseJson('{"a":12345678901234567890,"a":{"b":1}}')).toEqual({ a: { b: 1 } });
    expect(parseJson('{"0":12345678901234567890,"0":98765432109876543210}')).toEqual({
      0: 98765432109876543210n,
    });
  });

  test.each(['{"__proto__":{"gone":true}}', '{"__proto__":{"gone":12345678901234567890}}'])(
    'a document can have __proto__ as a normal key: %s',
    (text) => {
      const value = parseJson(text);
      expect(Object.keys(value as object)).toEqual(['__proto__']);
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
      expect(({} as { gone?: unknown }).gone).toBeUndefined();
      expect(stringifyJson(value)).toBe(text);
    },
  );

  test('a document keeps a lone surrogate', () => {
    expect(parseJson('"\\ud800"')).toBe('\ud800');
    expect(stringifyJson(parseJson('["\\ud800",12345678901234567890]'))).toBe(
      '["\\ud800",12345678901234567890]',
    );
  });

  test('a document can begin with one byte order mark', () => {
    expect(parseJson('\ufeff{"a":1}')).toEqual({ a: 1 });
    expect(() => parseJson('\ufeff\ufeff{}')).toThrow(SyntaxError);
  });

  test.each(['', ' ', '{', '{"a":}', "{'a':1}", '[1,]', 'NaN', '01', '<html>', '{"a":1}{"a":2}', '1_000'])(
    'a document is rejected if it is not valid JSON: %j',
    (text) => {
      expect(() => parseJson(text)).toThrow(SyntaxError);
    },
  );

  test.each([
    ['lists', '[', ']'],
    ['objects', '{"a":', '}'],
    ['both, with numbers that a double cannot represent', '[12345678901234567890,{"a":', '}]'],
  ])('a document can be nested to the limit and no deeper: %s', (_what, open, close) => {
    const levels = open.startsWith('[1') ? 2 : 1;
    const nested = (depth: number) => `${open.repeat(depth / levels)}1${close.repeat(depth / levels)}`;
    expect(stringifyJson(parseJson(nested(MAX_DEPTH)))).toBe(nested(MAX_DEPTH));
    expect(() => parseJson(nested(MAX_DEPTH + levels))).toThrow(/nested deeper/);
    expect(() => parseJson(nested(100_000))).toThrow(SyntaxError);
    expect(() => parseJson(open.repeat(100_000))).toThrow(SyntaxError);
  });

  test('brackets in strings do not count as nesting', () => {
    const text = JSON.stringify({
      a: '[{'.repeat(1000),
      b: `\\"${'['.repeat(1000)}\\`,
      c: '"[['.repeat(500),
    });
    expect(stringifyJson(parseJson(text))).toBe(text);
  });

  test('a document full of quotes and backslashes is parsed in linear time', () => {
    const startMs = performance.now();
    for (const text of [`"${'\\\\'.repeat(500_000)}"`, `"${'\\"'.repeat(500_000)}"`, '"'.repeat(1_000_001)])
      try {
        parseJson(text);
      } catch (error) {
        expect(error).toBeInstanceOf(SyntaxError);
      }
    expect(performance.now() - startMs).toBeLessThan(2000);
  });

  test('a document is written as JSON.stringify would write it', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(stringifyJson(parseJson(text))).toBe(JSON.stringify(JSON.parse(text)));
      }),
      { numRuns: 1000 },
    );
  });

  test('a document can have toJSON as a normal key', () => {
    const value: Json = parseJson('{"toJSON":"x","big":12345678901234567890}');
    expect(stringifyJson(value)).toBe('{"toJSON":"x","big":12345678901234567890}');
  });
});
