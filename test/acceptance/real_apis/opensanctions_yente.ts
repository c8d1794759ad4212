// OpenSanctions, the yente API (search of a data set of companies).
// Facts: source of opensanctions/yente: yente/routers/search.py (parameters, paths), yente/data/common.py (envelope,
// facets, total as an object), yente/settings.py and yente/util.py (limit at most 500, a window of 9,999 that shortens
// pages), yente/search/queries.py (query string, AND). Key header of the hosted API: documentation of OpenSanctions.
// Hard: the total is `{value, relation}`; facets beside the results are lists of objects with `name`; each company has
// `caption` and a list of names without types; pages at the end of the window are shorter than asked for; out-of-range
// numbers are refused with 422 and a list; unknown parameters are ignored; the data set is part of the search path.
// Approximated: matching (every word of the query is a word of a name; a word with `*` at its end is a prefix).
import { AMERICAN } from './companies.ts';
import { code, hasWords, type Reply, standIn, whole, wordsOf } from './server.ts';

const SEARCH = '/search/companies';
const MAX_LIMIT = 500;

export const opensanctionsYente = standIn({
  name: 'opensanctions_yente',
  locale: AMERICAN,
  rows: 450,
  cap: 9_999,
  hints: {
    paths: { search: SEARCH, entity: '/entities/{id}' },
    key_header: 'Authorization: ApiKey {key}',
  },
  credential: (key) => ['authorization', `ApiKey ${key}`],
  unauthorized: {
    status: 401,
    body: { detail: 'No API key provided, or the key is not valid.' },
  },
  record(company) {
    const id = `NK-${code(company.index, 22, 'abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789')}`;
    const names = [company.name, ...company.formerNames];
    const body = {
      id,
      caption: company.name,
      schema: 'Company',
      properties: {
        name: names.length > 1 && company.index % 2 === 0 ? names.toReversed() : names,
        jurisdiction: ['us'],
        registrationNumber: [`US${10_000 + company.index}`],
        incorporationDate: [company.date],
        address: [`1 Main Street, ${company.town}`],
      },
      datasets: ['companies'],
      referents: [`us-co-${company.index}`],
      target: false,
      first_seen: '2023-04-20T10:00:00',
      last_seen: '2026-11-20T10:00:00',
      last_change: '2026-01-11T10:00:00',
    };
    return { id, name: company.name, names, body };
  },
  notFound: { status: 404, body: { detail: 'Not Found' } },
  reply({ path, params, rows, cap }) {
    if (path === SEARCH) {
      const limit = whole(params, 'limit', 10);
      const offset = whole(params, 'offset', 0);
      if (!(limit <= MAX_LIMIT)) return outOfRange('limit', params.get('limit'), MAX_LIMIT);
      if (!(offset <= cap)) return outOfRange('offset', params.get('offset'), cap);
      const from = Math.max(0, offset);
      const shown = Math.max(0, Math.min(limit, cap - from));
      const query = params.get('q') ?? '';
      const found = rows.filter(
        ({ names }) => query.trim() === '' || names.some((name) => matches(query, name)),
      );
      return {
        body: {
          limit: shown,
          offset: from,
          total: { value: found.length, relation: 'eq' },
          results: found.slice(from, from + shown).map(({ body }) => body),
          facets: {
            countries: {
              label: 'Countries',
              values: [{ name: 'us', label: 'United States', count: found.length }],
            },
            topics: { label: 'Topics', values: [] },
            datasets: {
              label: 'Data sources',
              values: [{ name: 'companies', label: 'Companies', count: found.length }],
            },
          },
        },
      };
    }
    const wanted = /^\/entities\/([^/]+)$/.exec(path)?.[1];
    if (wanted === undefined) return null;
    const entity = rows.find(({ id }) => id === wanted);
    if (entity === undefined) return { status: 404, body: { detail: 'No such entity!' } };
    return { body: entity.body };
  },
});

function matches(query: string, name: string): boolean {
  return query
    .trim()
    .split(/\s+/)
    .every((term) =>
      term.endsWith('*')
        ? wordsOf(name).some((word) => word.startsWith(wordsOf(term)[0] ?? ''))
        : hasWords(term, name),
    );
}

function outOfRange(parameter: string, input: string | null, maximum: number): Reply {
  return {
    status: 422,
    body: {
      detail: [
        {
          type: 'less_than_equal',
          loc: ['query', parameter],
          msg: `Input should be less than or equal to ${maximum}`,
          input,
          ctx: { le: maximum },
        },
      ],
    },
  };
}
