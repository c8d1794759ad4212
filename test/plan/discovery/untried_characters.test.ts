import { expect, test } from 'vitest';
import { type Call, type CallKind, type SearchQuery, targetOf } from '../../../src/call.ts';
import { noChange } from '../../../src/load_result.ts';
import {
  ASCII_PUNCTUATION,
  CHARACTER_GROUPS,
  DIGITS,
  scriptOf,
} from '../../../src/plan/discovery/first_characters.ts';
import { characterSeeds } from '../../../src/plan/discovery/query_seeds.ts';
import { openSyncPlanner } from '../../../src/plan/sync_planner.ts';
import { latinCompanies } from '../../bench/simulation/first_characters.ts';
import { dialectOf, discover } from '../../support/simulation/discover.ts';
import { answer, MemoryMirror } from '../../support/simulation/memory_knowledge.ts';
import { type Company, foldedName, type Page, PLAIN, Registry } from '../../support/simulation/registry.ts';

const FIRSTS = ['#', '(', "'", '"', '&', '@', '1', '~'];
const UNTIL_NOTHING_IS_DUE = { mostCalls: 10_000, enough: Number.POSITIVE_INFINITY };
const SIZES = [300, 1_000, 5_000];
const DAY_MS = 86_400_000;
const SETTINGS = {
  maxAge: { statsMs: 7 * DAY_MS, summariesMs: 3000 * DAY_MS, recordsMs: 9000 * DAY_MS },
  focus: 'coverage' as const,
  kinds: new Set<CallKind>(['stats', 'search']),
  scope: { of: 'whole' as const },
  startedAtMs: 0,
};
const NO_MATCH = { rows: [], total: 0, refused: false, clamped: false, cut: false, more: false };

/** A registry whose words end only at spaces, so `#` is part of the word `#acme`. */
class SpacedRegistry extends Registry {
  readonly #all: readonly Company[];

  constructor(...[companies, settings]: ConstructorParameters<typeof Registry>) {
    super(companies, settings);
    this.#all = companies;
  }

  override matches({ text }: SearchQuery): readonly number[] {
    const wanted = foldedName(text).split(' ').filter(Boolean);
    const isWhole = this.settings.semantics === 'token';
    return [...this.#all.keys()].filter((at) => {
      const words = foldedName(this.#all[at]?.name ?? '').split(' ');
      return wanted.every((one) => words.some((word) => (isWhole ? word === one : word.startsWith(one))));
    });
  }
}

/** A registry that reports one more company than its queries match. */
class OvercountingRegistry extends Registry {
  override get size(): number {
    return super.size + 1;
  }
}

test.each(SIZES)('a name prefix search finds all of %i names, whatever their first characters', (size) => {
  for (const window of [null, 100]) {
    const companies = latinCompanies(size, FIRSTS);
    const { mirror } = discover(new Registry(companies, { ...PLAIN, window }), UNTIL_NOTHING_IS_DUE);
    expect(missedBy(mirror, companies)).toEqual([]);
  }
});

test.each(SIZES)('a substring search finds all of %i names, including names without letters', (size) => {
  const companies = latinCompanies(size, []).map((one, at) =>
    at < FIRSTS.length ? { ...one, name: `${FIRSTS[at]}${FIRSTS[at]}` } : one,
  );
  const settings = { ...PLAIN, semantics: 'substring', pageSize: 100 } as const;
  const { mirror } = discover(new Registry(companies, settings), UNTIL_NOTHING_IS_DUE);
  expect(missedBy(mirror, companies)).toEqual([]);
});

test.each(SIZES)('a word prefix search finds all of %i names if words can contain punctuation', (size) => {
  const companies = withWords(size, (first) => `${first}Xyzzy`);
  const settings = { ...PLAIN, semantics: 'token_prefix', pageSize: 100 } as const;
  const { mirror } = discover(new SpacedRegistry(companies, settings), UNTIL_NOTHING_IS_DUE);
  expect(missedBy(mirror, companies)).toEqual([]);
});

test.each(SIZES)('a whole word search finds all of %i names if punctuation is a word', (size) => {
  const companies = withWords(size, (first) => `${first} Xyzzy${first.charCodeAt(0)}`);
  const settings = { ...PLAIN, semantics: 'token', pageSize: 100 } as const;
  const { mirror } = discover(new SpacedRegistry(companies, settings), UNTIL_NOTHING_IS_DUE);
  const odd = companies.filter(({ name }) => name.includes('Xyzzy'));
  expect(missedBy(mirror, odd)).toEqual([]);
});

