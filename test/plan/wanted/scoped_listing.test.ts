import { expect, test } from 'vitest';
import { generateRegistry } from '../../../data/generate.ts';
import type { SearchCall, SearchQuery } from '../../../src/call.ts';
import type { BackfillKnowledge, Knowledge, ListedCompany } from '../../../src/knowledge.ts';
import { Pending } from '../../../src/plan/pending.ts';
import { ScopedListing } from '../../../src/plan/wanted/scoped_listing.ts';
import { dialectOf, START_MS } from '../../support/simulation/discover.ts';
import { MemoryMirror } from '../../support/simulation/memory_knowledge.ts';
import { PLAIN, Registry, type RegistrySettings } from '../../support/simulation/registry.ts';

const COMPANIES = [...generateRegistry({ companies: 3_000, seed: 50 })];

test.each([
  ['prefix', 'identifier', '000', 250],
  ['prefix', 'name', 'n', 60],
  ['token_prefix', 'name', 'li', 400],
  ['substring', 'name', 'an', 200],
] as const)(
  'a truncated prefix is split until every company is listed: %s, %s %s',
  (semantics, by, text, most) => {
    const scope = open({ semantics, identifiers: 'prefix', window: 100 }, { by, text }, true);
    const calls = scope.list();
    expect(scope.listing.total).toBeGreaterThan(100);
    expect(scope.listing.found.size).toBe(scope.listing.total);
    expect(scope.listing.isDone).toBe(true);
    expect(calls.length).toBeLessThan(most);
  },
);

test('a truncated query that is not split is listed up to the cap', () => {
  const scope = open({ semantics: 'token_prefix', window: 100 }, { by: 'name', text: 'li' }, false);
  const calls = scope.list();
  expect(calls.map(({ page }) => page.index)).toEqual([0, 1, 2, 3, 4]);
  expect(scope.listing.isDone).toBe(true);
  expect(scope.listing.found.size).toBe(100);
});

test('a call that was not sent is planned again', () => {
  const scope = open({ semantics: 'prefix', window: 20 }, { by: 'name', text: 'n' }, true);
  scope.list(1);
  const call = scope.listing.next(0) as SearchCall;
  scope.pending.landed(call);
  scope.listing.release(call);
  expect(scope.listing.next(0)?.query).toEqual(call.query);
});

test('a listing continues from stored responses', () => {
  const scope = open({ semantics: 'prefix', window: 20 }, { by: 'name', text: 'n' }, true);
  const before = scope.list(10);
  const resumed = open({ semantics: 'prefix', window: 20 }, { by: 'name', text: 'n' }, true, scope);
  const after = resumed.list();
  const repeated = after.filter(({ query, page }) =>
    before.some((one) => one.query.text === query.text && one.page.index === page.index),
  );
  expect(repeated).toEqual([]);
  expect(resumed.listing.found.size).toBe(resumed.listing.total);
});

function open(
  settings: Partial<RegistrySettings>,
  query: { readonly by: 'name' | 'identifier'; readonly text: string },
  splits: boolean,
  before: Pick<BackfillKnowledge, 'queries' | 'listed'> = { queries: () => [], listed: () => [] },
) {
  const registry = new Registry(COMPANIES, { ...PLAIN, pageSize: 20, ...settings });
  const plain = dialectOf(registry.settings);
  const dialect = { ...plain, search: { ...plain.search, identifier_param: 'id' } };
  const mirror = new MemoryMirror(START_MS);
  const pending = new Pending([]);
  const rows = new Map<string, ListedCompany[]>();
  const knowledge = { ...(mirror as Knowledge), ...before } as BackfillKnowledge;
  const states = [...before.queries()];
  const listing = new ScopedListing(
    { query, splits },
    { knowledge, dialect, pending, states, onFound: () => {} },
  );
  return {
    listing,
    pending,
    queries: () => mirror.queries(),
    listed: ({ text }: SearchQuery) => rows.get(text) ?? [],
    list(most = Number.POSITIVE_INFINITY): SearchCall[] {
      const calls: SearchCall[] = [];
      while (calls.length < most) {
        const call = listing.next(0);
        if (call === null) break;
        calls.push(call);
        const result = mirror.loadSearch(call, registry.search(call.query, call.page.index), 0);
        pending.landed(call);
        rows.set(call.query.text, [...(rows.get(call.query.text) ?? []), ...result.rows]);
        listing.learn(result);
      }
      return calls;
    },
  };
}
