import { describe, expect, it } from 'vitest';
import { findNextPageLink } from '../../src/probe/pages.ts';
import { searchExchange } from '../support/probe_exchanges.ts';

describe('a next-page link', () => {
  it.each([
    [{ links: { next: 'https://r.example/api/search?q=a&page=2' } }, 'next_url', '/links/next'],
    [{ paging: { next_cursor: 'abc' } }, 'cursor', '/paging/next_cursor'],
    [{ page: { nextPageToken: 'abc' } }, 'cursor', '/page/nextPageToken'],
  ])('a next-page link is found in %j', (body, is, at) => {
    expect(findNextPageLink([searchExchange(body)])).toMatchObject({ is, at });
  });

  it.each([{ links: { next: null, previous: 'x', last: '/y' } }, { has_next: true }, { results: [] }])(
    'no next-page link is found in %j',
    (body) => {
      expect(findNextPageLink([searchExchange(body)])).toBeNull();
    },
  );
});