test.each(SIZES)(
  'a search with an unknown query rule finds all of %i names, whatever their first characters',
  (size) => {
    const companies = withWords(size, (first) => `${first}Xyzzy`);
    const settings = { ...PLAIN, semantics: 'token_prefix', pageSize: 100 } as const;
    const dialect = dialectOf(settings);
    const { mirror } = discover(new SpacedRegistry(companies, settings), {
      ...UNTIL_NOTHING_IS_DUE,
      dialect: { ...dialect, search: { ...dialect.search, matches: 'unknown' } },
    });
    expect(missedBy(mirror, companies)).toEqual([]);
  },
);

test('a name search finds a company that no identifier prefix matches', () => {
  const companies = latinCompanies(300, ['#']).map((one) =>
    one.name.startsWith('#') ? { ...one, id: 'é1' } : one,
  );
  const settings = { ...PLAIN, identifiers: 'prefix', pageSize: 100 } as const;
  const { mirror } = discover(new Registry(companies, settings), UNTIL_NOTHING_IS_DUE);
  expect(missedBy(mirror, companies)).toEqual([]);
});

test('the planner finds every company if the upstream reports no registry count', () => {
  const companies = latinCompanies(300, FIRSTS);
  for (const totals of ['exact', 'none'] as const) {
    const registry = new Registry(companies, { ...PLAIN, totals });
    const { mirror } = discover(registry, { ...UNTIL_NOTHING_IS_DUE, isCounted: false });
    expect(missedBy(mirror, companies)).toEqual([]);
  }
});

test('the planner tries all digits and ASCII punctuation before a script that no known name uses', () => {
  const texts = textsOf(discover(overcounting(300), UNTIL_NOTHING_IS_DUE).calls);
  const foreign = texts.findIndex((text) => !['latin', null].includes(scriptOf(text)));
  const before = texts.slice(0, foreign);
  expect(foreign).toBeGreaterThan(0);
  expect(before).toEqual(expect.arrayContaining([...DIGITS.characters, ...ASCII_PUNCTUATION.characters]));
});

test('the planner sends no search once it knows as many companies as the registry count reports', () => {
  const { known, calls } = discover(new Registry(latinCompanies(300, []), PLAIN), UNTIL_NOTHING_IS_DUE);
  expect(known.indexOf(300)).toBe(calls.length - 1);
  expect(textsOf(calls)).not.toContain('#');
});

test('a new process does not repeat queries for first characters', () => {
  const registry = overcounting(300);
  const first = discover(registry, UNTIL_NOTHING_IS_DUE);
  expect(textsOf(first.calls)).toContain('#');
  expect(discover(registry, { ...UNTIL_NOTHING_IS_DUE, mirror: first.mirror }).calls).toEqual([]);
});

test('a new process sends the queries for first characters that are left', () => {
  const registry = overcounting(300);
  const whole = discover(registry, UNTIL_NOTHING_IS_DUE);
  const firstSent = whole.calls.findIndex((call) => call.kind === 'search' && call.query.text === '#');
  const first = discover(registry, { ...UNTIL_NOTHING_IS_DUE, mostCalls: firstSent });
  const second = discover(registry, { ...UNTIL_NOTHING_IS_DUE, mirror: first.mirror });
  expect(textsOf(first.calls)).not.toContain('#');
  expect(textsOf(second.calls)).toContain('#');
  expect(new Set(textsOf([...first.calls, ...second.calls])).size).toBeGreaterThan(firstSent);
});

test.each([
  ['lists everything for', (_: Page, all: Page) => all],
  ['refuses', (page: Page) => ({ ...page, ...NO_MATCH, total: null, refused: true })],
  ['finds nothing by', (page: Page) => ({ ...page, ...NO_MATCH })],
] as const)('an upstream that %s punctuation gets only one query for each character', (_, respond) => {
  for (const semantics of ['prefix', 'substring', 'token_prefix'] as const) {
    const registry = new PunctuationRegistry(
      latinCompanies(300, []),
      { ...PLAIN, semantics, window: 40 },
      respond,
    );
    const { mirror, calls } = discover(registry, UNTIL_NOTHING_IS_DUE);
    const punctuation = textsOf(calls).filter((text) => /^[^a-z0-9]/.test(text) && scriptOf(text) === null);
    expect(mirror.knownCount()).toBe(300);
    expect(punctuation).toContain(semantics === 'substring' ? "'" : '&');
    expect(punctuation.filter((text) => [...text].length > 1)).toEqual([]);
    expect(new Set(punctuation).size).toBe(punctuation.length);
  }
});

