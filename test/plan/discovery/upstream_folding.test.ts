import { expect, test } from 'vitest';
import type { SearchQuery } from '../../../src/call.ts';
import { withoutDiacritics } from '../../../src/names/folding.ts';
import { NameModel } from '../../../src/plan/discovery/name_model.ts';
import { PrefixCounts } from '../../../src/plan/discovery/prefix_counts.ts';
import { PrefixTexts } from '../../../src/plan/discovery/prefix_texts.ts';
import { UpstreamFolding } from '../../../src/plan/discovery/upstream_folding.ts';
import { WordKeySpace } from '../../../src/plan/discovery/word_key_space.ts';
import { discover } from '../../support/simulation/discover.ts';
import { MemoryMirror } from '../../support/simulation/memory_knowledge.ts';
import { type Company, type Page, PLAIN, Registry } from '../../support/simulation/registry.ts';
import { inventedCompanies } from '../../support/simulation/synthetic_registries.ts';

const UNTIL_NOTHING_IS_DUE = { mostCalls: 10_000, enough: Number.POSITIVE_INFINITY };
const MARKED: Readonly<Record<string, string>> = { a: 'å', c: 'ç', e: 'é', o: 'ö', s: 'š' };

/** It finds names by what they are without their marks, and shows them with the marks. */
class OverlookingRegistry extends Registry {
  readonly #names: ReadonlyMap<string, string>;

  constructor(companies: readonly Company[], settings: typeof PLAIN) {
    super(
      companies.map(({ id, name }) => ({ id, name: withoutDiacritics(name) })),
      settings,
    );
    this.#names = new Map(companies.map(({ id, name }) => [id, name]));
  }

  override search(query: SearchQuery, pageIndex: number): Page {
    const page = super.search({ ...query, text: withoutDiacritics(query.text) }, pageIndex);
    return { ...page, rows: page.rows.map(({ id }) => ({ id, name: this.#names.get(id) ?? '' })) };
  }
}

test.each(['prefix', 'token_prefix', 'substring'] as const)(
  'where marks are overlooked, hardly any text with marks is paid for: %s',
  (semantics) => {
    const companies = markedCompanies(1_000);
    const profile = { ...PLAIN, semantics, window: 100 };
    const heeding = discover(new Registry(companies, profile), UNTIL_NOTHING_IS_DUE);
    const overlooking = discover(new OverlookingRegistry(companies, profile), UNTIL_NOTHING_IS_DUE);
    expect(markedTexts(heeding.calls).length).toBeGreaterThan(10);
    expect(markedTexts(overlooking.calls).length).toBeLessThanOrEqual(5);
    expect(overlooking.mirror.knownCount()).toBe(companies.length);
  },
);

test('a plain text takes the place of one with marks that are overlooked, though no name begins with it', () => {
  const reading = new UpstreamFolding(beginsWith);
  expect(reading.readAs('ή')).toBe('ή');
  reading.observe('a', ['åsbygg', 'ångfart', 'älv']);
  expect(reading.readAs('ή')).toBe('η');
  expect(reading.readAs('ａb')).toBe('ab');
});

test('names with marks are counted with those without, and one with both counts once', () => {
  const texts = new PrefixTexts({
    ...{ counts: new PrefixCounts(), model: new NameModel([], true), longest: 24, repeats: true, first: [] },
    ...{ canBeSent: () => true, readAs: withoutDiacritics },
  });
  texts.add(['åcme', 'acme', 'bygg']);
  texts.addWithoutDiacritics(['åcme', 'acme', 'bygg'], ['acme', 'acme', 'bygg']);
  texts.add(['åcme']);
  texts.addWithoutDiacritics(['åcme'], ['acme']);
  texts.addWithoutDiacritics([], ['acre']);
  expect(['', 'a', 'acm', 'acme', 'b', 'å'].map((text) => texts.known(text))).toEqual([3, 3, 2, 2, 1, 2]);
  expect(texts.ending('acme')).toBe(2);
  expect(texts.spread('').distinct).toBe(2);
});

test('marks are heeded while hardly anything was shown that has others', () => {
  const reading = new UpstreamFolding(beginsWith);
  reading.observe('å', ['åsbygg', 'ångfart', 'ås', 'ål']);
  reading.observe('a', ['ascot', 'åsbygg', 'ångfart', 'ås']);
  expect(reading.readAs('å')).toBe('å');
});

test('a single letter that finds names without it is read as another one', () => {
  const reading = new UpstreamFolding(beginsWith);
  reading.observe('ø', ['olsen', 'ostbygg', 'ødegaard']);
  expect(reading.readAs('øs')).toBeNull();
  expect(reading.readAs('os')).toBe('os');
});

test('a whole word with such a letter is asked all the same, for no other is known to find what it does', () => {
  const mirror = new MemoryMirror();
  mirror.add({ id: '1', name: 'Ødegaard Bjørn Limited' });
  const [whole, beginning] = (['token', 'token_prefix'] as const).map(
    (semantics) => new WordKeySpace(semantics, 1, mirror),
  ) as [WordKeySpace, WordKeySpace];
  for (const keySpace of [whole, beginning]) keySpace.observe('bjørn', ['bjorn as', 'bjorn ab', 'bjorn ltd']);
  expect(whole.isAliased('ødegaard')).toBe(false);
  expect(whole.extensions('', () => false).offered.map(({ text }) => text)).toContain('ødegaard');
  expect(beginning.isAliased('ø')).toBe(true);
});

test('what is found by names that are not shown tells nothing of a script', () => {
  const reading = new UpstreamFolding(beginsWith);
  reading.observe('я', ['yandex', 'yarmarka', 'yasno']);
  expect(reading.readAs('я')).toBe('я');
});

test('a mark alone asks for everything, and stays', () => {
  const reading = new UpstreamFolding(beginsWith);
  reading.observe('a', ['åsbygg', 'ångfart', 'älv']);
  reading.observe('\u0307', ['acme', 'bygg', 'coop']);
  expect(reading.readAs('\u0307')).toBe('\u0307');
});

function beginsWith(text: string, company: string): boolean {
  return company.startsWith(text);
}

/** One in three has marks in its name. */
function markedCompanies(count: number): Company[] {
  return inventedCompanies(count).map(({ id, name }, at) => {
    return {
      id,
      name: at % 3 === 0 ? name.replace(/[aceos]/gi, (letter) => MARKED[letter.toLowerCase()] ?? '') : name,
    };
  });
}

function markedTexts(calls: readonly { readonly kind: string }[]): string[] {
  return calls
    .flatMap((call) => ('query' in call ? [(call.query as SearchQuery).text] : []))
    .filter((text) => withoutDiacritics(text) !== text);
}
