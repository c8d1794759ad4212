import { expect, test } from 'vitest';
import { withoutDiacritics } from '../../../src/names/folding.ts';
import { KeySpace } from '../../../src/plan/discovery/key_space.ts';
import { NameModel } from '../../../src/plan/discovery/name_model.ts';
import { PrefixCounts } from '../../../src/plan/discovery/prefix_counts.ts';
import { PrefixTexts } from '../../../src/plan/discovery/prefix_texts.ts';
import { UpstreamFolding } from '../../../src/plan/discovery/upstream_folding.ts';
import { MemoryMirror } from '../../support/simulation/memory_knowledge.ts';

test('if diacritics are ignored, a query with diacritics counts as the plain query, even if no name begins with its accented form', () => {
  const folding = new UpstreamFolding(hasPrefix);
  expect(folding.readAs('ή')).toBe('ή');
  folding.observe('a', ['åsbygg', 'ångfart', 'älv']);
  expect(folding.readAs('ή')).toBe('η');
  expect(folding.readAs('ａb')).toBe('ab');
});

test('names with and without diacritics are counted together, and a company with both forms counts once', () => {
  const texts = new PrefixTexts({
    counts: new PrefixCounts(),
    model: new NameModel([], true),
    longest: 24,
    repeats: true,
    first: [],
    canBeSent: () => true,
    readAs: withoutDiacritics,
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

test('diacritics count as significant until enough responses show that the upstream ignores them', () => {
  const folding = new UpstreamFolding(hasPrefix);
  folding.observe('å', ['åsbygg', 'ångfart', 'ås', 'ål']);
  folding.observe('a', ['ascot', 'åsbygg', 'ångfart', 'ås']);
  expect(folding.readAs('å')).toBe('å');
});

test('a letter that most matches lack is recognised as folded to another letter', () => {
  const folding = new UpstreamFolding(hasPrefix);
  folding.observe('ø', ['olsen', 'ostbygg', 'ødegaard']);
  expect(folding.readAs('øs')).toBeNull();
  expect(folding.readAs('os')).toBe('os');
});

test('a whole word with a folded letter is not aliased, because no known word matches the same companies', () => {
  const mirror = new MemoryMirror();
  mirror.add({ id: '1', name: 'Ødegaard Bjørn Limited' });
  const [byWord, byPrefix] = (['token', 'token_prefix'] as const).map(
    (semantics) => new KeySpace('name', semantics, 1, mirror),
  ) as [KeySpace, KeySpace];
  for (const keySpace of [byWord, byPrefix]) keySpace.observe('bjørn', ['bjorn as', 'bjorn ab', 'bjorn ltd']);
  expect(byWord.isAliased('ødegaard')).toBe(false);
  expect(byWord.extensions('', () => false).offered.map(({ text }) => text)).toContain('ødegaard');
  expect(byPrefix.isAliased('ø')).toBe(true);
});

test('matches in another script are no evidence that the upstream folds a letter', () => {
  const folding = new UpstreamFolding(hasPrefix);
  folding.observe('я', ['yandex', 'yarmarka', 'yasno']);
  expect(folding.readAs('я')).toBe('я');
});

test('a query of diacritics only is not treated as the empty query', () => {
  const folding = new UpstreamFolding(hasPrefix);
  folding.observe('a', ['åsbygg', 'ångfart', 'älv']);
  folding.observe('\u0307', ['acme', 'bygg', 'coop']);
  expect(folding.readAs('\u0307')).toBe('\u0307');
});

function hasPrefix(text: string, company: string): boolean {
  return company.startsWith(text);
}
