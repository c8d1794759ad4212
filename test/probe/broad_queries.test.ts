import { describe, expect, it } from 'vitest';
import { probeBreadth } from '../../src/probe/broad_queries.ts';
import type { Conclusions, SearchConclusions } from '../../src/probe/conclusions.ts';
import { searchPage } from '../support/probe_exchanges.ts';

/** Returns the broad query for a prefix search after a search that found these names. */
function broadQueryAfter(names: readonly string[], emptyQueries: readonly string[] = []): string | undefined {
  const known = names.map((name, at) => ({ id: String(at), name }));
  const draft = probeBreadth(
    {
      ...{ query: { searches: [] }, queryParam: { value: 'q' }, minQueryChars: 1, registrySize: 300 },
    } as unknown as Conclusions,
    {
      ...{
        known,
        pages: [
          { ...searchPage('in', known), rows: known },
          ...emptyQueries.map((query) => searchPage(query, [])),
        ],
        size: { param: { value: null } },
      },
      queryRule: { value: null, possible: ['prefix', 'token_prefix'] },
    } as unknown as SearchConclusions,
  );
  return draft?.params[0]?.[1];
}

describe('a query with many matches', () => {
  it('the query is the most frequent first letter of the known names', () => {
    expect(broadQueryAfter(['Inver Ltd', 'Birch Ltd', 'Baker Ltd'])).toBe('b');
  });

  it('the query is another letter if all known names begin in the same way', () => {
    expect(broadQueryAfter(['Inver Ltd', 'Invest Ltd'])).toBe('a');
  });

  it('the query has several letters if a frequent letter has no matches', () => {
    const names = ['Inver Ltd', 'Invest Ltd'];
    expect(broadQueryAfter(names, ['z'])).toBe('a');
    expect(broadQueryAfter(names, ['a'])).toBe('the');
  });
});
