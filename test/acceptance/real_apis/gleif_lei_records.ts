// GLEIF, API v1: records of Legal Entity Identifiers (JSON:API).
// Facts: open clients of the API (paths, `filter[entity.legalName]`, `filter[fulltext]`, `page[size]`, `page[number]`,
// at most 200 a page, 10,000 results by page number), a test fixture with `meta.pagination` and `links`, the Rust crate
// gleif-rs (records by id, errors of JSON:API).
// Hard: parameters have brackets and dots; a record is `data.attributes` and the name is three levels deeper, beside names
// in other languages; the next link is in the body; a refused parameter is named in `source.parameter`; the id is both
// the id of the resource and an attribute.
// Approximated: matching (every word of the query is a word of the name; with filter[fulltext], of all names), texts of
// errors, the default size of 15.
import { INSTITUTIONS } from './companies.ts';
import { code, digits, hasWords, type Reply, standIn, unknownParams, whole } from './server.ts';

const PATH = '/api/v1/lei-records';
const FILTERS = [
  'entity.legalName',
  'entity.names',
  'fulltext',
  'lei',
  'entity.status',
  'entity.legalAddress.country',
];
const KNOWN = ['page[size]', 'page[number]', 'sort', ...FILTERS.map((name) => `filter[${name}]`)];

export const gleifLeiRecords = standIn({
  name: 'gleif_lei_records',
  locale: INSTITUTIONS,
  rows: 700,
  cap: 10_000,
  hints: { paths: { search: PATH, entity: `${PATH}/{id}` } },
  record({ index, name, formerNames, town, date, isActive }) {
    const id = `${code(index, 18, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789')}${10 + (index % 87)}`;
    const otherNames = formerNames.map((former) => ({
      name: former,
      language: 'en',
      type: 'PREVIOUS_LEGAL_NAME',
    }));
    const address = { language: 'en', addressLines: ['1 Harbour Street'], city: town, country: 'IS' };
    const body = {
      type: 'lei-records',
      id,
      attributes: {
        lei: id,
        entity: {
          legalName: { name, language: index % 3 === 0 ? 'is' : 'en' },
          otherNames,
          transliteratedOtherNames: index % 5 === 0 ? [{ name: name.toUpperCase(), type: 'AUTO_ASCII' }] : [],
          legalAddress: address,
          headquartersAddress: address,
          registeredAt: { id: 'RA000393', other: null },
          registeredAs: digits(index, 10, 16),
          jurisdiction: 'IS',
          category: 'GENERAL',
          status: isActive ? 'ACTIVE' : 'INACTIVE',
          creationDate: `${date}T00:00:00Z`,
        },
        registration: { status: 'ISSUED', nextRenewalDate: '2027-05-01T00:00:00Z' },
        bic: null,
      },
      relationships: { 'managing-lou': { links: { related: `${PATH}/${id}/managing-lou` } } },
      links: { self: `${PATH}/${id}` },
    };
    return { id, name, allNames: [name, ...formerNames].join(' '), body };
  },
  notFound: failure(404, 'Not Found', 'The requested resource does not exist.'),
  reply({ path, params, rows, cap, link }) {
    const meta = { goldenCopy: { publishDate: '2026-11-26T08:00:00Z' } };
    if (path.startsWith(`${PATH}/`)) {
      const record = rows.find(({ id }) => id === path.slice(PATH.length + 1));
      if (record === undefined) return { ...failure(404, 'Not Found', 'No LEI record has this id.') };
      return { headers: JSON_API, body: { meta, data: record.body } };
    }
    if (path !== PATH) return null;
    const [refused] = unknownParams(params, KNOWN);
    if (refused !== undefined)
      return failure(400, 'Invalid Query Parameter', 'The parameter is not allowed.', refused);
    const size = whole(params, 'page[size]', 15);
    const page = whole(params, 'page[number]', 1);
    if (!(size >= 1 && size <= 200))
      return failure(400, 'Invalid Query Parameter', 'The page size must be 1 to 200.', 'page[size]');
    if (!(page >= 1))
      return failure(400, 'Invalid Query Parameter', 'The page number must be at least 1.', 'page[number]');
    if (page * size > cap) {
      const text = `Page-based pagination is limited to ${cap} results.`;
      return failure(400, 'Invalid Query Parameter', text, 'page[number]');
    }
    const name = params.get('filter[entity.legalName]') ?? '';
    const text = params.get('filter[fulltext]') ?? params.get('filter[entity.names]') ?? '';
    const lei = params.get('filter[lei]');
    const found = rows
      .filter((record) => name === '' || hasWords(name, record.name))
      .filter((record) => text === '' || hasWords(text, record.allNames))
      .filter(({ id }) => lei === null || lei.split(',').includes(id));
    const shown = found.slice((page - 1) * size, page * size);
    const lastPage = Math.max(1, Math.ceil(found.length / size));
    return {
      headers: JSON_API,
      body: {
        meta: {
          ...meta,
          pagination: {
            currentPage: page,
            perPage: size,
            from: shown.length === 0 ? null : (page - 1) * size + 1,
            to: shown.length === 0 ? null : (page - 1) * size + shown.length,
            total: found.length,
            lastPage,
          },
        },
        links: {
          first: link({ 'page[number]': 1, 'page[size]': size }),
          ...(page < lastPage ? { next: link({ 'page[number]': page + 1, 'page[size]': size }) } : {}),
          last: link({ 'page[number]': lastPage, 'page[size]': size }),
        },
        data: shown.map(({ body }) => body),
      },
    };
  },
});

const JSON_API = { 'content-type': 'application/vnd.api+json' };

function failure(status: number, title: string, detail: string, parameter?: string): Reply {
  const source = parameter === undefined ? {} : { source: { parameter } };
  return {
    status,
    headers: { 'content-type': 'application/vnd.api+json' },
    body: { errors: [{ status: String(status), title, detail, ...source }] },
  };
}
