import { expect, test } from 'vitest';
import { draftDialect } from '../../src/probe/dialect_draft.ts';
import type { ProbeRequest } from '../../src/probe/exchange.ts';
import { probeAt, syncAt } from '../support/probe.ts';
import { probedWith } from '../support/probed_api.ts';
import { startRegistry } from '../support/small_registry.ts';

/** Registries that answer each request for companies with the same list. */

const companies = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: `R${1000 + index}`,
    name: `${['Harbour', 'Meadow', 'Castle', 'River', 'Stone'][index % 5]} ${['Trading', 'Foods', 'Holdings'][index % 3]} ${index}`,
  }));

test('a registry that returns all companies in each response is mirrored with one search', async () => {
  const all = companies(121);
  const { place, calls } = await startRegistry(({ pathname }) => {
    const body = pathname === '/api/search' ? all : all.find(({ id }) => pathname === `/api/entity/${id}`);
    return { status: body === undefined ? 404 : 200, body };
  });
  const { draft, run, questions } = await probeAt(place);
  expect(draft?.dialect.search).toMatchObject({ query_param: null, results: '', id: '/id', name: '/name' });
  expect(questions.map(({ about }) => about)).toEqual(['query_param']);
  expect(run.totals.calls).toBeLessThanOrEqual(16);
  const before = calls();
  const { known, records, ended } = await syncAt(place.config());
  expect([ended, known.size, records.size]).toEqual(['done', 121, 121]);
  expect(calls() - before).toBeLessThanOrEqual(121);
});

test.each([
  ['a usual limit', 250, {}],
  ['a small list', 60, {}],
  ['a list with a larger total', 121, { total: 500 }],
])('%s is not taken for all companies', (_title, count, rest) => {
  const listed = companies(count);
  const reply = ({ kind, path }: ProbeRequest) => {
    if (kind !== 'entity') return { status: 200, json: { data: listed, ...rest } };
    const company = listed.find(({ id }) => path.endsWith(`/${id}`));
    return company === undefined ? { status: 404, json: {} } : { status: 200, json: company };
  };
  const beliefs = probedWith(reply, { search: '/search', entity: '/companies/{id}', stats: null });
  expect(beliefs.search?.listing.results).toBe('/data');
  expect(beliefs.questions.map(({ about }) => about)).toEqual(['query_param']);
  expect(draftDialect(beliefs)).toBeNull();
});
