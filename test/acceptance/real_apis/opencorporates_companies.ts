// OpenCorporates, API 0.4 (companies of two jurisdictions, which use the same numbers).
// Facts: fvdm/nodejs-opencorporates and mikemaccana/nodejs-opencorporates (paths, fields of a company), maxharlow's
// tutorial of the API, open clients (`results.companies[].company`, `page`, `per_page`, `total_pages`, `total_count`).
// Hard: each company is in an object with one key, and the totals are beside the list, not at the root; the record path
// has the jurisdiction and the number, and each number belongs to two companies; former names are in a
// list with another key; a search for words does not match parts of words unless a word ends in `*`.
// Approximated: order, the error for pages after 10,000 results, text of a refused token.
import { ENGLISH } from './companies.ts';
import { digits, fold, standIn, whole, wordsOf } from './server.ts';

const SEARCH = '/v0.4/companies/search';
const RECORD = '/v0.4/companies/';

export const opencorporatesCompanies = standIn({
  name: 'opencorporates_companies',
  locale: ENGLISH,
  rows: 600,
  cap: 10_000,
  hints: {
    paths: { search: SEARCH, entity: `${RECORD}{id}` },
    key_header: 'X-API-TOKEN',
  },
  credential: (key) => ['x-api-token', key],
  unauthorized: { status: 401, body: { error: { message: 'Invalid Api Token' } } },
  record({ index, name, formerNames, town, date, isActive }) {
    const company_number = digits(Math.floor(index / 2), 8, 25);
    const jurisdiction_code = index % 2 === 0 ? 'im' : 'je';
    const company = {
      name,
      company_number,
      jurisdiction_code,
      incorporation_date: date,
      dissolution_date: isActive ? null : '2024-01-31',
      company_type: 'Private Limited Company',
      branch: null,
      inactive: !isActive,
      current_status: isActive ? 'Active' : 'Dissolved',
      registered_address_in_full: `1 High Street, ${town}`,
      previous_names: formerNames.map((company_name) => ({ company_name, con_date: date })),
      source: { publisher: 'Company register', retrieved_at: '2026-11-01T00:00:00+00:00' },
    };
    return { id: `${jurisdiction_code}/${company_number}`, name, names: [name, ...formerNames], company };
  },
  notFound: { status: 404, body: { api_version: '0.4', error: { message: 'Not found' } } },
  reply({ path, params, url, rows, cap }) {
    if (path === SEARCH) {
      const page = whole(params, 'page', 1);
      const perPage = Math.min(whole(params, 'per_page', 30), 100);
      if (!(page >= 1 && perPage >= 1) || page * perPage > cap) {
        const message = `Invalid page: at most ${cap} results can be paged`;
        return { status: 400, body: { api_version: '0.4', error: { message } } };
      }
      const query = params.get('q') ?? '';
      const found = rows.filter(({ names }) => names.some((name) => matches(query, name)));
      return {
        body: {
          api_version: '0.4',
          results: {
            companies: found.slice((page - 1) * perPage, page * perPage).map(({ company }) => ({ company })),
            page,
            per_page: perPage,
            total_pages: Math.ceil(found.length / perPage),
            total_count: found.length,
          },
        },
      };
    }
    if (!path.startsWith(RECORD) || url.pathname.includes('%2F')) return null;
    const company = rows.find(({ id }) => id === path.slice(RECORD.length))?.company;
    return company === undefined ? null : { body: { api_version: '0.4', results: { company } } };
  },
});

function matches(query: string, name: string): boolean {
  const words = wordsOf(name);
  const terms = query.split(/[^\p{L}\p{N}*]+/u).filter((term) => term !== '');
  return terms.every((term) =>
    term.endsWith('*')
      ? words.some((word) => word.startsWith(fold(term.replace(/\*+$/, ''))))
      : words.includes(fold(term)),
  );
}
