import { expect, test } from 'vitest';
import { companySearch } from '../../src/warehouse/company_search.ts';
import { bench } from '../support/loader.ts';

const NAMES = [
  'Électricité Générale SA',
  'Smith & Sons Ltd',
  'Smith and Daughters GmbH',
  'Müller und Söhne KG',
  'García y Hijos SL',
  'Johnson Brothers plc',
  'Asgård Renewables International AS',
  'Smith Ltd',
  'Northern Lights Manufacturing Solutions Inc',
  'Høst og Vår AS',
  'Acorn Holdings',
  'Cane Limited',
  'Foxdale Fishing Co-operative Society Limited',
  'The Swift Properties Company Inc.',
  'Grupa BP Polska',
  '株式会社東京サンプル商事',
];

const found = (query: string): (string | null)[] => {
  const { warehouse, search } = bench();
  search('a', { total: NAMES.length, results: NAMES.map((name, at) => ({ id: `C${at}`, name })) });
  return companySearch(warehouse.db)(query, 10).map(({ name }) => name);
};

test.each([
  ['smth & sons', 'Smith & Sons Ltd'],
  ['smith and sons', 'Smith & Sons Ltd'],
  ['smith et sons ltd', 'Smith & Sons Ltd'],
  ['smith & daughters', 'Smith and Daughters GmbH'],
  ['muller & sohne', 'Müller und Söhne KG'],
  ['Garcia & Hijos', 'García y Hijos SL'],
  ['høst & vår', 'Høst og Vår AS'],
  ['Jhonson', 'Johnson Brothers plc'],
  ['asgrd', 'Asgård Renewables International AS'],
  ['asgard renewabels', 'Asgård Renewables International AS'],
  ['smithe', 'Smith Ltd'],
  ['lihgts', 'Northern Lights Manufacturing Solutions Inc'],
  ['manufacturng solutons', 'Northern Lights Manufacturing Solutions Inc'],
  ['and sons', 'Smith & Sons Ltd'],
  ['electricite', 'Électricité Générale SA'],
  ['limited', 'Cane Limited'],
  ['swift propertys company', 'The Swift Properties Company Inc.'],
  ['bp', 'Grupa BP Polska'],
  ['東京', '株式会社東京サンプル商事'],
  ['サンプル', '株式会社東京サンプル商事'],
  ['foxdale coop', 'Foxdale Fishing Co-operative Society Limited'],
])('the search for "%s" returns %s first', (query, name) => {
  expect(found(query)[0]).toBe(name);
});

test('a word is not respelt into a part of another word, and a word of three letters is not respelt', () => {
  expect(found('acme')).toEqual([]);
  expect(found('can')).toEqual(['Cane Limited']);
  expect(found('cen')).toEqual([]);
});

test('a correctly spelt name comes before names that only resemble the query', () => {
  expect(found('smith')).toEqual(['Smith Ltd', 'Smith & Sons Ltd', 'Smith and Daughters GmbH']);
});

test('the first characters of an identifier find it if they contain a digit', () => {
  const { warehouse, search } = bench();
  const ids = ['SC123456', 'SC1', 'SCALE'];
  search('a', { total: 3, results: ids.map((id) => ({ id, name: 'Kelp' })) });
  const idsOf = (query: string) => companySearch(warehouse.db)(query, 10).map(({ entityId }) => entityId);
  expect(idsOf('sc123')).toEqual(['SC123456']);
  expect(idsOf('SC1')).toEqual(['SC1', 'SC123456']);
  expect(idsOf('SCA')).toEqual([]);
});

test('a query that finds enough names is not respelt', () => {
  const { warehouse, search } = bench();
  const names = [...Array.from({ length: 20 }, (_, at) => `Harbour ${at}`), 'Harbuor'];
  search('a', { total: 21, results: names.map((name, at) => ({ id: `C${at}`, name })) });
  expect(companySearch(warehouse.db)('harbour', 50).map(({ name }) => name)).not.toContain('Harbuor');
});

test('a name that equals the query comes without names that only resemble it', () => {
  expect(found('Smith Ltd')).toEqual(['Smith Ltd', 'Smith & Sons Ltd', 'Smith and Daughters GmbH']);
  expect(found('Johnson Brothers plc')).toEqual(['Johnson Brothers plc']);
});

test('the commonest of many possible spellings is found, wherever the edit and the word are', () => {
  const { warehouse, search } = bench();
  const letters = [...'abcdefghijklmnopqrstuvwxyz'];
  const fillers = letters.flatMap((a) => letters.map((b) => `x${letters.map((c) => a + b + c).join('')}`));
  const names = [...fillers, ...Array.from({ length: 5 }, (_, at) => `Old ${at} Harbour`)];
  search('a', { total: names.length, results: names.map((name, at) => ({ id: `C${at}`, name })) });
  expect(companySearch(warehouse.db)('harbuor', 10)[0]?.name).toMatch(/Harbour$/);
});
