// USA, NPPES NPI Registry, API 2.1 (organizations only).
// Facts: the API help as quoted by the R packages ropensci/npi and andrewallenbruce/provider (limit 1 to 200, skip at
// most 1,000, so 1,200 records in six calls; a trailing `*` needs two characters), open clients (`version=2.1` is
// mandatory, `result_count`, `results[0].basic`, errors in `Errors` with status 200).
// Hard: a constant parameter is mandatory; `result_count` counts only the page and there is no total; every error is a
// 200; a query without `*` matches only a whole name; other names of the company match too; the record is the search
// path with `number` and has a list of one; skip has a limit.
// Approximated: texts and numbers of the errors; unknown parameters are ignored; order.
import { AMERICAN } from './companies.ts';
import { digits, fold, hasPrefix, type Reply, standIn, whole } from './server.ts';

const PATH = '/api/';
const MAX_LIMIT = 200;

export const usNpi = standIn({
  name: 'us_npi',
  locale: AMERICAN,
  rows: 800,
  cap: 1_200,
  hints: { paths: { search: `${PATH}?version=2.1`, entity: `${PATH}?version=2.1&number={id}` } },
  record({ index, name, formerNames, town, date, trade }) {
    const id = digits(index, 10, 7);
    const upper = name.toUpperCase();
    const otherNames = formerNames.map((former) => former.toUpperCase());
    const body = {
      created_epoch: '1117584000000',
      enumeration_type: 'NPI-2',
      last_updated_epoch: '1583366400000',
      number: id,
      addresses: [
        {
          country_code: 'US',
          address_purpose: 'MAILING',
          address_1: '1 MAIN ST',
          city: town.toUpperCase(),
          state: 'CO',
        },
        {
          country_code: 'US',
          address_purpose: 'LOCATION',
          address_1: '2 MAIN ST',
          city: town.toUpperCase(),
          state: 'CO',
        },
      ],
      practiceLocations: [],
      basic: {
        organization_name: upper,
        organizational_subpart: 'NO',
        enumeration_date: date,
        last_updated: '2024-03-05',
        status: 'A',
        authorized_official_first_name: 'JORDAN',
        authorized_official_last_name: 'MILLER',
      },
      taxonomies: [{ code: '261Q00000X', desc: trade, primary: true }],
      identifiers: [],
      endpoints: [],
      other_names: otherNames.map((organization_name) => ({
        organization_name,
        type: 'Doing Business As',
        code: '3',
      })),
    };
    return { id, name: upper, names: [upper, ...otherNames], body };
  },
  notFound: { status: 404, body: '<h1>Not Found</h1>' },
  reply({ path, params, rows, cap }) {
    if (path !== PATH && path !== '/api') return null;
    if (params.get('version') !== '2.1')
      return failure('version', 'Unsupported Version. Supported version: 2.1', '19');
    const number = params.get('number');
    const name = params.get('organization_name') ?? '';
    const limit = whole(params, 'limit', 10);
    const skip = whole(params, 'skip', 0);
    if (!(limit >= 1 && limit <= MAX_LIMIT)) return failure('limit', 'Limit must be between 1 and 200', '06');
    if (!(skip >= 0 && skip <= cap - MAX_LIMIT))
      return failure('skip', `Skip must not exceed ${cap - MAX_LIMIT}`, '07');
    if (number === null && name === '') return failure('', 'No valid search criteria provided', '04');
    if (name.endsWith('*') && name.length < 3) {
      return failure(
        'organization_name',
        'Field organization_name: a wildcard requires at least two characters',
        '05',
      );
    }
    const found = rows.filter(({ id, names }) =>
      number === null ? names.some((one) => matches(name, one)) : id === number,
    );
    const results = found.slice(skip, skip + limit).map(({ body }) => body);
    return { body: { result_count: results.length, results } };
  },
});

function matches(query: string, name: string): boolean {
  return query.endsWith('*') ? hasPrefix(query.slice(0, -1), name) : fold(query) === fold(name);
}

function failure(field: string, description: string, number: string): Reply {
  return { body: { Errors: [{ description, field, number }] } };
}
