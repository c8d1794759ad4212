import { describe, expect, it } from 'vitest';
import { parseJson } from '../../src/json/json.ts';
import { type ErrorReading, readError } from '../../src/probe/errors.ts';
import type { Param, ProbeExchange } from '../../src/probe/exchange.ts';
import { FORMATS, LANGUAGES, type Mistake, sentenceOf } from '../bench/probe/strict_messages.ts';

/** Reads the error about these mistakes in each format and language. */
function readingsOf(mistakes: readonly Mistake[], params: readonly Param[]): [string, ErrorReading][] {
  return Object.keys(FORMATS).flatMap((format) =>
    Object.keys(LANGUAGES).map((language): [string, ErrorReading] => {
      const body =
        FORMATS[format]?.(mistakes, (mistake) => sentenceOf(mistake, language), '/api/search').body ?? '';
      return [`${format} in ${language}`, readingOf(body, params)];
    }),
  );
}

function readingOf(body: string, params: readonly Param[]): ErrorReading {
  const json = /^[[{]/.test(body) ? parseJson(body) : undefined;
  const request = { kind: 'search', path: '/api/search', params, why: '' } as const;
  const exchange: ProbeExchange = { request, status: 400, headers: {}, json, text: body, reading: 'refused' };
  return readError(exchange);
}

/** Returns the formats whose reading does not meet a condition. */
const failing = (readings: [string, ErrorReading][], isRight: (reading: ErrorReading) => boolean) =>
  readings.filter(([, reading]) => !isRight(reading)).map(([format]) => format);

describe('an error in any format and language', () => {
  it('an error about a missing parameter names it', () => {
    const readings = readingsOf([{ is: 'missing', name: 'lookup', values: null }], [['q', 'co']]);
    expect(failing(readings, ({ missing }) => missing.join() === 'lookup')).toEqual([]);
  });

  it('the word param in an error is no parameter', () => {
    const { missing } = readingOf('{"error":"param is missing or the value is empty: q"}', []);
    expect(missing).not.toContain('param');
  });

  it('a list of parameters can include ordinary words such as "name"', () => {
    const message = 'Too many results. Please add at least one filter: name, address, postcode or rankKey.';
    const { missing, listed } = readingOf(JSON.stringify({ message }), []);
    expect([...missing, ...listed]).toContain('name');
  });

  it('an error about a missing parameter gives its permitted values', () => {
    const readings = readingsOf(
      [{ is: 'missing', name: 'jurisdiction', values: ['gb', 'ie'] }],
      [['lookup', 'co']],
    );
    expect(failing(readings, ({ values }) => values.get('jurisdiction')?.join() === 'gb,ie')).toEqual([]);
  });

  it('an error about an unknown parameter names it, except in the one format without names', () => {
    const readings = readingsOf(
      [{ is: 'unknown', name: 'limit', values: null }],
      [
        ['lookup', 'co'],
        ['limit', '2'],
      ],
    );
    const failed = failing(readings, ({ named }) => [...named].join() === 'limit');
    expect(failed.every((format) => format.startsWith('fastify '))).toBe(true);
  });

  it('an error that lists the permitted parameters gives all of them', () => {
    const allowed = ['recherche', 'anzahl', 'seite'];
    const readings = readingsOf(
      [{ is: 'unknown', name: 'limit', values: allowed }],
      [
        ['recherche', 'co'],
        ['limit', '2'],
      ],
    );
    expect(failing(readings, ({ listed }) => allowed.every((name) => listed.includes(name)))).toEqual([]);
  });

  it('an error about a short query or a large page gives the limit as a number', () => {
    const short = readingsOf([{ is: 'short', name: 'lookup', length: 3 }], [['lookup', 'co']]);
    const large = readingsOf([{ is: 'large', name: 'anzahl', maximum: 100 }], [['anzahl', '1000']]);
    expect(failing(short, ({ numbers }) => numbers.includes(3))).toEqual([]);
    expect(failing(large, ({ numbers }) => numbers.includes(100))).toEqual([]);
  });
});

describe('an error of a public API', () => {
  const sent = (names: string): Param[] => names.split(' ').map((name) => [name, 'x']);

  it.each([
    [
      'The following parameters are not valid: query, name, limit',
      'q query name limit size',
      ['query', 'name', 'limit'],
    ],
    [
      'contains unrecognized parameters: [filter[name]], [search] -> did you mean [sort]?, [term]',
      'q filter[name] search term',
      ['filter[name]', 'search', 'term'],
    ],
    ['Unrecognized arguments [$search, $top]', '$q $search $top', ['$search', '$top']],
    ['De volgende opgegeven parameter(s) is(zijn) ongeldig: q, limit', 'q limit naam', ['q', 'limit']],
  ])('the error "%s" names only refused parameters', (message, names, refused) => {
    const { named, missing } = readingOf(JSON.stringify({ message }), sent(names));
    expect([...named].sort()).toEqual([...refused].sort());
    expect(missing).toEqual([]);
  });

  it('an error under the name of a parameter requires that parameter', () => {
    const body = { error: { __type: 'Validation Error', resource_id: ['Missing value'] }, success: false };
    expect(readingOf(JSON.stringify(body), []).missing).toEqual(['resource_id']);
  });
});

describe('words in an error', () => {
  const params: Param[] = [
    ['q', 'limited'],
    ['limit', '2'],
  ];

  it('a value that an error repeats is no parameter', () => {
    const { missing } = readingOf(
      '{"error":{"message":"Invalid filter: could not parse \\"OAK\\". Expected a restriction."}}',
      [['filter', 'OAK']],
    );
    expect(missing).toEqual([]);
  });

  it('words of a sentence are no parameters', () => {
    for (const text of [
      'The given parameters do not match any of the allowed sets.',
      'The given parameter does not match.',
      'unexpected "L" expecting "(", "N" or "R"',
      'unexpected "L" expecting one of: "L", "N", "R"',
    ]) {
      const { missing, listed, values } = readingOf(JSON.stringify({ message: text }), params);
      expect([...missing, ...listed, ...values.keys()], text).toEqual([]);
    }
  });

  it.each([
    ['Не указан обязательный параметр string', 'string'],
    ['缺少参数keyword', 'keyword'],
    ['検索条件 search.name を指定してください', 'search.name'],
  ])('in a text that is not in Latin letters, a Latin word is a parameter: %s', (message, name) => {
    expect(readingOf(JSON.stringify({ message }), []).missing).toEqual([name]);
    expect([...readingOf(JSON.stringify({ message }), [[name, '5']]).named]).toEqual([name]);
  });

  it('a sentence that a body repeats has one limit', () => {
    const text = 'The name field must be at least 3 characters.';
    expect(readingOf(JSON.stringify({ message: text, errors: { name: [text] } }), []).numbers).toEqual([3]);
  });

  it('a list of parameters in the body names them, not its key', () => {
    const body = { code: 'REQUIRED_PARAM_MISSING', details: { param_names: ['criteria', 'phone', 'word'] } };
    const { missing, listed } = readingOf(JSON.stringify(body), params);
    expect([...missing, ...listed]).toEqual(['criteria', 'phone', 'word']);
  });

  it('a member whose value is a sent parameter names it', () => {
    const body = {
      message: [{ type: 'parameter-not-allowed', value: 'q', message: 'This is not supported' }],
    };
    expect([...readingOf(JSON.stringify(body), params).named]).toEqual(['q']);
  });

  it('a single permitted value is no parameter', () => {
    const body = { issues: [{ path: ['country'], message: 'Required. Expected one of "NL"' }] };
    const { missing, values } = readingOf(JSON.stringify(body), params);
    expect(missing).toEqual(['country']);
    expect(values.get('country')).toEqual(['NL']);
  });

  it('an error about a name with brackets does not name the word in the brackets', () => {
    const { named } = readingOf('{"message":"This route does not support page[offset]"}', [
      ['page[offset]', '1'],
      ['offset', '1'],
    ]);
    expect([...named]).toEqual(['page[offset]']);
  });
});
