import { expect, test } from 'vitest';
import type { SearchQuery } from '../../../src/call.ts';
import { dialectOf, discover } from '../../support/simulation/discover.ts';
import { PLAIN, Registry } from '../../support/simulation/registry.ts';

const GIVEN =
  'Anna Bob Clara David Emma Frank Greta Hugo Ida Jack Karen Leo Mia Noah Olga Paul Rosa Sam'.split(' ');
const FAMILY =
  'Adams Brown Baker Clark Davis Evans Ford Green Gray Hall Hill Jones King Klein Lee Long Moore Nash Owen Park Perry Quinn Reed Roy Scott Stone Taylor Underhill Vance Wood York Young'.split(
    ' ',
  );
const PEOPLE = GIVEN.flatMap((given) => FAMILY.map((family) => `${given} ${family}`)).map((name, at) => ({
  id: `P${1000 + at * 7}`,
  name,
}));

/** A registry of persons that searches only the beginnings of family names, while its rows have whole names. */
class FamilyNames extends Registry {
  override matches({ text }: SearchQuery): readonly number[] {
    const wanted = text.toLowerCase();
    return PEOPLE.flatMap(({ name }, at) =>
      name.split(' ')[1]?.toLowerCase().startsWith(wanted) ? [at] : [],
    );
  }
}

test('listings go on if the known names contradict the assumed query rule', () => {
  const registry = new FamilyNames(PEOPLE, { ...PLAIN, semantics: 'prefix', window: 160, pageSize: 20 });
  const dialect = dialectOf(registry.settings);
  const { known } = discover(registry, {
    mostCalls: 600,
    enough: PEOPLE.length,
    isCounted: false,
    dialect: { ...dialect, search: { ...dialect.search, matches: 'unknown' } },
  });
  expect(known.at(-1)).toBe(PEOPLE.length);
});
