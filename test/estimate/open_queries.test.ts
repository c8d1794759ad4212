import { describe, expect, it } from 'vitest';
import { openQueries } from '../../src/estimate/open_queries.ts';
import type { QueryState } from '../../src/knowledge.ts';
import { dialectWith, listed, named } from '../support/estimate_knowledge.ts';

const KNOWN = named('Acme Trading Limited', 'Baker Limited', 'Cedar Holdings Limited', 'Acme Foods');

describe('a text by which there are more companies', () => {
  it('is had by as many of the missing as its total says', () => {
    const [limited] = open([stopped('limited', 43)]);
    // 43 in all, of which three are known, among 100 that are missing.
    expect(limited).toMatchObject({ position: 'last', share: 0.4 });
    expect(limited?.words).toEqual(['limited', 'limited', 'limited']);
  });

  it('is had by the share supposed where no total is stated', () => {
    expect(open([stopped('acme', null)])).toMatchObject([{ position: 'first', share: 0.25 }]);
  });

  it('is none that was listed to its end, and none that nobody known has', () => {
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
