// Research Organization Registry (ROR), API v2.
// Facts: source of ror-community/ror-api: rorapi/common/queries.py (allowed parameters, texts of errors, page 1 to 500),
// rorapi/v2/models.py (envelope, facets, names sorted by value), rorapi/common/views.py (a refused search is a 200),
// rorapi/common/es_utils.py (query string with OR), rorapi/settings.py (20 per page).
// Hard: refused parameters are listed one by one, in a response with status 200; the name is in a list sorted by value
// and selected by the type `ror_display`; the id is a URL; pages of 20 cannot be changed; facets are beside the results.
// Approximated: matching (any word of the query is a word of one of the names), order (more matching words first); all
// organizations are active, because a search without `all_status` does not find the others.
import { INSTITUTIONS } from './companies.ts';
import { code, type Reply, standIn, whole, wordsOf } from './server.ts';

const PATH = '/v2/organizations';
const PREFIX = 'https://ror.example/';
const PAGE_SIZE = 20;
const KNOWN = ['query', 'page', 'filter', 'query.advanced', 'all_status'];

interface Organization {
  readonly id: string;
  readonly name: string;
  readonly words: readonly string[];
  readonly country: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export const rorOrganizations = standIn<Organization>({
  name: 'ror_organizations',
  locale: INSTITUTIONS,
  rows: 500,
  cap: 10_000,
  hints: { paths: { search: PATH, entity: `${PATH}/{id}` } },
  record(company) {
    const id = `${PREFIX}0${code(company.index, 6, 'abcdefghjkmnpqrstvwxyz0123456789')}${10 + (company.index % 89)}`;
    const acronym = wordsOf(company.name).map((word) => word[0]?.toUpperCase());
    const names = [
      { value: company.name, lang: 'en', types: ['label', 'ror_display'] },
      { value: acronym.join(''), lang: null, types: ['acronym'] },
      ...company.formerNames.map((value) => ({ value, lang: 'en', types: ['alias'] })),
      ...(company.index % 3 === 0
        ? [{ value: `Accademia ${company.town}`, lang: 'it', types: ['label'] }]
        : []),
    ].sort((a, b) => (a.value < b.value ? -1 : 1));
    const country = ['CH', 'DE', 'IS', 'PT'][company.index % 4] ?? 'CH';
    const body = {
      established: Number(company.date.slice(0, 4)),
      id,
      status: 'active',
      admin: {
        created: { date: company.date, schema_version: '1.0' },
        last_modified: { date: '2026-03-01', schema_version: '2.1' },
      },
      domains: [],
      external_ids: [
        { type: 'grid', preferred: `grid.${company.index}.4`, all: [`grid.${company.index}.4`] },
      ],
      links: [],
      locations: [
        {
          geonames_id: 2_660_646,
          geonames_details: { country_code: country, name: company.town, lat: 47, lng: 8 },
        },
      ],
      names,
      relationships: [],
      types: [company.form === 'Hospital' ? 'healthcare' : 'education'],
    };
    return { id, name: company.name, words: names.flatMap(({ value }) => wordsOf(value)), country, body };
  },
  reply({ path, params, rows, cap }) {
    if (path === PATH) {
      const refused = [...params.keys()].filter((name) => !KNOWN.includes(name));
      const errors = refused.map((name) => `query parameter '${name}' is illegal`);
      const page = whole(params, 'page', 1);
      const lastPage = Math.floor(cap / PAGE_SIZE);
      if (Number.isNaN(page)) errors.push(`page '${params.get('page')}' is not an integer`);
      else if (page < 1 || page > lastPage) errors.push(`page '${page}' outside of range 1-${lastPage}`);
      if (errors.length > 0) return { body: { errors } };
      const found = find(rows, params.get('query') ?? '');
      return {
        body: {
          number_of_results: found.length,
          time_taken: 5,
          items: found.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE).map(({ body }) => body),
          meta: facets(found),
        },
      };
    }
    const wanted = path.startsWith(`${PATH}/`) ? path.slice(PATH.length + 1) : null;
    if (wanted === null) return null;
    const match = /^(?:(?:https?:\/\/)?ror\.example\/)?(0\w{6}\d{2})$/.exec(wanted);
    if (match === null) return missing(`'${wanted}' is not a valid ROR ID`);
    const organization = rows.find(({ id }) => id === `${PREFIX}${match[1]}`);
    if (organization === undefined) return missing(`ROR ID '${PREFIX}${match[1]}' does not exist`);
    return { body: organization.body };
  },
});

function find(rows: readonly Organization[], query: string): Organization[] {
  const wanted = wordsOf(query);
  return rows
    .map((one) => ({ one, hits: wanted.filter((word) => one.words.includes(word)).length }))
    .filter(({ hits }) => wanted.length === 0 || hits > 0)
    .sort((a, b) => b.hits - a.hits)
    .map(({ one }) => one);
}

function facets(found: readonly Organization[]) {
  const count = (facetOf: (one: Organization) => string) => {
    const counts = Map.groupBy(found, facetOf);
    return [...counts].map(([id, all]) => ({ id: id.toLowerCase(), title: id, count: all.length }));
  };
  return {
    types: count(({ body }) => String(body.types)),
    countries: count(({ country }) => country),
    continents: [{ id: 'eu', title: 'Europe', count: found.length }],
    statuses: count(({ body }) => String(body.status)),
  };
}

function missing(text: string): Reply {
  return { status: 404, body: { errors: [text] } };
}
