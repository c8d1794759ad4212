import { expect, it } from 'vitest';
import type { ProbeExchange } from '../../src/probe/exchange.ts';
import { believeParams } from '../../src/probe/params.ts';
import { roleOfParam } from '../../src/probe/words.ts';
import { probedWith } from '../support/probed_api.ts';

const FIRST =
  'Amber Birch Cedar Delta Ember Fjord Grove Hazel Ivory Jade Koral Linden Maple Norden Opal'.split(' ');
const SECOND = 'Bakery Foundry Shipping Textiles Vineyard Quarry Sawmill Brewery Print Chapel'.split(' ');
const COMPANIES = FIRST.flatMap((first, one) =>
  SECOND.map((second, other) => ({ id: `R${1000 + one * 7 + other * 131}`, name: `${first} ${second}` })),
);

/** Returns the company at a record's path, and a 404 for any other path. */
function recordAt(path: string, companies: typeof COMPANIES) {
  const company = companies.find(({ id }) => path.endsWith(`/${id}`));
  return company === undefined ? { status: 404, json: {} } : { status: 200, json: company };
}

it.each(
  Object.entries({
    size: 'rowlimit numRows perpage resultsPerPage maxrows recordcount Limit ps rpp page_len',
    page: 'pageno curpage pageIndex pgno pn page_nr resultPage',
    offset: 'startrow resultStart firstResult start_index limitstart offSet os begin_record skiprows',
  }).flatMap(([role, names]) => names.split(' ').map((name) => [name, role])),
)('%s means a %s', (name, role) => {
  expect(roleOfParam(name)).toBe(role);
});

it.each([
  ['rowlimit', 'offset'],
  ['ps', 'offset'],
  ['limit', 'startrow'],
  ['limit', 'firstResult'],
  ['numRows', 'os'],
])('an API that ignores other names is read with %s and %s', (size, offset) => {
  const { search } = probedWith(({ kind, path, params }) => {
    if (kind !== 'search') return recordAt(path, COMPANIES);
    const sent = new Map(params);
    const text = (sent.get('q') ?? '').toLowerCase();
    const found = COMPANIES.filter(({ name }) => name.toLowerCase().includes(text));
    const from = Number(sent.get(offset) ?? 0);
    const rows = Math.min(50, Number(sent.get(size) ?? 10));
    return { status: 200, json: { total: found.length, items: found.slice(from, from + rows) } };
  });
  expect(search?.size.param.value).toBe(size);
  expect(search?.paging.value).toEqual({ style: 'offset', param: offset, first: 0 });
});

it('the only parameter that moves the rows is sent alone with 1, which shows whether pages count from 0', () => {
  const chapters = [0, 1, 2].flatMap((chapter) =>
    COMPANIES.map(({ id, name }) => ({
      id: `${id}${chapter}`,
      name: `${name}${chapter === 0 ? '' : ` ${chapter}`}`,
    })),
  );
  const { search } = probedWith(({ kind, path, params }) => {
    if (kind !== 'search') return recordAt(path, chapters);
    const sent = new Map(params);
    const words = (name: string) => name.toLowerCase().split(' ');
    const text = sent.get('q')?.toLowerCase();
    const found = chapters.filter(({ name }) => text === undefined || words(name).includes(text));
    const at = Number(sent.get('page') ?? 0);
    const rows = found.slice(at * 25, at * 25 + 25);
    const json = {
      total_results: found.length,
      organizations: rows.map((row, index) => ({ ...row, sub_name: `${row.name} ${index}` })),
      num_pages: Math.ceil(found.length / 25),
      cur_page: at,
      page_offset: at * 25,
      per_page: 25,
      search_query: text ?? null,
    };
    return { status: found.length > 0 ? 200 : 404, json };
  });
  expect(search?.paging.value).toEqual({ style: 'page', param: 'page', first: 0 });
});

it('a parameter that a link repeats from its request is no parameter of the API', () => {
  const exchange = {
    request: { kind: 'search', path: '/firms', params: [['rows', '9']], why: '' },
    status: 200,
    headers: {},
    json: { next: '/firms?rows=9&after=x' },
    text: '',
    reading: 'ok',
  } as const satisfies ProbeExchange;
  const sources = { configured: [], constant: [], stated: [], inPath: [], keys: [], envelope: [] };
  const lenient = { ...exchange, request: { ...exchange.request, params: GUESSES } };
  expect([...believeParams([exchange, lenient], sources).known]).toEqual(['after']);
});

