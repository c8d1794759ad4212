import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CatalogueQuery } from '../../src/api/catalogue.ts';
import { wordsOf } from '../../src/names/folding.ts';
import { buildNameIndex, type NameIndex, textAt } from '../../src/names/name_index.ts';
import { findRanks, fold } from '../../src/names/name_search.ts';

interface Company {
  readonly id: string;
  readonly name: string;
}

const word = fc.constantFrom(
  'a',
  'ab',
  'abc',
  'Äb',
  'b',
  'ba',
  'ltd',
  'Ltd.',
  '&',
  'o’b',
  '株式',
  '𐍈𐍈',
  'ÿ',
  'zz',
);
const name = fc.array(word, { maxLength: 4 }).map((words) => words.join(' '));
const id = fc.stringMatching(/^[0-2abAB]{1,4}$/);
const registry = fc.uniqueArray(fc.record({ id, name }), {
  selector: (company) => company.id,
  maxLength: 40,
});
const query = fc.record({
  by: fc.constantFrom('name', 'identifier', 'any'),
  text: fc.oneof(name, id, word),
  names: fc.constantFrom('prefix', 'token', 'token_prefix', 'substring'),
  identifiers: fc.constantFrom('prefix', 'exact', 'none'),
}) as fc.Arbitrary<CatalogueQuery>;

describe('the name index', () => {
  test('the name index finds the same companies in the same order as a scan, whatever the slice size', () => {
    fc.assert(
      fc.property(registry, query, fc.integer({ min: 1, max: 7 }), (companies, asked, size) => {
        const index = indexOf(companies);
        const ranks = findRanks(index, asked);
        const found: string[] = [];
        for (let from = 0; from < ranks.size; from += size)
          for (const rank of ranks.slice(from, size)) found.push(textAt(index.ids, rank));
        expect(found).toEqual(lookedAtOneByOne(companies, asked));
        expect(ranks.size).toBe(found.length);
      }),
      { numRuns: 1_500 },
    );
  });

  test('bit sets and lists of companies give equal search results', () => {
    // There are too many names for the search to test them one by one.
    const companies = Array.from({ length: 9_000 }, (_, at) => ({
      id: String(at).padStart(5, '0'),
      name: `${at % 3 === 0 ? 'Alpha' : 'Beta'} ${at % 5 === 0 ? 'Limited' : 'Ltd'} ${at}`,
    }));
    const index = indexOf(companies);
    for (const text of ['l', 'al', 'al lim', 'lim al', 'beta l', 'limited', '1', '00', 'a l 1']) {
      const asked = { by: 'any', text, names: 'token_prefix', identifiers: 'prefix' } as const;
      const ranks = findRanks(index, asked);
      const found = [...ranks.slice(0, ranks.size)].map((rank) => textAt(index.ids, rank));
      expect(found).toEqual(lookedAtOneByOne(companies, asked));
      expect([...ranks.slice(100, 3)].map((rank) => textAt(index.ids, rank))).toEqual(found.slice(100, 103));
    }
  });
});

function indexOf(companies: readonly Company[]): NameIndex {
  const rows = companies.map((company, at) => ({
    knownId: at + 1,
    entityId: company.id,
    folded: fold(company.name),
  }));
  const byName = rows.toSorted((a, b) => bytes(a.folded, b.folded) || bytes(a.entityId, b.entityId));
  const byId = rows.toSorted(
    (a, b) => bytes(a.entityId.toUpperCase(), b.entityId.toUpperCase()) || bytes(a.entityId, b.entityId),
  );
  return buildNameIndex({ byName, byId: () => byId.map(({ knownId }) => knownId) });
}

/** A search without an index is the reference. */
function lookedAtOneByOne(companies: readonly Company[], { by, text, names, identifiers }: CatalogueQuery) {
  const asked = text.trim();
  const folded = fold(asked);
  const upper = asked.toUpperCase();
  if (asked === '' && by === 'identifier') return [];
  const classOf = ({ id: own, name: called }: Company): number | null => {
    if (asked === '') return 1;
    const isExact = identifiers !== 'none' && own.toUpperCase() === upper;
    if (by !== 'name' && isExact) return 0;
    if (by !== 'identifier') {
      const begins = fold(called).startsWith(folded);
      if (begins && (names !== 'token' || fits(fold(called), folded, names))) return 1;
      if (fits(fold(called), folded, names)) return 2;
    }
    return by !== 'name' && identifiers === 'prefix' && own.toUpperCase().startsWith(upper) ? 3 : null;
  };
  const byName = (a: Company, b: Company) => bytes(fold(a.name), fold(b.name)) || bytes(a.id, b.id);
  const byIdentifier = (a: Company, b: Company) =>
    bytes(a.id.toUpperCase(), b.id.toUpperCase()) || bytes(a.id, b.id);
  return companies
    .map((company) => ({ company, rank: classOf(company) }))
    .filter(({ rank }) => rank !== null)
    .sort((a, b) => {
      if (by === 'identifier') return byIdentifier(a.company, b.company);
      const apart = (a.rank ?? 0) - (b.rank ?? 0);
      const isById = a.rank === 0 || a.rank === 3;
      return apart || (isById ? byIdentifier : byName)(a.company, b.company);
    })
    .map(({ company }) => company.id);
}

function fits(called: string, asked: string, how: CatalogueQuery['names']): boolean {
  if (how === 'prefix') return called.startsWith(asked);
  if (how === 'substring') return called.includes(asked);
  const wanted = wordsOf(asked);
  const own = wordsOf(called);
  const fit = (text: string) => own.some((one) => (how === 'token' ? one === text : one.startsWith(text)));
  return wanted.length > 0 && wanted.every(fit);
}

function bytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
