import { expect, test } from 'vitest';
import { findResultList, idCandidates } from '../../src/probe/rows.ts';
import { probeAt, syncAt } from '../support/probe.ts';
import { searchExchange } from '../support/probe_exchanges.ts';
import { startRegistry } from '../support/small_registry.ts';

/** Registries whose rows or records are not objects in a list. */

const companies = Array.from({ length: 30 }, (_, index) => ({
  id: `${320_193 + 37 * index}`,
  name: `${['Harbour', 'Meadow', 'Castle', 'River', 'Stone'][index % 5]} ${['Limited', 'Foods', 'Holdings'][index % 3]} ${'ABCDEFGHIJ'[index % 10]}${'KLMNOPQRST'[Math.floor(index / 10)]}`,
}));
type Company = (typeof companies)[number];

const plainRecord = ({ id, name }: Company): unknown => ({ id, name, street: `Road ${id.slice(2)}` });

interface Form {
  /** The body of a search. */
  readonly listed: (found: readonly Company[]) => unknown;
  readonly record?: (company: Company) => unknown;
  /** The record's id in the path; undefined if it is the id. */
  readonly opens?: (company: Company) => string;
}

const FORMS: Readonly<Record<string, Form>> = {
  'objects, with an empty body if nothing was found': {
    listed: (found) => (found.length === 0 ? null : { hits: found.map(({ id, name }) => ({ id, name })) }),
  },
  'lists of cells without column names': {
    listed: (found) => [found.length, null, found.map(({ id, name }) => [name, id, `Road ${id.slice(2)}`])],
  },
  'values of an object with the ids as keys': {
    listed: (found) => Object.fromEntries(found.map(({ id, name }) => [`C${id}`, { name, city: 'Oslo' }])),
    record: ({ name }) => ({ name, street: 'Road' }),
    opens: ({ id }) => `C${id}`,
  },
  'values of an object with positions as keys': {
    listed: (found) => Object.fromEntries(found.map(({ id, name }, at) => [at, { number: id, title: name }])),
  },
  'objects, and its records are texts with JSON': {
    listed: (found) => ({ hits: found.map(({ id, name }) => ({ id, name })) }),
    record: (company) => ({
      code: 0,
      data: [{ kind: 'doc', payload: JSON.stringify({ of: plainRecord(company) }) }],
    }),
  },
  'objects, and its records have ids with ten digits': {
    listed: (found) => ({ hits: found.map(({ id, name }) => ({ id: Number(id), name })) }),
    opens: ({ id }) => id.padStart(10, '0'),
  },
};

test.each(Object.keys(FORMS))('a registry whose results are %s is mirrored', async (title) => {
  const { listed, record = plainRecord, opens = ({ id }) => id } = FORMS[title] as Form;
  const { place } = await startRegistry(({ pathname, params }) => {
    const text = (params.get('q') ?? '').toLowerCase();
    const found = companies.filter(({ name }) => name.toLowerCase().includes(text));
    if (pathname === '/api/search') return { body: listed(found) };
    const company = companies.find((one) => pathname === `/api/entity/${opens(one)}`);
    return company === undefined ? { status: 404, body: { error: 'not found' } } : { body: record(company) };
  }, companies.length);
  const { draft } = await probeAt(place);
  expect(draft).not.toBeNull();
  const { known, records, ended } = await syncAt(place.config());
  expect([ended, known.size, records.size]).toEqual(['done', companies.length, companies.length]);
});

test('a body that is the best match itself is the only row, although it contains a list', () => {
  const body = (vat: number, name: string) =>
    searchExchange({ vat, name, zipcode: '1000', units: [{ pno: 1_000_000_000 + vat, name }] });
  const found = findResultList(
    [body(16561993, 'Bageri ApS'), body(16561994, 'Anden ApS')],
    'https://r.example/api?vat={id}',
  );
  expect([found?.results, found?.ids[0]?.pointer]).toEqual(['', '/vat']);
});

test('an id of two values can end with a small number', () => {
  const rows = Array.from({ length: 30 }, (_, index) => ({
    organisation: 5_000_000 + index,
    reg_number: 200_000 + Math.floor(index / 2),
    suffix: index % 2,
    name: `Trust ${index}`,
  }));
  const found = idCandidates(rows, '/name', 'https://r.example/details/{id:path}').slice(0, 2);
  expect(found.map(({ pointer }) => pointer)).toContain('{/reg_number}/{/suffix}');
});