it('an error about many unknown parameters and a short value refuses only the unknown ones', () => {
  const refusal = (
    params: ProbeExchange['request']['params'],
    messages: readonly string[],
  ): ProbeExchange => ({
    request: { kind: 'search', path: '/firms', params, why: '' },
    status: 400,
    headers: {},
    json: { errors: messages.map((message) => ({ message })) },
    text: '',
    reading: 'refused',
  });
  const bare = refusal([], ["The parameter 'title' is required."]);
  const guesses = refusal(
    [...GUESSES, ['title', 'co']],
    [...GUESSES.map(([name]) => `Unknown parameter '${name}'.`), "'title' must have at least 3 characters."],
  );
  const sources = { configured: [], constant: [], stated: [], inPath: [], keys: [], envelope: [] };
  expect([...believeParams([bare, guesses], sources).refused].sort()).toEqual([
    'count',
    'limit',
    'rows',
    'size',
  ]);
});

const GUESSES = ['limit', 'size', 'count', 'rows'].map((name) => [name, '9'] as const);

it('the question for the address of a record names the requested paths, and other fields that may be the id', () => {
  const requested: string[] = [];
  const { questions } = probedWith(({ kind, path, params }) => {
    if (kind === 'entity') requested.push(path);
    if (kind !== 'search') return { status: 404, json: {} };
    const text = (new Map(params).get('q') ?? '').toLowerCase();
    const found = COMPANIES.filter(({ name }) => name.toLowerCase().includes(text));
    const items = found.slice(0, 10).map(({ id, name }) => ({ id, name, code: `C-${id}` }));
    return { status: 200, json: { total: found.length, items } };
  });
  const { text = '' } = questions.find(({ about }) => about === 'record') ?? {};
  expect(text).toContain(`${requested.at(-1)}: HTTP 404`);
  expect(text).toMatch(/such as [^,]*\/code/);
  for (const [path = ''] of text.matchAll(/\/api\/entity\/[^:]+/g)) expect(requested).toContain(path);
});

it('words of the constant parameters are tried as the query parameter', () => {
  const artists = Array.from({ length: 60 }, (_, index) => ({
    mbid: `a-${1000 + index}`,
    name: `${['Limited', 'Oceanic', 'Marine'][index % 3]} Sound ${index}`,
  }));
  const { query } = probedWith(
    ({ kind, path, params }) => {
      const artist = artists.find(({ mbid }) => path.endsWith(mbid));
      if (kind === 'entity') return { status: artist === undefined ? 404 : 200, json: artist ?? {} };
      const word = new Map(params).get('artist')?.toLowerCase();
      if (word === undefined) return { status: 400, json: { message: 'Your request lacks a parameter.' } };
      const found = artists.filter(({ name }) => name.toLowerCase().includes(word));
      return { status: 200, json: { total: found.length, matches: found.slice(0, 20) } };
    },
    { search: '/2.0?method=artist.find', entity: '/2.0/{id}', stats: null },
  );
  expect(query.value?.param).toBe('artist');
});

it('a query parameter named like a key in the rows is tried with the first names', () => {
  const { search } = probedWith(({ kind, path, params }) => {
    const row = ({ id, name }: (typeof COMPANIES)[number]) => ({ id, nazwy: { pelna: name } });
    if (kind !== 'search') {
      const { status, json } = recordAt(path, COMPANIES);
      return { status, json: 'id' in json ? row(json) : json };
    }
    const sent = new Map(params);
    const words = (sent.get('nazwa') ?? '').toLowerCase().split(' ');
    const found = COMPANIES.filter(({ name }) =>
      words.every((word) => word === '' || name.toLowerCase().split(' ').includes(word)),
    );
    const from = 10 * (Number(sent.get('page') ?? 1) - 1);
    return { status: 200, json: { items: found.slice(from, from + 10).map(row) } };
  });
  expect(search?.namePath).toBe('/nazwy/pelna');
  expect(search?.paging.value).toEqual({ style: 'page', param: 'page', first: 1 });
  expect(search?.rule.value).toBe('token');
});
