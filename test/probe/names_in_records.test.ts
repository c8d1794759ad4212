import { expect, it } from 'vitest';
import type { Json } from '../../src/json/json.ts';
import { draftDialect } from '../../src/probe/dialect_draft.ts';
import type { ProbeRequest } from '../../src/probe/exchange.ts';
import { probedWith } from '../support/probed_api.ts';

const NAMES = ['Amber', 'Birch', 'Cedar', 'Dover', 'Ember', 'Flint', 'Grove', 'Heath', 'Ivory', 'Jade'];
const companies = Array.from({ length: 30 }, (_, at) => ({
  id: `61${(7919 * (at + 3)).toString(16)}af`,
  name: `${NAMES[at % 10]} ${['Trading', 'Foods', 'Motors'][Math.floor(at / 10)]} Ltd`,
}));

/** Lists ids, at most ten on a page, and answers with a company's record. */
function probed(
  listed: (ids: readonly string[]) => Json,
  record: (company: (typeof companies)[number], at: number) => Json,
) {
  const reply = ({ kind, path, params }: ProbeRequest) => {
    const at = companies.findIndex(({ id }) => path.endsWith(`/${id}`));
    const company = companies[at];
    if (kind === 'entity') return company === undefined ? NOT_FOUND : ok(record(company, at));
    const sent = Object.fromEntries(params);
    const first = Number(sent.offset ?? 0);
    const size = Math.min(Number(sent.limit ?? 10), 10);
    return ok(listed(companies.slice(first, first + size).map(({ id }) => id)));
  };
  return probedWith(reply, { search: '/companies', entity: '/companies/{id}', stats: null });
}

const NOT_FOUND = { status: 404, json: { error: 'not found' } };
const ok = (json: Json) => ({ status: 200, json });

it('the name is the text that differs in the records if the rows have only ids', () => {
  const beliefs = probed(
    (ids) => ({ data: ids.map((id) => ({ id })) }),
    ({ id, name }) => ({ data: [{ id, status: 'Active', legalName: name, town: 'Turin' }] }),
  );
  expect(beliefs.search?.name.value).toBeNull();
  expect(beliefs.search?.record).toMatchObject({
    certainty: 'likely',
    value: { root: '/data/0', id: '/id', name: '/legalName' },
  });
});

it('after the id of a record is known, the next record is opened with another id of the same kind', () => {
  const reply = ({ kind, path }: ProbeRequest) => {
    if (kind === 'search')
      return ok(companies.map((_, at) => ({ tax_id: 900 + at * 7, number: 100 + at * 3 })));
    const at = companies.findIndex((_, index) => path.endsWith(`=${100 + index * 3}`));
    return ok(
      at === -1 ? {} : { number: 100 + at * 3, seat: 'Turin', firm: { text: companies[at]?.name ?? '' } },
    );
  };
  const beliefs = probedWith(reply, { search: '/companies', entity: '/records?no={id}', stats: null });
  expect(beliefs.search?.record).toMatchObject({
    certainty: 'likely',
    value: { id: '/number', name: '/firm/text' },
  });
});

it('a list of bare ids is the list of results if they open records', () => {
  const beliefs = probed(
    (ids) => ({ success: true, ids: [...ids] }),
    ({ id, name }) => ({ result: { key: id, title: name } }),
  );
  const dialect = draftDialect(beliefs)?.dialect;
  expect(dialect?.search).toMatchObject({ results: '/ids', id: '/value', name: null });
  expect(dialect?.search.paging).toMatchObject({ style: 'offset', param: 'offset' });
  expect(dialect?.entity).toMatchObject({ root: '/result', id: '/key', name: '/title' });
});