test('the planner sends no more punctuation after one query shows that the upstream drops it', () => {
  const companies = latinCompanies(300, []).map((one, at) => ({
    ...one,
    name: one.name.replace(' ', at % 9 ? ' ' : ' & '),
  }));
  const settings = { ...PLAIN, semantics: 'token_prefix', window: 40 } as const;
  const registry = new PunctuationRegistry(companies, settings, (page) => ({ ...page, ...NO_MATCH }));
  const texts = textsOf(discover(registry, UNTIL_NOTHING_IS_DUE).calls);
  expect(texts.filter((text) => ASCII_PUNCTUATION.characters.includes(text))).toEqual(['&']);
});

test('the planner retries a first character after a failed call', () => {
  const companies = latinCompanies(300, ['#']);
  const registry = new Registry(companies, PLAIN);
  const mirror = new MemoryMirror();
  const planner = openSyncPlanner({ knowledge: mirror, dialect: dialectOf(PLAIN), settings: SETTINGS });
  const texts: string[] = [];
  const left = { calls: Number.POSITIVE_INFINITY, lifetimeLimit: null };
  for (;;) {
    const { calls, wakeAtMs } = planner.next({ nowMs: mirror.nowMs, left, most: 1 });
    const [call] = calls;
    if (call === undefined && wakeAtMs === null) break;
    mirror.nowMs = call === undefined ? Number(wakeAtMs) : mirror.nowMs + 1;
    if (call === undefined) continue;
    texts.push(...textsOf([call]));
    const isFirstCall = texts.filter((text) => text === '#').length === 1 && texts.at(-1) === '#';
    planner.learn(
      isFirstCall ? broken(call, mirror.nowMs + 60_000) : answer(mirror, registry, call, mirror.nowMs),
    );
  }
  expect(texts.filter((text) => text === '#')).toHaveLength(2);
  expect(missedBy(mirror, companies)).toEqual([]);
});

test('the first characters to try are distinct, and punctuation does not train the name model', () => {
  const due = CHARACTER_GROUPS.filter(({ isDue }) => isDue).flatMap(({ characters }) => characters);
  expect(due).toHaveLength(26 + 10 + 32);
  expect(new Set(due).size).toBe(due.length);
  expect(characterSeeds().map(({ text }) => text)).toEqual(expect.arrayContaining([...DIGITS.characters]));
  expect(characterSeeds().some(({ text }) => ASCII_PUNCTUATION.characters.includes(text))).toBe(false);
});

/** A registry that reports one company too many and responds to punctuation as `respond` defines. */
class PunctuationRegistry extends OvercountingRegistry {
  readonly #respond: (page: Page, all: Page) => Page;

  constructor(
    companies: readonly Company[],
    settings: Registry['settings'],
    respond: (page: Page, all: Page) => Page,
  ) {
    super(companies, settings);
    this.#respond = respond;
  }

  override search(query: SearchQuery, pageIndex: number): Page {
    const page = super.search(query, pageIndex);
    if (/[\p{L}\p{M}\p{N}]/u.test(query.text)) return page;
    const all = Array.from({ length: super.size - 1 }, (_, at) => this.company(at));
    const from = pageIndex * page.size;
    const rows = all.slice(from, from + page.size);
    const more = from + page.size < all.length;
    return this.#respond(page, { ...page, rows, total: all.length, refused: false, more, cut: false });
  }
}

function broken(call: Call, nextTryAtMs: number) {
  const failure = { kind: call.kind, target: targetOf(call), tries: 1, nextTryAtMs, why: 'HTTP 500' };
  return { ...noChange({ call, verdict: { is: 'broken' } }), failure };
}

function overcounting(count: number): Registry {
  return new OvercountingRegistry(latinCompanies(count, []), PLAIN);
}

/** Companies with Latin names. `name` derives the names at the end of the list from the first characters under test. */
function withWords(size: number, name: (first: string) => string): Company[] {
  const odd = size - FIRSTS.length;
  return latinCompanies(size, []).map((one, at) => {
    const first = FIRSTS[at - odd];
    return first === undefined ? one : { ...one, name: name(first) };
  });
}

function missedBy(
  mirror: { readonly companies: ReadonlyMap<string, unknown> },
  companies: readonly Company[],
): string[] {
  return companies.filter(({ id }) => !mirror.companies.has(id)).map(({ name }) => name);
}

function textsOf(calls: readonly Call[]): string[] {
  return calls.flatMap((call) => (call.kind === 'search' ? [call.query.text] : []));
}
