import { describe, expect, it } from 'vitest';
import { describeDialect } from '../../src/dialect/describe.ts';
import { Dialect } from '../../src/dialect/dialect.ts';

describe('a dialect in words', () => {
  it('says where a search without a text lists everything', () => {
    const { search } = describeDialect(
      Dialect.parse({
        search: { query_param: 'navn', min_length: 0, paging: { style: 'none' }, results: '', id: '/id' },
        entity: { id: '/id' },
      }),
    );
    expect(search).toContain('A search without navn lists everything.');
  });

  it('says where everything stands', () => {
    const words = describeDialect(
      Dialect.parse({
        search: {
          query_param: 'q',
          extra: { type: 'company' },
          paging: { style: 'page', param: 'page', first: 0, size_param: 'per_page', size: 50, window: 1000 },
          results: '/results',
          item: '/company',
          id: '/number',
          name: '/name',
          total: '/count',
          total_clamped_at: 10000,
          matches: 'token_prefix',
          identifiers: 'exact',
          min_length: 3,
          absent_when_empty: true,
        },
        entity: { root: '/data', id: '/id', name: '/legal/name', gone: { at: '/class', is: 'Deleted' } },
        stats: { total: '/companies/total' },
        volatile: ['/queried_at'],
        responses: [
          { status: [403, 429], at: '/error/message', matches: 'rate', means: 'throttled' },
          { kind: 'entity', status: 200, at: '/error', is: 'NOT_FOUND', means: 'absent' },
          { at: '/oops', means: 'broken' },
        ],
      }),
    );
    expect(words).toMatchInlineSnapshot(`
      {
        "records": [
          "The record is at /data; in it the id is at /id and the name at /legal/name.",
          "A deleted company is marked at /class with "Deleted".",
          "A change at /queried_at counts as no change.",
        ],
        "responses": [
          "HTTP 403 or 429 with /rate/ in the text at /error/message: too fast, ask again later.",
          "HTTP 200 with "NOT_FOUND" at /error, for a record: there is no such company.",
          "Any answer with something at /oops: the API failed.",
        ],
        "search": [
          "Names are asked for with the parameter q.",
          "A query finds the names with words that begin with its words.",
          "Identifiers are found only when they are asked for whole.",
          "A query needs at least 3 characters.",
          "Every search also sends type=company.",
          "The list of results is at /results, each company inside its element at /company.",
          "There the id is at /number and the name at /name.",
          "How many companies a query matches in all stands at /count; from 10000 on it means "at least".",
          "A missing list means that nothing was found.",
          "Pages are turned with page; they start at 0.",
          "A page holds 50 rows, asked for with per_page.",
          "Of one query at most the first 1000 results can be reached.",
        ],
        "statistics": [
          "How many companies the registry holds stands at /companies/total.",
        ],
      }
    `);
  });

  it.each([
    [{ style: 'none' }, 'There is one page only.'],
    [
      { style: 'offset', param: 'start', first: 1 },
      'Pages are turned with start, the position of the first row; positions start at 1.',
    ],
    [
      { style: 'cursor', param: 'c', next: '/next', first: '*' },
      'Pages are turned with c, which takes the cursor that the page before holds at /next; the first is *.',
    ],
    [
      { style: 'next_url', next: '/links/next' },
      'Each page holds the address of the next one at /links/next.',
    ],
    [{ style: 'link_header' }, 'The header Link holds the address of the next page.'],
  ])('says how pages are turned: %j', (paging, sentence) => {
    const search = { query_param: 'q', results: '', id: '/id', paging };
    expect(describeDialect(Dialect.parse({ search, entity: { id: '/id' } })).search).toContain(sentence);
  });
});
