import { expect, test } from 'vitest';
import { queryKey, type SearchCall } from '../../../src/call.ts';
import type { QueryState } from '../../../src/knowledge.ts';
import { noChange } from '../../../src/load_result.ts';
import { Discovery } from '../../../src/plan/discovery/discovery.ts';
import { SCRIPT_LEGAL_FORMS, SCRIPT_WORDS } from '../../../src/plan/discovery/seeds.ts';
import { Pending } from '../../../src/plan/pending.ts';
import { dialectWith } from '../../support/estimate_knowledge.ts';
import { openListing, taken } from '../../support/open_listing.ts';
import { MemoryMirror } from '../../support/simulation/memory_knowledge.ts';
import type { Page, RegistrySettings } from '../../support/simulation/registry.ts';
import { searchesThatFound } from '../../support/simulation/searches_that_found.ts';

const NOW_MS = 5000;
/** The limit for 100 missing companies is 120 + 10 · √100. */
const LIMIT = 220;

interface Given {
  /** The registry count. By default, 100 more than the number of known companies. */
  readonly total?: number | null;
  readonly settings?: Partial<RegistrySettings>;
  /** Whether the dialect leaves the query rule undefined. */
  readonly isRuleUnknown?: boolean;
  readonly states?: readonly QueryState[];
  /** How many searches in a row have found no company. */
  readonly emptySearches?: number;
}

/** Discovery after earlier runs that found companies with these names. */
function discoveryOf(names: readonly string[], given: Given = {}) {
  const { total = names.length + 100, settings = {}, isRuleUnknown, states = [], emptySearches = 0 } = given;
  const mirror = new MemoryMirror();
  for (const [at, name] of names.entries()) mirror.add({ id: `00${100 + at}`, name });
  mirror.stats = { observedAtMs: 1, total };
  for (const state of states) mirror.queryStates.set(queryKey(state.query), state);
  mirror.latestSearches = () => searchesThatFound([...zeros(emptySearches), 1, ...zeros(1000)]);
  const pending = new Pending([]);
  const { search, ...others } = dialectWith(settings);
  const dialect = { ...others, search: { ...search, ...(isRuleUnknown && { matches: 'unknown' as const }) } };
  const discovery = new Discovery({ knowledge: mirror, dialect, pending, startedAtMs: NOW_MS });
  const choose = (most = 1) => taken(most, () => discovery.next(NOW_MS));
  const textsOf = (calls: readonly SearchCall[]) => calls.map(({ query }) => query.text);
  /** Makes the next call and learns from the page. */
  const respond = (pageOf: (query: string) => Partial<Page>) => {
    const [call] = choose();
    if (call === undefined) throw new Error('no call');
    pending.landed(call);
    const empty: Page = {
      size: 20,
      rows: [],
      total: null,
      refused: false,
      more: false,
      cut: false,
      clamped: false,
    };
    discovery.learn(mirror.loadSearch(call, { ...empty, ...pageOf(call.query.text) }, NOW_MS));
    return call;
  };
  return { discovery, mirror, pending, choose, respond, next: (most?: number) => textsOf(choose(most)) };
}

const zeros = (count: number) => Array<number>(count).fill(0);
const NAMES = ['abel', 'acme', 'bank', 'cafe', 'dune'];

test('discovery sends no search if every company is known and ten searches have confirmed it', () => {
  expect(discoveryOf(NAMES, { total: 5, emptySearches: 10 }).next()).toEqual([]);
  expect(discoveryOf(NAMES, { total: 6, emptySearches: 10 }).next()).not.toEqual([]);
  expect(discoveryOf(NAMES, { total: 5, emptySearches: 9 }).next()).not.toEqual([]);
});

test('discovery searches identifiers first if the upstream searches them by prefix', () => {
  const bysOf = (identifiers: RegistrySettings['identifiers']) =>
    discoveryOf(NAMES, { settings: { identifiers } })
      .choose(3)
      .map(({ query }) => query.by);
  expect(new Set(bysOf('prefix'))).toEqual(new Set(['identifier']));
  expect(new Set(bysOf('none'))).toEqual(new Set(['name']));
});

