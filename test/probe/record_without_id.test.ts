import { expect, test } from 'vitest';
import { draftDialect } from '../../src/probe/dialect_draft.ts';
import { probeAt, syncAt } from '../support/probe.ts';
import { probedWith } from '../support/probed_api.ts';
import { startRegistry } from '../support/small_registry.ts';

/** Registries whose records do not repeat the number that was requested. */

const companies = Array.from({ length: 60 }, (_, index) => ({
  number: `${28_000_001 + 37 * index}`,
  name: `${['Harbour', 'Meadow', 'Castle', 'River', 'Stone'][index % 5]} ${['Limited', 'Foods', 'Holdings'][index % 3]} ${index}`,
}));
const matching = (text: string | null | undefined) =>
  companies.filter(({ name }) => name.toLowerCase().includes((text ?? '').toLowerCase()));

test('a registry whose records have no id is mirrored, and the requested id is theirs', async () => {
  const { place } = await startRegistry(({ pathname, params }) => {
    if (pathname === '/api/search') return { body: { data: matching(params.get('q')) } };
    const company = companies.find(({ number }) => pathname === `/api/entity/${number}`);
    return company === undefined
      ? { status: 404, body: { error: 'not found' } }
      : { body: { data: { title: company.name, street: `Road ${company.number.slice(4)}` } } };
  }, companies.length);
  const { draft } = await probeAt(place);
  expect(draft?.dialect).toMatchObject({
    search: { id: '/number', name: '/name' },
    entity: { root: '/data', id: null, name: '/title' },
  });
  const { known, records, ended } = await syncAt(place.config());
  expect([ended, known.size, records.size]).toEqual(['done', companies.length, companies.length]);
});

test('an address that returns the same record for each id opens none', () => {
  const beliefs = probedWith(
    ({ kind, params }) => {
      const text = params.find(([name]) => name === 'q')?.[1];
      const json = kind === 'entity' ? { data: { title: 'Castle Foods 7' } } : { data: matching(text) };
      return { status: 200, json };
    },
    { search: '/search', entity: '/companies/{id}', stats: null },
  );
  expect(beliefs.search?.record.value).toBeNull();
  expect(draftDialect(beliefs)).toBeNull();
});
