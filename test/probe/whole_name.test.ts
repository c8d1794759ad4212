import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/json/json.ts';
import { nameFallbacks } from '../../src/probe/rows.ts';
import { partsOfName, wholeName } from '../../src/probe/whole_name.ts';

const PERSONS = [
  { given: 'Aisha', family: 'Hassan' },
  { given: 'Peter', family: 'Hassan' },
  { given: null, family: 'Li' },
];

describe('a name in two fields', () => {
  it.each<[string, Json[], string, string]>([
    [
      'a given name beside a family name',
      PERSONS.map(({ given, family }) => ({ 'given-names': given, 'family-names': family })),
      '/family-names',
      '{/given-names} {/family-names}',
    ],
    [
      'a given name beside a name that lacks it',
      PERSONS.map(({ given, family }) => ({ forename: given, name: family })),
      '/name',
      '{/forename} {/name}',
    ],
    [
      'parts in objects of their own',
      PERSONS.map(({ given, family }) => ({
        person: { vorname: { text: given }, nachname: { text: family } },
      })),
      '/person/nachname/text',
      '{/person/vorname/text} {/person/nachname/text}',
    ],
  ])('%s is joined with it', (_, rows, name, whole) => {
    expect(wholeName(rows, name)).toBe(whole);
    expect(partsOfName(whole)).toHaveLength(2);
  });

  it.each<[string, Json[]]>([
    [
      'the name has both parts already',
      PERSONS.map(({ given, family }) => ({ first_name: given, name: `${given} ${family}` })),
    ],
    [
      "the parts are a contact's",
      PERSONS.map(({ given, family }) => ({ name: `${family} Ltd`, first_name: given, last_name: 'Berg' })),
    ],
    [
      'no row has both',
      [
        { name: 'Acme', first_name: null },
        { name: null, first_name: 'Ann' },
      ],
    ],
  ])('a name stays alone if %s', (_, rows) => {
    expect(wholeName(rows, '/name')).toBe('/name');
    expect(partsOfName('/name')).toEqual([]);
  });
});

it('a kind with few different texts is no name of rows without one', () => {
  const rows = Array.from({ length: 40 }, (_, index) => ({
    id: `${1000 + index}`,
    common_name: index % 5 === 0 ? null : `Oak ${index}`,
    family: ['Rosaceae', 'Poaceae', 'Fagaceae'][index % 3] ?? '',
    scientific_name: `Quercus ${index}`,
  }));
  expect(nameFallbacks(rows, '/common_name', [])).toEqual([['/scientific_name']]);
});