/** The state of a query whose listing is complete. */
function complete(text: string, rows = 0, by: 'name' | 'identifier' = 'name'): QueryState {
  return { ...openListing(text, { total: rows, rows, status: 'complete' }), query: { by, text } };
}

test('after 20 empty searches, discovery prefers names if they yield four times as much as identifiers', () => {
  const bysAfter = (emptySearches: number, lettersLeft: string) => {
    const states = [...'123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ']
      .filter((text) => !lettersLeft.includes(text))
      .map((text) => complete(text, 0, 'identifier'));
    states.push(complete('0', 5, 'identifier'));
    return discoveryOf(NAMES, { settings: { identifiers: 'prefix' }, states, emptySearches }).choose()[0]
      ?.query;
  };
  expect(bysAfter(19, 'Z')).toEqual({ by: 'identifier', text: 'Z' });
  expect(bysAfter(20, 'Z')?.by).toBe('name');
  // All known identifiers begin with `0`, and the digits are as likely as before.
  expect(bysAfter(20, '123456789')?.by).toBe('identifier');
});

test('discovery searches names before identifiers while the empty query lists every company', () => {
  const settings = { identifiers: 'prefix', minLength: 0 } as const;
  const first = (states: readonly QueryState[]) => discoveryOf(NAMES, { settings, states }).choose()[0];
  expect(first([])?.query).toEqual({ by: 'name', text: '' });
  expect(first([openListing('', { total: 105 })])).toMatchObject({
    query: { by: 'name', text: '' },
    page: { index: 1 },
  });
  expect(first([complete('', 5)])?.query).toEqual({ by: 'identifier', text: '0' });
});

test('discovery searches identifiers before the empty query if their best prefix has a higher yield', () => {
  const names = Array.from({ length: 95 }, (_, at) => `name ${at}`);
  // 10 of the 85 companies that the empty query has not listed yet are unseen.
  const states = [openListing('', { total: 105 }), complete('0', 95, 'identifier')];
  const listing = {
    ...openListing('A', { total: 40, rows: 0 }),
    query: { by: 'identifier', text: 'A' },
  } as const;
  const firstWith = (...further: QueryState[]) => {
    const given = { total: 105, settings: { identifiers: 'prefix', minLength: 0 } } as const;
    return discoveryOf(names, { ...given, states: [...states, ...further] }).choose()[0]?.query;
  };
  expect(firstWith()).toEqual({ by: 'name', text: '' });
  expect(firstWith(listing)).toEqual({ by: 'identifier', text: 'A' });
});

const DUE_SENT = [
  ...'acsmbpetdgrhilnfwkjovuzyxq1234567890&\'"(#@+.-!*$/[:?%=,~_<;>)\\]^{|}`',
  ...SCRIPT_WORDS.map((word) => word.slice(0, 1)),
  ...SCRIPT_LEGAL_FORMS,
].map((text) => complete(text, NAMES.filter((name) => name.startsWith(text)).length));

test('discovery ends at the limit on empty searches, and resumes after the registry count changes', () => {
  const { next } = discoveryOf(NAMES, { states: DUE_SENT, emptySearches: LIMIT - 1 });
  expect(next()).not.toEqual([]);
  const given = discoveryOf(NAMES, { states: DUE_SENT, emptySearches: LIMIT });
  expect(given.next()).toEqual([]);
  given.mirror.stats = { observedAtMs: 2, total: 106 };
  expect(given.next()).not.toEqual([]);
});

test('for a large script with an open alphabet, the limit on empty searches is at least the number of known companies', () => {
  // The limit for one missing company is 120 + 10 · √1.
  const isOverAfter = (
    emptySearches: number,
    from: number,
    semantics: RegistrySettings['semantics'] = 'prefix',
  ) => {
    const names = Array.from({ length: 230 }, (_, at) => String.fromCodePoint(from + at));
    const given = { total: 231, states: DUE_SENT, emptySearches, settings: { semantics } };
    return discoveryOf(names, given).next().length === 0;
  };
  const [hanzi, cyrillic] = [0x4e00, 0x430];
  expect([isOverAfter(229, hanzi), isOverAfter(230, hanzi)]).toEqual([false, true]);
  expect([isOverAfter(129, cyrillic), isOverAfter(130, cyrillic)]).toEqual([false, true]);
  expect(isOverAfter(229, hanzi, 'token_prefix')).toBe(false);
  expect(isOverAfter(229, hanzi, 'substring')).toBe(false);
});

