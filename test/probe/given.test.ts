import { expect, test } from 'vitest';
import type { StatedDialect } from '../../src/dialect/dialect.ts';
import { draftDialect } from '../../src/probe/dialect_draft.ts';
import type { ProbeRequest } from '../../src/probe/exchange.ts';
import { probedWith } from '../support/probed_api.ts';

/** An incomplete dialect in the configuration: `probe` takes its keys as certain, and learns the others. */

const companies = Array.from({ length: 30 }, (_, index) => ({
  internal: 7 * index + 3,
  name: `${['Harbour', 'Meadow', 'Castle', 'River', 'Stone'][index % 5]} ${['Limited', 'Foods', 'Holdings'][index % 3]} ${index}`,
  // A third of the companies have no number yet.
  register: index % 3 === 0 ? null : { court: `C${index % 4}`, key: `K${5000 + index}` },
}));
const paths = { search: '/search', entity: '/companies/{id}', stats: null };

/** Finds companies by a word of their name with the parameter `naam`. Only the register's key opens a record. */
function reply({ kind, path, params }: ProbeRequest) {
  if (kind === 'entity') {
    const company = companies.find(({ register }) => register !== null && path.endsWith(`/${register.key}`));
    return company === undefined ? { status: 404, json: {} } : { status: 200, json: { found: { company } } };
  }
  const text = params.find(([name]) => name === 'naam')?.[1].toLowerCase();
  const matching = companies.filter(({ name }) => text === undefined || name.toLowerCase().includes(text));
  return { status: 200, json: { data: matching.map((company) => ({ company })), results: [] } };
}

const given = (dialect: StatedDialect) => probedWith(reply, paths, undefined, dialect);

test('an id that many companies lack is taken if the user sets it, inside the company or not', () => {
  expect(draftDialect(given({}))).toBeNull();
  for (const id of ['/register/key', '/company/register/key']) {
    const beliefs = given({ search: { id } });
    expect(beliefs.search?.id.certainty).toBe('sure');
    expect(draftDialect(beliefs)?.dialect).toMatchObject({
      search: { query_param: 'naam', results: '/data', item: '/company', id: '/register/key', name: '/name' },
      entity: { root: '/found/company', id: '/register/key', name: '/name' },
    });
  }
});

test('no search for names is sent to an API that only lists, if the user states that', () => {
  const beliefs = given({ search: { query_param: null, id: '/register/key' } });
  const searched = beliefs.searches.filter(({ params }) =>
    params.some(([, value]) => /\p{L}{3}/u.test(value)),
  );
  expect(searched).toEqual([]);
  expect(draftDialect(beliefs)?.dialect.search).toMatchObject({ query_param: null, min_length: 0 });
});

test.each<[string, StatedDialect]>([
  ['a list', { search: { results: '/data' } }],
  ['a name', { search: { name: '/name' } }],
  ['no name', { search: { name: null } }],
  ['a total', { search: { total: '/count' } }],
  ['a page', { search: { paging: { style: 'offset', param: 'from', size: 10, size_param: 'rows' } } }],
  ['a page size', { search: { paging: { size: 33, size_param: 'rows' } } }],
  ['a query parameter', { search: { query_param: 'naam' } }],
  ['a query form', { search: { query_param: 'naam', query_template: '{query:upper}' } }],
  ['a query rule', { search: { matches: 'token', identifiers: 'exact', min_length: 2 } }],
  ['a fixed parameter', { search: { extra: { format: 'json' } } }],
  ['a record', { entity: { root: '/found/company', id: '/register/key', name: '/register/court' } }],
  ['statistics', { stats: { total: '/count' } }],
  ['other keys', { volatile: ['/read_at'], responses: [{ status: 418, means: 'throttled' }] }],
])('probe keeps %s that the user has set', (_title, dialect) => {
  const id = '/register/key';
  const draft = draftDialect(given({ ...dialect, search: { id, ...dialect.search } }));
  expect(draft?.dialect).toMatchObject(dialect);
});

test('a list that the user sets is taken although another list looks more like companies', () => {
  const listed = (text: string) =>
    companies.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()));
  const withNotices = (request: ProbeRequest) => {
    if (request.kind === 'entity') return reply(request);
    const found = listed(request.params.find(([name]) => name === 'naam')?.[1] ?? '');
    const firms = found.flatMap(({ register, name }) =>
      register === null ? [] : [{ key: register.key, name }],
    );
    const notices = found.map(({ internal, name }) => ({
      id: internal,
      name,
      city: 'Oslo',
      kind: 'A',
      year: 1990,
    }));
    return { status: 200, json: { notices, firms } };
  };
  const probed = (dialect: StatedDialect) => probedWith(withNotices, paths, undefined, dialect);
  expect(probed({}).search?.listing.results).toBe('/notices');
  expect(probed({ search: { results: '/firms' } }).search?.listing.results).toBe('/firms');
});
