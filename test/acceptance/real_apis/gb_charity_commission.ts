// Great Britain, Charity Commission for England and Wales: register of charities.
// Facts: open clients of the API (paths, header of the key, fields of a charity).
// Hard: the query is a segment of the path, so no search lists everything; the response is a bare list of all matches,
// without pages or a total; a search without matches is a 404; the record path ends in a constant.
// Approximated: a query finds any part of a name.
import { ENGLISH } from './companies.ts';
import { digits, hasSubstring, standIn } from './server.ts';

const SEARCH = '/register/api/searchCharityName/';

export const gbCharityCommission = standIn({
  name: 'gb_charity_commission',
  locale: ENGLISH,
  rows: 500,
  cap: 1_000_000,
  hints: {
    paths: { search: `${SEARCH}{query}`, entity: '/register/api/charitydetails/{id}/0' },
    key_header: 'Ocp-Apim-Subscription-Key',
  },
  credential: (key) => ['ocp-apim-subscription-key', key],
  unauthorized: {
    status: 401,
    body: { statusCode: 401, message: 'Access denied due to missing subscription key.' },
  },
  record({ index, name, date }) {
    const id = digits(index, 7, 31);
    const charity_name = name.toUpperCase();
    const row = {
      organisation_number: 4_000_000 + index,
      reg_charity_number: Number(id),
      group_subsid_suffix: 0,
      charity_name,
      reg_status: 'R',
      date_of_registration: `${date}T00:00:00`,
      date_of_removal: null,
    };
    return { id, name: charity_name, row };
  },
  notFound: { status: 404, body: { title: 'Not Found', status: 404 } },
  reply({ path, rows }) {
    if (path.startsWith(SEARCH)) {
      const query = path.slice(SEARCH.length);
      const found = rows.filter(({ name }) => query !== '' && hasSubstring(query, name));
      return found.length === 0
        ? { status: 404, body: { title: 'Not Found', status: 404 } }
        : { body: found.map(({ row }) => row) };
    }
    const wanted = /^\/register\/api\/charitydetails\/(\d+)\/0$/.exec(path)?.[1];
    const charity = rows.find(({ id }) => id === wanted);
    return charity === undefined ? null : { body: { ...charity.row, charity_type: 'CIO' } };
  },
});