test('without a registry count, discovery ends at the limit for the estimated unseen count', () => {
  // 20 companies are estimated to be unseen, and 120 + 10 · √20 = 164.7.
  const nextAfter = (emptySearches: number) =>
    discoveryOf(NAMES, { total: null, states: DUE_SENT, emptySearches }).next();
  expect(nextAfter(164)).not.toEqual([]);
  expect(nextAfter(165)).toEqual([]);
});

test('a search that finds a company restarts the count of empty searches, and a failed search does not count', () => {
  const given = discoveryOf(NAMES, { states: DUE_SENT, emptySearches: LIMIT - 1 });
  const [call] = given.choose();
  if (call === undefined) throw new Error('no call');
  given.pending.landed(call);
  given.discovery.learn(noChange({ call, verdict: { is: 'broken' } }));
  expect(given.choose()).toEqual([call]);
  given.pending.landed(call);
  given.discovery.release(call);
  expect(given.respond(() => ({ rows: [{ id: '1', name: 'ømann' }], total: 1 }))).toEqual(call);
  expect(given.next()).not.toEqual([]);
});

test.each([true, false])(
  'pages with matches inside words change the query rule only if it is unknown: %s',
  (isRuleUnknown) => {
    // No word of these names begins with `q`, but each name contains it.
    const names = [...'abcdeghi'].map((first) => `${first}qqq`);
    const given = { settings: { semantics: 'token_prefix' }, isRuleUnknown } as const;
    const { respond } = discoveryOf(names, given);
    const texts = Array.from({ length: 6 }, (_, at) => {
      const page = (query: string) => ({ total: 1, rows: [{ id: `9${at}`, name: `zq${query}` }] });
      return respond(page).query.text;
    });
    expect(texts.slice(0, 3)).not.toContain('q');
    expect(texts.includes('q')).toBe(isRuleUnknown);
  },
);

test('an earlier search by identifier is no evidence of a clamp if identifiers are not searched', () => {
  const states = [{ ...openListing('0', { total: 50 }), query: { by: 'identifier' as const, text: '0' } }];
  expect(discoveryOf(NAMES, { states, emptySearches: 10 }).next()).toHaveLength(1);
});

test('the next pages of a listing follow its first page', () => {
  const { respond, choose } = discoveryOf(NAMES);
  const { query } = respond(() => ({ total: 60, more: true, rows: listOf(20) }));
  expect(choose(20)).toContainEqual(expect.objectContaining({ query, page: { index: 1, next: null } }));
});

test("an unknown company's record is counted in the open query trees", () => {
  const { choose, discovery, mirror, pending } = discoveryOf(NAMES, { total: 6, emptySearches: 0 });
  for (const call of choose(50)) pending.landed(call);
  const call = { kind: 'entity', entityId: '00999', reason: 'new record', expected: 1 } as const;
  const rows = [{ entityId: '00999', name: 'echo', isNew: true, changed: false }];
  mirror.add({ id: '00999', name: 'echo' });
  discovery.learn({ ...noChange({ call, verdict: { is: 'ok' } }), rows });
  // A search that only confirms the reached count is expected to find almost nothing.
  const expected = choose().map((one) => one.expected);
  expect(Math.max(...expected)).toBeLessThan(0.01);
});

function listOf(count: number) {
  return Array.from({ length: count }, (_, at) => ({ id: `7${at}`, name: `${at} company` }));
}

test('a listing is read beyond the registry count while most of its companies are new', () => {
  const { respond, next } = discoveryOf(NAMES, { total: NAMES.length + 2 });
  const rows = ['Zulu One', 'Zulu Two'].map((name, at) => ({ id: `9${at}`, name }));
  const { query } = respond(() => ({ rows, total: 40, size: 2, more: true }));
  expect(next()).toEqual([query.text]);
});
