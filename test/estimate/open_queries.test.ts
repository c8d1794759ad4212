import { describe, expect, it } from 'vitest';
import { openQueries } from '../../src/estimate/open_queries.ts';
import type { QueryState } from '../../src/knowledge.ts';
import { dialectWith, listed, named } from '../support/estimate_knowledge.ts';

const KNOWN = named('Acme Trading Limited', 'Baker Limited', 'Cedar Holdings Limited', 'Acme Foods');

describe('an open query', () => {
  it("an open query's share of the missing companies is computed from its total", () => {
    const [limited] = open([stopped('limited', 43)]);
    // 40 of the query's 43 companies are missing, and 100 companies are missing in total.
    expect(limited).toMatchObject({ position: 'last', share: 0.4 });
    expect(limited?.words).toEqual(['limited', 'limited', 'limited']);
  });

  it('an open query without a total matches the default share of the missing companies', () => {
    expect(open([stopped('acme', null)])).toMatchObject([{ position: 'first', share: 0.25 }]);
  });

  it('complete listings, and queries without a known match, are not open', () => {
    expect(open([listed('name', 'limited', 3), stopped('zebra', 10)])).toEqual([]);
  });
});

function open(queries: readonly QueryState[]) {
  const dialect = dialectWith({ semantics: 'token' });
  return openQueries({ known: KNOWN, queries, dialect, missing: 100, defaultShare: 0.25 });
}

function stopped(text: string, total: number | null): QueryState {
  return { ...listed('name', text, total), status: 'open', rows: 3 };
}
