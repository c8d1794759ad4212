// Ireland, Companies Registration Office: CRO Web Services (CWS).
// Facts: moose115/cro-ie (fields of a company), a source document of an open lookup adapter (paths, `company_bus_ind`,
// `searchType=3` contains the phrase, basic authentication, `htmlEnc`), open clients (`skip`, `max`, a bare list), a
// Laravel client (at most 100 a page).
// Hard: a bare list without a total; a parameter chooses the rule of matching; the record path ends in a constant; numbers
// of companies and of business names overlap, so the indicator is part of the identity; missing dates are the year 1; a
// page larger than the maximum is shortened silently; unknown parameters are ignored.
// Approximated: the default rule (prefix of the name), the largest page of 100, texts of errors.
import { ENGLISH } from './companies.ts';
import { digits, hasPrefix, hasSubstring, standIn, whole } from './server.ts';

const SEARCH = '/cws/companies';
const MAX_PAGE = 100;

export const ieCro = standIn({
  name: 'ie_cro',
  locale: ENGLISH,
  rows: 500,
  cap: 1_000_000,
  hints: {
    paths: { search: `${SEARCH}?company_bus_ind=C`, entity: '/cws/company/{id}/C' },
    key_header: 'Authorization: Basic {key}',
  },
  credential: (key) => ['authorization', `Basic ${key}`],
  unauthorized: { status: 401, body: '' },
  record({ index, name, town, date, isActive }) {
    const id = digits(index, 6, 26);
    const upper = name.toUpperCase();
    const row = {
      company_num: Number(id),
      company_bus_ind: 'C',
      company_name: upper,
      company_addr_1: '1 MAIN STREET',
      company_addr_2: town.toUpperCase(),
      company_addr_3: '',
      company_addr_4: 'IRELAND',
      company_reg_date: `${date}T00:00:00Z`,
      company_status_desc: isActive ? 'Normal' : 'Dissolved',
      company_status_date: isActive ? '0001-01-01T00:00:00Z' : '2024-03-01T00:00:00Z',
      last_ar_date: '2025-09-30T00:00:00Z',
      next_ar_date: '0001-01-01T00:00:00Z',
      last_acc_date: '0001-01-01T00:00:00Z',
      comp_type_desc: 'LTD - Private Company Limited by Shares',
      company_type_code: 1153,
      company_status_code: isActive ? 1158 : 1157,
      place_of_business: '',
      eircode: '',
    };
    return { id, name: upper, row };
  },
  notFound: {
    status: 404,
    body: { Message: 'No HTTP resource was found that matches the request URI.' },
  },
  reply({ path, params, rows, cap }) {
    if (path === SEARCH) {
      const name = params.get('company_name') ?? '';
      const number = params.get('company_num');
      const skip = whole(params, 'skip', 0);
      const size = Math.min(whole(params, 'max', MAX_PAGE), MAX_PAGE);
      if (name === '' && number === null) {
        return {
          status: 400,
          body: { Message: 'Either company_name or company_num is required.' },
        };
      }
      if (!(skip >= 0 && size >= 0)) return { status: 400, body: { Message: 'The request is invalid.' } };
      const isMatch = params.get('searchType') === '3' ? hasSubstring : hasPrefix;
      const found = rows
        .filter(() => ['C', 'E', ''].includes(params.get('company_bus_ind') ?? ''))
        .filter((company) => isMatch(name, company.name))
        .filter(({ id }) => number === null || id === number);
      return {
        body: found
          .slice(0, cap)
          .slice(skip, skip + size)
          .map(({ row }) => row),
      };
    }
    const wanted = /^\/cws\/company\/(\d+)\/C$/.exec(path)?.[1];
    if (wanted === undefined) return null;
    const company = rows.find(({ id }) => id === wanted);
    if (company === undefined) return { status: 404, body: { Message: 'Company not found.' } };
    return { body: company.row };
  },
});
