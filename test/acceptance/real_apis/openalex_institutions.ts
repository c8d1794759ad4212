// OpenAlex, institutions.
// Facts: source of ourresearch/openalex-elastic-api: core/validate.py (an error lists the allowed parameters),
// core/paginate.py (per-page 1 to 200, page times per-page at most 10,000), core/cursor.py (cursor `*`, null at the end),
// core/schemas.py and institutions/schemas.py (envelope, fields), ids/views.py (record by id, redirect for a URL).
// Hard: a refused parameter is answered with all allowed names; beyond the limit, only a cursor pages on; kebab-case and
// snake_case names of a parameter; the id is a URL and the record redirects; the count is in `meta`; ids of other
// registers are beside the id.
// Approximated: matching (every word of the query is a word of the name), order, statistics fields of an institution.
import { INSTITUTIONS } from './companies.ts';
import { digits, hasWords, type Reply, standIn, unknownParams, whole } from './server.ts';

const PATH = '/institutions';
const PREFIX = 'https://openalex.example/';
const KNOWN = [
  'apc_sum',
  'api-key',
  'api_key',
  'cited_by_count_sum',
  'cursor',
  'data_version',
  'data-version',
  'filter',
  'format',
  'group_by',
  'group-by',
  'mailto',
  'page',
  'per_page',
  'per-page',
  'q',
  'sample',
  'seed',
  'search',
  'select',
  'sort',
  'warm',
];

interface Institution {
  readonly id: string;
  readonly name: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export const openalexInstitutions = standIn<Institution>({
  name: 'openalex_institutions',
  locale: INSTITUTIONS,
  rows: 800,
  cap: 10_000,
  hints: { paths: { search: PATH, entity: `${PATH}/{id}` } },
  record(company) {
    const id = `${PREFIX}I${digits(company.index, 9, 5)}`;
    const ror = `https://ror.example/0${digits(company.index, 8, 6)}`;
    const body = {
      id,
      ror,
      display_name: company.name,
      country_code: 'IS',
      type: company.form === 'Hospital' ? 'healthcare' : 'education',
      lineage: [id],
      homepage_url: null,
      display_name_acronyms: [],
      display_name_alternatives: company.formerNames,
      repositories: [],
      works_count: 100 + company.index,
      cited_by_count: 7 * company.index,
      summary_stats: { '2yr_mean_citedness': 1.5, h_index: 12, i10_index: 40 },
      ids: { openalex: id, ror, grid: `grid.${company.index}.1` },
      geo: { city: company.town, country_code: 'IS', country: 'Iceland', latitude: 64.1, longitude: -21.9 },
      counts_by_year: [{ year: 2025, works_count: 9, cited_by_count: 31 }],
      created_date: company.date,
    };
    return { id, name: company.name, body };
  },
  notFound: { status: 404, body: '<!doctype html><title>404 Not Found</title>' },
  reply({ path, params, rows, cap }) {
    if (path !== PATH) return path.startsWith(`${PATH}/`) ? record(rows, path.slice(PATH.length + 1)) : null;
    const [refused] = unknownParams(params, KNOWN);
    if (refused !== undefined) {
      return refusal(
        'Invalid query parameters error.',
        `${refused} is not a valid parameter. Valid parameters are: ${KNOWN.join(', ')}.`,
      );
    }
    const perPage = whole(params, 'per-page', whole(params, 'per_page', 25));
    const page = whole(params, 'page', 1);
    const cursor = params.get('cursor');
    if (Number.isNaN(perPage))
      return refusal('Invalid query parameters error.', 'Param per-page must be a number.');
    if (Number.isNaN(page)) return refusal('Invalid query parameters error.', 'Param page must be a number.');
    if (cursor !== null && page !== 1)
      return refusal('Pagination error.', 'Cannot use page parameter with cursor.');
    if (page < 1) return refusal('Pagination error.', 'Page parameter must be greater than 0.');
    if (perPage < 1 || perPage > 200) {
      return refusal('Pagination error.', 'per-page parameter must be between 1 and 200.');
    }
    if (page * perPage > cap) {
      return refusal(
        'Pagination error.',
        `Maximum results size of ${cap} records is exceeded. Cursor pagination is required for records beyond ${cap}.`,
      );
    }
    const start = cursor === null ? (page - 1) * perPage : startOf(cursor);
    if (Number.isNaN(start)) return refusal('Pagination error.', 'Invalid cursor value');
    const query = params.get('search') ?? '';
    const found = rows.filter(({ name }) => query === '' || hasWords(query, name));
    const shown = found.slice(start, start + perPage);
    return {
      body: {
        meta: {
          count: found.length,
          db_response_time_ms: 12,
          page: cursor === null ? page : null,
          per_page: perPage,
          groups_count: null,
          ...(cursor === null
            ? {}
            : { next_cursor: shown.length < perPage ? null : tokenOf(start + perPage) }),
        },
        results: shown.map(({ body }) => body),
        group_by: [],
      },
    };
  },
});

function record(rows: readonly Institution[], wanted: string): Reply {
  const short = /^(?:https:\/\/openalex\.example\/)?([iI]\d+)$/.exec(wanted)?.[1]?.toUpperCase();
  const byRor = rows.find(({ body }) => body.ror === wanted);
  const target = short ?? byRor?.id.slice(PREFIX.length);
  if (target === undefined) return { status: 404, body: '<!doctype html><title>404 Not Found</title>' };
  if (target !== wanted) return { status: 302, headers: { location: `${PATH}/${target}` }, body: '' };
  const institution = rows.find(({ id }) => id === `${PREFIX}${target}`);
  if (institution !== undefined) return { body: institution.body };
  return { status: 404, body: '<!doctype html><title>404 Not Found</title>' };
}

function tokenOf(start: number): string {
  return Buffer.from(JSON.stringify(`[${start}, 'stand-in']`)).toString('base64');
}

function startOf(cursor: string): number {
  if (cursor === '*') return 0;
  const match = /^"\[(\d+), 'stand-in'\]"$/.exec(Buffer.from(cursor, 'base64').toString());
  return match === null ? Number.NaN : Number(match[1]);
}

function refusal(error: string, message: string): Reply {
  return { status: 400, body: { error, message } };
}