it('a record can be in a list with an element for each language, and a flag marks its current name', () => {
  const beliefs = probed(
    (ids) => ({ results: ids.map((id) => ({ id })) }),
    ({ id, name }, at) =>
      ['Act', 'Loi'].map((act) => ({
        id,
        act,
        names: [
          ...(at % 4 === 0 ? [{ name: `Old ${name}`, type: 'Primary', current: false }] : []),
          { name, type: 'Primary', current: true },
        ],
      })),
  );
  expect(beliefs.search?.record.value).toEqual({
    root: '/0',
    id: '/id',
    name: '/names/[current=true]/name',
  });
});

it('without a name in rows and records, there is no dialect, and a question asks for the name', () => {
  const beliefs = probed(
    (ids) => ({ data: ids.map((id) => ({ id })) }),
    ({ id }) => ({ id, status: 'Active' }),
  );
  expect(draftDialect(beliefs)).toBeNull();
  expect(beliefs.questions[0]?.text).toContain('Where is the name in a record?');
});

/** Rows of studies. A study has a title, and an organisation that has a name. */
const studies = (inRow: (title: string) => { readonly [key: string]: Json }) => {
  const study = ({ id, name }: (typeof companies)[number]) => ({
    study: { id },
    organization: { fullName: name },
    ...inRow(`Trial of ${name.split(' ').reverse().join(' ')}`),
  });
  return probed((ids) => {
    const first = companies.findIndex(({ id }) => id === ids[0]);
    return { data: ids.map((_, at) => study(companies[first + at] ?? NORTH)) };
  }, study);
};
const NORTH = { id: '1', name: 'North' };

it('a text that equals the id in every row is not the name', () => {
  const stock = ({ id, name }: (typeof companies)[number]) => {
    const symbol = [...id].map((digit) => 'abcdefghijklmnop'[Number.parseInt(digit, 16)]).join('');
    return { id, symbol, displaySymbol: symbol, description: name.toUpperCase() };
  };
  const listed = (ids: readonly string[]) =>
    ids.map((id) => ({ ...stock(companies.find((one) => one.id === id) ?? NORTH), id: null }));
  const reply = ({ kind, path }: ProbeRequest) => {
    const company = companies.find((one) => path.endsWith(`/${stock(one).symbol}`));
    if (kind === 'search') return ok({ result: listed(companies.map(({ id }) => id)) });
    return company === undefined ? NOT_FOUND : ok({ ticker: stock(company).symbol });
  };
  const { search } = probedWith(reply, { search: '/search', entity: '/profiles/{id}', stats: null });
  expect([search?.idPath, search?.namePath]).toEqual(['/symbol', '/description']);
});

it('a name beside the id comes before the name in another object', () => {
  const { search } = studies((title) => ({ id: title.replaceAll(' ', ''), title }));
  expect(search?.namePath).toBe('/title');
});

it('if two objects have a name and no query shows which is right, there is no dialect but a question', () => {
  const beliefs = studies((title) => ({ protocol: { fullName: title } }));
  expect(draftDialect(beliefs)).toBeNull();
  expect(beliefs.questions[0]?.text).toContain('/organization/fullName and /protocol/fullName');
});

it('two paths to the same element of a list are one name', () => {
  const beliefs = studies((title) => ({
    names: [{ text: title.toUpperCase(), language: 'en', use: 'official' }],
    organization: null,
  }));
  expect(beliefs.search?.namePath).toMatch(/^\/names\//);
  expect(draftDialect(beliefs)?.dialect.search.name).toMatch(/^\/names\//);
});

it('without a record at the configured path, a question shows the request and asks for the path', () => {
  const { questions } = probedWith(({ kind, params }) => {
    if (kind !== 'search') return { status: 404, json: {} };
    const text = (new Map(params).get('q') ?? '').toLowerCase();
    const results = companies.filter(({ name }) => name.toLowerCase().includes(text));
    return { status: 200, json: { results, total: results.length } };
  });
  const text = questions[0]?.text ?? '';
  expect(text).toMatch(/\(\/api\/entity\/\S+: HTTP 404 with JSON[;)]/);
  expect(text).toContain('upstream.paths.entity');
});
