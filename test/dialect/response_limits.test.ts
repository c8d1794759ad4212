import { describe, expect, test } from 'vitest';
import type { Call } from '../../src/call.ts';
import { classify } from '../../src/dialect/classify.ts';
import { readBody } from '../../src/dialect/response_body.ts';
import { MAX_PAGE_ROWS, MAX_REJECTED_ROWS, MAX_VALUES } from '../../src/dialect/response_limits.ts';
import { parseJson } from '../../src/json/json.ts';
import type { SearchAnswer } from '../../src/outcome.ts';
import { dialectWith } from '../support/loader_dialect.ts';

const repeated = (text: string, count: number) => new Array(count).fill(text).join(',');
const SEARCH: Call = {
  kind: 'search',
  query: { by: 'name', text: 'a' },
  page: { index: 0, next: null },
  reason: 'test',
  expected: 1,
};

function verdictOn(body: string | Buffer, headers: Record<string, string> = {}) {
  const reply = { status: 200, headers, body: Buffer.from(body as string) };
  return classify(dialectWith(), SEARCH, reply, { nowMs: 0, keyHasWorked: true });
}

const page = (items: readonly string[]) => `{"results":[${items.join(',')}]}`;

describe('the limit on values', () => {
  test.each([
    ['numbers', '1', 1],
    ['empty objects', '{}', 1],
    ['empty lists', '[]', 1],
    ['strings with commas and brackets', '"[,{,"', 1],
    ['objects with one key', '{"a":1}', 2],
    ['lists with one number', '[1]', 2],
  ])('the parser permits %s up to the limit on values and rejects more', (_what, item, valuesEach) => {
    // The list that contains them counts as a value too.
    const most = Math.floor((MAX_VALUES - 1) / valuesEach);
    expect(parseJson(`[${repeated(item, most)}]`)).toHaveLength(most);
    expect(() => parseJson(`[${repeated(item, most + valuesEach)}]`)).toThrow('has more than 500,000 values');
  });

  test('the parser stops at the limit on values, before invalid text that follows', () => {
    expect(() => parseJson(`[${repeated('{}', MAX_VALUES)},oops`)).toThrow('has more than 500,000 values');
  });

  test.each(['utf-8', 'utf-16le', 'iso-8859-1'] as const)(
    'the limit on values applies to a body in %s',
    (charset) => {
      const text = `[${repeated('{}', MAX_VALUES)}]`;
      const bytes = Buffer.from(
        text,
        charset === 'iso-8859-1' ? 'latin1' : charset === 'utf-16le' ? 'utf16le' : 'utf8',
      );
      expect(readBody(bytes, `application/json; charset=${charset}`)).toMatchObject({
        json: undefined,
        exceedsLimit: true,
        flaw: 'the body has more than 500,000 values',
      });
    },
  );

  test('a response with too many values is permanently broken, unlike an incomplete response', () => {
    expect(verdictOn(`{"results":[${repeated('{}', MAX_VALUES)}]}`)).toEqual({
      is: 'broken',
      why: 'HTTP 200, but the body has more than 500,000 values',
      isLasting: true,
    });
    expect(verdictOn('{"results":[')).not.toHaveProperty('isLasting');
  });
});

describe('the limits on a search page', () => {
  test(`a page of ${MAX_PAGE_ROWS} results is accepted and a longer page is rejected`, () => {
    const items = Array.from({ length: MAX_PAGE_ROWS }, (_, at) => `{"id":"${at}"}`);
    const { answer } = verdictOn(page(items)) as { answer: SearchAnswer };
    expect(answer.rows).toHaveLength(MAX_PAGE_ROWS);
    expect(verdictOn(page([...items, '{}']))).toMatchObject({
      is: 'broken',
      why: 'HTTP 200, but one page has 100,001 results, but the maximum is 100,000',
    });
  });

  test('a few rejected results get one entry each', () => {
    const items = ['{"id":"1"}', ...new Array(MAX_REJECTED_ROWS).fill('{}')];
    const { answer } = verdictOn(page(items)) as { answer: SearchAnswer };
    expect(answer.rejected.map(({ position }) => position)).toEqual(items.slice(1).map((_, at) => at + 1));
  });

  test('many rejected results share one entry, which states their number and the first positions', () => {
    const items = ['{"id":"1"}', ...new Array(2000).fill('{}')];
    const { answer } = verdictOn(page(items)) as { answer: SearchAnswer };
    expect(answer).toMatchObject({
      rows: [{ entityId: '1' }],
      rejected: [
        {
          position: null,
          why: '2,000 of 2,001 results are not usable (positions 1, 2, 3, 4, 5, …): no id at /id: found nothing',
        },
      ],
    });
  });
});
