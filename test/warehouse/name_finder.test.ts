import fc from 'fast-check';
import { expect, test } from 'vitest';
import { folded, withoutDiacritics, wordsOf } from '../../src/names/folding.ts';
import { inOrder } from '../../src/names/ordered_texts.ts';
import type { CompanyQuery } from '../../src/names/query_matching.ts';
import { NameFinder } from '../../src/warehouse/name_finder.ts';
import { bench, dialectWith } from '../support/loader.ts';

interface Company {
  readonly id: string;
  readonly name: string;
  readonly isGone: boolean;
}

const word = fc.constantFrom(
  'a',
  'ab',
  'abc',
  'Äbc',
  'b',
  'ba',
  'ltd',
  'Ltd.',
  '&',
  'o’b',
  '株式会',
  '𐍈𐍈',
  'ÿ',
  'Ａbc',
);
const name = fc.array(word, { maxLength: 4 }).map((words) => words.join(' '));
const id = fc.stringMatching(/^[0-2abAB]{1,4}$/);
const registry = fc.uniqueArray(fc.record({ id, name, isGone: fc.boolean() }), {
  selector: (company) => company.id,
  minLength: 1,
  maxLength: 25,
});
const query = fc.record({
  by: fc.constantFrom('name', 'identifier', 'any'),
  text: fc.oneof(name, id, word),
  names: fc.constant('token_prefix'),
  identifiers: fc.constantFrom('prefix', 'exact', 'none'),
}) as fc.Arbitrary<CompanyQuery>;

test('the finder returns the same companies in the same order as a scan, with the index and without it', () => {
  fc.assert(
    fc.property(registry, fc.array(query, { minLength: 5, maxLength: 15 }), (companies, asked) => {
      const { db } = mirrorOf(companies);
      const finders = [true, false].map((hasTrigrams) => finderIn(db, hasTrigrams));
      for (const one of asked) {
        const expected = scanned(companies, one);
        for (const finder of finders)
          expect([...finder.find(one)].map((knownId) => finder.entityId(knownId))).toEqual(expected);
      }
    }),
    { numRuns: 30 },
  );
});

test('a query with more words than one SQL condition can have finds a name with all of them', () => {
  const words = Array.from({ length: 1_200 }, (_, at) => `w${at}`);
  const { db } = mirrorOf([{ id: '1', name: words.join(' '), isGone: false }]);
  const asked = { by: 'name', names: 'token_prefix', identifiers: 'none' } as const;
  const finder = finderIn(db, true);
  expect(finder.find({ ...asked, text: words.join(' ') })).toHaveLength(1);
  expect(finder.find({ ...asked, text: `${words.join(' ')} other` })).toHaveLength(0);
});

test('a name with a NUL character is found by the words after it, and only by its own words', () => {
  const { db } = mirrorOf([{ id: '1', name: 'one\0 two', isGone: false }]);
  const asked = { by: 'name', names: 'token_prefix', identifiers: 'none' } as const;
  for (const hasTrigrams of [true, false]) {
    const finder = finderIn(db, hasTrigrams);
    expect(finder.find({ ...asked, text: 'two' })).toHaveLength(1);
    expect(finder.find({ ...asked, text: 'tw' })).toHaveLength(1);
    expect(finder.find({ ...asked, text: 'th' })).toHaveLength(0);
  }
});

function mirrorOf(companies: readonly Company[]) {
  const { warehouse, search } = bench({ dialect: dialectWith({}) });
  search('q', {
    total: companies.length,
    results: companies.map(({ id: own, name: called }) => ({ id: own, name: called })),
  });
  const remove = warehouse.db.prepare('UPDATE _company SET gone_at = 1 WHERE entity_id = ?');
  for (const { id: own, isGone } of companies) if (isGone) remove.run(own);
  return warehouse;
}

function finderIn(db: ReturnType<typeof mirrorOf>['db'], hasTrigrams: boolean): NameFinder {
  return new NameFinder(db, { fold: withoutDiacritics, isFolded: false, order: 'best', hasTrigrams });
}

/** A search without an index is the reference. */
function scanned(companies: readonly Company[], { by, text, identifiers }: CompanyQuery): string[] {
  const wanted = withoutDiacritics(text);
  const upper = text.toUpperCase();
  if (text === '' && by === 'identifier') return [];
  const classOf = ({ id: own, name: called }: Company): number | null => {
    if (by !== 'name' && text !== '' && identifiers !== 'none' && own.toUpperCase() === upper) return 0;
    if (by !== 'identifier') {
      const begins = withoutDiacritics(called).startsWith(wanted);
      if (begins && (wanted === '' || wordsOf(wanted).length > 0)) return 1;
      if (hasWords(withoutDiacritics(called), wanted)) return 2;
    }
    return by !== 'name' && text !== '' && identifiers === 'prefix' && own.toUpperCase().startsWith(upper)
      ? 3
      : null;
  };
  const positions = new Map(companies.map((company, at) => [company, at]));
  const byName = (a: Company, b: Company) =>
    inOrder(folded(a.name), folded(b.name)) || (positions.get(a) ?? 0) - (positions.get(b) ?? 0);
  const byIdentifier = (a: Company, b: Company) =>
    inOrder(a.id.toUpperCase(), b.id.toUpperCase()) || inOrder(a.id, b.id);
  return companies
    .filter(({ isGone }) => !isGone)
    .map((company) => ({ company, rank: classOf(company) }))
    .filter(({ rank }) => rank !== null)
    .sort((a, b) => {
      const apart = (a.rank ?? 0) - (b.rank ?? 0);
      return apart || (a.rank === 0 || a.rank === 3 ? byIdentifier : byName)(a.company, b.company);
    })
    .map(({ company }) => company.id);
}

function hasWords(called: string, wanted: string): boolean {
  const words = wordsOf(wanted);
  return words.length > 0 && words.every((one) => wordsOf(called).some((own) => own.startsWith(one)));
}
