import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { generateRegistry } from '../../data/generate.ts';
import { ApiProfile, type ApiProfileInput } from '../../src/api/api_profile.ts';
import { type Folding, foldText, wordsOf } from '../../src/names/folding.ts';
import type { CompanyQuery, IdentifierSearch, Semantics } from '../../src/names/query_matching.ts';
import { companyCatalogue } from '../../src/sandbox/company_catalogue.ts';
import { SandboxCompanies } from '../../src/warehouse/sandbox_companies.ts';

const NAME_SEARCHES: Semantics[] = ['prefix', 'token', 'token_prefix', 'substring'];
const IDENTIFIER_SEARCHES: IdentifierSearch[] = ['prefix', 'exact', 'none'];
const FOLDINGS: Folding[] = ['none', 'case', 'diacritics'];

const companies = [
  ...generateRegistry({ companies: 1_500, seed: 11 }),
  // Names that an identifier query also matches.
  ...['SC Holdings', 'scotia ltd', '000 Ltd', '0000 & Sons', 'OC', 'Ni Trading', 'fc0'].map(
    (name, index) => ({
      id: `Z${index}`,
      name,
      fields: {},
    }),
  ),
].sort((a, b) => (a.id < b.id ? 1 : -1));

function catalogueOf(search: ApiProfileInput['search'] = {}, from = companies) {
  const store = new SandboxCompanies(from);
  return { store, catalogue: companyCatalogue(store, ApiProfile.parse({ search }), () => 0) };
}

/** Each query rule's definition, computed without an index. */
function findsName(how: Semantics, folding: Folding, text: string, name: string): boolean {
  const [wanted, folded] = [foldText(text, folding), foldText(name, folding)];
  if (wanted === '') return true;
  if (how === 'prefix') return folded.startsWith(wanted);
  if (how === 'substring') return folded.includes(wanted);
  const words = wordsOf(folded);
  const asked = wordsOf(wanted);
  const fits = (word: string, one: string) => (how === 'token' ? word === one : word.startsWith(one));
  return asked.length > 0 && asked.every((one) => words.some((word) => fits(word, one)));
}

function findsIdentifier(how: IdentifierSearch, text: string, id: string): boolean {
  const [wanted, folded] = [text.toUpperCase(), id.toUpperCase()];
  return how === 'prefix' ? folded.startsWith(wanted) : how === 'exact' && folded === wanted;
}

function finds(query: CompanyQuery, folding: Folding, { id, name }: { id: string; name: string }): boolean {
  const byName = query.by !== 'identifier' && findsName(query.names, folding, query.text, name);
  return byName || (query.by !== 'name' && findsIdentifier(query.identifiers, query.text, id));
}

const aName = fc.constantFrom(...companies.map(({ name }) => name));
const aSharedText = fc.constantFrom('sc', 'SC0', '0', '000', '0000', 'oc', 'ni', 'fc', 'z');
const anId = fc.constantFrom(...companies.map(({ id }) => id));
const aText = fc.oneof(
  // Parts of names, such as prefixes, words and substrings, in any case.
  fc.tuple(aName, fc.nat(20), fc.nat(8), fc.boolean()).map(([name, from, length, isUpper]) => {
    const part = name.slice(from % name.length, (from % name.length) + 1 + length);
    return isUpper ? part.toUpperCase() : part.toLowerCase();
  }),
  fc.tuple(aName, fc.nat(6)).map(([name, length]) => name.slice(0, 1 + length)),
  fc.tuple(anId, fc.nat(8)).map(([id, length]) => id.slice(0, 1 + length).toLowerCase()),
  aSharedText,
  fc.string({ minLength: 1, maxLength: 4 }),
);
const aQuery: fc.Arbitrary<CompanyQuery> = fc.record({
  by: fc.constantFrom('name', 'identifier', 'any'),
  text: aText,
  names: fc.constantFrom(...NAME_SEARCHES),
  identifiers: fc.constantFrom(...IDENTIFIER_SEARCHES),
});

describe.each(FOLDINGS)('with folding %s', (folding) => {
  test('every query rule finds exactly the names that its definition requires', () => {
    const { catalogue } = catalogueOf({ folding });
    fc.assert(
      fc.property(aQuery, (query) => {
        const { total, ids } = catalogue.matches(query);
        const expected = companies.filter((company) => finds(query, folding, company)).map(({ id }) => id);
        expect([...ids(0, total)].sort()).toEqual(expected.sort());
        expect(total).toBe(expected.length);
      }),
      { numRuns: 300 },
    );
  });
});

test.each(['name', 'id', 'rank', 'relevance'] as const)(
  'pages in the order %s neither repeat nor omit a row',
  (order) => {
    const { catalogue } = catalogueOf({ order });
    const query: CompanyQuery = { by: 'any', text: 's', names: 'token_prefix', identifiers: 'prefix' };
    const { total } = catalogue.matches(query);
    const paged: string[] = [];
    for (let from = 0; from < total; from += 7) paged.push(...catalogue.matches(query).ids(from, 7));
    expect(paged).toHaveLength(total);
    expect(new Set(paged).size).toBe(total);
    expect(catalogue.matches(query).ids(total, 7)).toEqual([]);
  },
);

test('folding diacritics also ignores character width and case', () => {
  const { catalogue } = catalogueOf({ folding: 'diacritics' }, [
    { id: '1', name: 'Øst & Ängström', fields: {} },
    { id: '2', name: 'ＡＢＣ商事', fields: {} },
    { id: '3', name: 'İstanbul Ünlü', fields: {} },
    { id: '4', name: 'Ελλάς Άλφα', fields: {} },
  ]);
  const ids = (text: string) =>
    catalogue.matches({ by: 'name', text, names: 'token_prefix', identifiers: 'none' }).ids(0, 9);
  expect(ids('angstrom')).toEqual(['1']);
  expect(ids('abc')).toEqual(['2']);
  expect(ids('ISTANBUL unlu')).toEqual(['3']);
  expect(ids('αλφα')).toEqual(['4']);
});
