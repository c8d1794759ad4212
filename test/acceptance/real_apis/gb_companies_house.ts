// United Kingdom, Companies House public data API.
// Facts: companieshouse/api-sdk-node and gocardless/companies-house-rest (paths, parameters), response types of several
// open clients (`items`, `title`, `total_results`, `links.self`), issues of MatthewSmith430/CompaniesHouse (words of a
// query are joined by OR), the developer guide (basic authentication with the key as the user).
// Hard: the name is `title` in a search and `company_name` in a record; words are joined by OR, so a longer query finds
// more; results after the first 1,000 are an empty page without an error, whatever the total is; a larger page size
// than 100 is lowered silently; company numbers have letters and leading zeros; unknown parameters are ignored.
// Approximated: order (more matching words first), the limit of 1,000, text of a missing query.
import { ENGLISH } from './companies.ts';
import { digits, standIn, whole, wordsOf } from './server.ts';

const SEARCH = '/search/companies';

export const gbCompaniesHouse = standIn({
  name: 'gb_companies_house',
  locale: ENGLISH,
  rows: 900,
  cap: 1_000,
  hints: {
    paths: { search: SEARCH, entity: '/company/{id}' },
    key_header: 'Authorization: Basic {key}',
  },
  credential: (key) => ['authorization', `Basic ${key}`],
  unauthorized: { status: 401, body: { error: 'Invalid Authorization', type: 'ch:service' } },
  record({ index, name, formerNames, town, date, isActive, form }) {
    const prefix = ['SC', 'NI', '0', '0', '1'][index % 5] ?? '0';
    const id = `${prefix}${digits(index, 8 - prefix.length, 17)}`;
    const title = name.toUpperCase();
    const address = { premises: '1', address_line_1: 'High Street', locality: town, postal_code: 'AB1 2CD' };
    const status = isActive ? 'active' : 'dissolved';
    const item = {
      kind: 'searchresults#company',
      title,
      company_number: id,
      company_status: status,
      company_type: form === 'PLC' ? 'plc' : 'ltd',
      date_of_creation: date,
      description: `${id} - Incorporated on ${date}`,
      description_identifier: ['incorporated-on'],
      address,
      address_snippet: `1 High Street, ${town}, AB1 2CD`,
      snippet: formerNames.join(' '),
      matches: { title: [1, 4], snippet: [] },
      links: { self: `/company/${id}` },
    };
    const profile = {
      company_number: id,
      company_name: title,
      company_status: status,
      type: item.company_type,
      date_of_creation: date,
      jurisdiction: 'england-wales',
      registered_office_address: address,
      sic_codes: ['82990'],
      etag: digits(index, 12, 18),
      links: { self: `/company/${id}`, filing_history: `/company/${id}/filing-history` },
      ...(formerNames.length === 0
        ? {}
        : {
            previous_company_names: formerNames.map((former) => ({
              name: former.toUpperCase(),
              effective_from: '1990-01-01',
              ceased_on: date,
            })),
          }),
    };
    return { id, name: title, words: [...wordsOf(title), id.toLowerCase()], item, profile };
  },
  notFound: { status: 404 },
  reply({ path, params, rows, cap }) {
    if (path === SEARCH) {
      const query = params.get('q') ?? '';
      if (query === '') {
        const error = {
          error: 'search-query-missing',
          location: 'q',
          location_type: 'query-parameter',
          type: 'ch:validation',
        };
        return { status: 400, body: { errors: [error] } };
      }
      const start = Math.max(0, whole(params, 'start_index', 0) || 0);
      const size = Math.min(100, Math.max(1, whole(params, 'items_per_page', 20) || 20));
      const wanted = wordsOf(query);
      const found = rows
        .map((company) => ({ company, hits: wanted.filter((word) => company.words.includes(word)).length }))
        .filter(({ hits }) => hits > 0)
        .sort((a, b) => b.hits - a.hits)
        .map(({ company }) => company);
      const items = found.slice(0, cap).slice(start, start + size);
      return {
        body: {
          kind: 'search#companies',
          items: items.map(({ item }) => item),
          items_per_page: size,
          page_number: Math.floor(start / size) + 1,
          start_index: start,
          total_results: found.length,
        },
      };
    }
    const wanted = /^\/company\/(\w+)$/.exec(path)?.[1];
    if (wanted === undefined) return null;
    const company = rows.find(({ id }) => id === wanted);
    if (company !== undefined) return { body: company.profile };
    const error = { error: 'company-profile-not-found', type: 'ch:service' };
    return { status: 404, body: { errors: [error] } };
  },
});
