import fc from 'fast-check';
import { expect, test } from 'vitest';
import { filled, templateFault, valuesIn } from '../../src/dialect/template.ts';

test.each([
  ['{query}', `O'Neil "&" Co`, `O'Neil "&" Co`],
  ["startswith(Name,'{query:odata}')", "O'Neil", "startswith(Name,'O''Neil')"],
  ['{"name":"{query:json}"}', 'A "B" \\ C', '{"name":"A \\"B\\" \\\\ C"}'],
  ['name:{query:lucene}*', 'A/B (C): D<E', 'name:A\\/B \\(C\\)\\: D E*'],
  ['{query:words}*', 'A/B (C) & Söhne', 'A B C Söhne*'],
  ['{query:upper}', 'Åse & co', 'ÅSE & CO'],
  ["contains(Name,'{query:upper:odata}')", "O'Neil", "contains(Name,'O''NEIL')"],
])('a query is escaped as the template says: %s', (template, query, sent) => {
  expect(filled(template, { query })).toBe(sent);
});

test.each(['{query}', '{query:json}', '{query:odata}', '{query:json:odata}'])(
  'an escape loses nothing: %s',
  (placeholder) => {
    const template = `name = '${placeholder}'`;
    fc.assert(
      fc.property(fc.string(), (query) => {
        expect(valuesIn(template, filled(template, { query }))).toEqual({ query });
      }),
    );
  },
);

test('a record path can have the last segment of an id with slashes', () => {
  expect(filled('/orgs/{id:last}', { id: 'https://ror.example/0jan3ta10' })).toBe('/orgs/0jan3ta10');
  expect(filled('/orgs/{id:last}', { id: '0jan3ta10' })).toBe('/orgs/0jan3ta10');
  expect(filled('/v1/companies/{id:last}', { id: 'companies/10000' })).toBe('/v1/companies/10000');
  expect(filled('/v1/companies/{id:last}', { id: 'companies/10000/' })).toBe('/v1/companies/10000');
  expect(filled('/api/firm/{id:last}/', { id: '/api/firm/acme-ltd/' })).toBe('/api/firm/acme-ltd/');
});

test('the segments of an id fill several parameters, and are joined when they are read', () => {
  const template = '/record?court={id:1}&type={id:2}&number={id:3}';
  expect(templateFault(template, 'id')).toBeNull();
  expect(templateFault('/record/{id:2}/{id:1}', 'id')).toBe('must contain {id} exactly once');
  const path = filled(template, { id: 'Köln/HRB/12' }, encodeURIComponent);
  expect(path).toBe('/record?court=K%C3%B6ln&type=HRB&number=12');
  expect(valuesIn(template, path, decodeURIComponent)).toEqual({ id: 'Köln/HRB/12' });
});

test('a text that does not fit the template has no query in it', () => {
  expect(valuesIn('name:{query}*', 'name:acme')).toBeNull();
  expect(valuesIn('{"uen":"{id:json}"}', '{"uen":"\\x"}')).toBeNull();
});

test.each([
  ['{query}', null],
  ['{query:odata}', null],
  ['{query:upper:odata}', null],
  ['name', 'must contain {query} exactly once'],
  ['{query} {query:json}', 'must contain {query} exactly once'],
  [
    '{query:upper:sql}',
    'has the unknown escape "upper:sql"; known escapes: 1, 2, 3, 4, 5, json, odata, lucene, basic, last, pad10, path, upper, words',
  ],
  [
    '{query:sql}',
    'has the unknown escape "sql"; known escapes: 1, 2, 3, 4, 5, json, odata, lucene, basic, last, pad10, path, upper, words',
  ],
])('a template is checked: %s', (template, fault) => {
  expect(templateFault(template, 'query')).toBe(fault);
});
