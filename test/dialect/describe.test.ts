import { describe, expect, it } from 'vitest';
import { describeDialect } from '../../src/dialect/describe.ts';
import { Dialect } from '../../src/dialect/dialect.ts';

describe('describing a dialect', () => {
  it('the description mentions every key of the dialect', () => {
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
          "The record is at /data; its id is at /id, and its name at /legal/name.",
          "A deleted company has a mark at /class: "Deleted".",
          "A new value at /queried_at does not count as a change.",
        ],
        "responses": [
          "HTTP 403 or 429 with /rate/ in the value at /error/message: calls are sent too fast; the mirror waits.",
          "HTTP 200 with "NOT_FOUND" at /error, for a record: the company does not exist.",
          "Any response with a value at /oops: the API failed.",
        ],
        "search": [
          "The parameter q takes a name.",
          "A query finds names if each of its words begins a word in the name.",
          "A query finds only the identifier that equals the query.",
          "A query needs at least 3 characters.",
          "Every search also sends type=company.",
          "The list of results is at /results, and the company at /company of each result.",
          "The id of a result is at /number, and its name at /name.",
          "The number of matching companies is at /count; from 10000 on it means "at least".",
          "A missing list means that nothing was found.",
          "The parameter page takes the page number; the first page has number 0.",
          "A page has 50 rows; the parameter per_page requests this number.",
          "One query can return at most its first 1000 results, over all pages.",
        ],
        "statistics": [
          "The number of companies in the registry is at /companies/total.",
        ],
      }
    `);
  });

  it.each([
    [{ style: 'none' }, 'Each query has only one page.'],
    [
      { style: 'offset', param: 'start', first: 1 },
      "The parameter start takes the offset of a page's first row; the first row has offset 1.",
    ],
    [
      { style: 'cursor', param: 'c', next: '/next', first: '*' },
      'The parameter c takes the cursor that the previous page contains at /next; the first cursor is *.',
    ],
    [
      { style: 'next_url', next: '/links/next' },
      'Each page contains the URL of the next page at /links/next.',
    ],
    [{ style: 'link_header' }, 'The header Link contains the URL of the next page.'],
  ])('the description states how pages are requested: %j', (paging, sentence) => {
    const search = { query_param: 'q', results: '', id: '/id', paging };
    expect(describeDialect(Dialect.parse({ search, entity: { id: '/id' } })).search).toContain(sentence);
  });
});
