// USA, openFDA: registration and listing of device establishments.
// Facts: documentation of openFDA (query syntax, one result by default, at most 1,000, skip at most 25,000,
// `search_after` in a Link header), FDA/openfda issue 58 (404 without a match), its tests of api_request (a parameter
// that is not known is refused), texts of the limits as quoted by open clients.
// Hard: the query is an expression (`search=registration.name:word`), and words without AND are joined by OR; no match is
// a 404; a Link header (RFC 8288) pages on with a token; one result by default; the record is a search with a list of
// one; the name is in an object beside lists of other names; two ids are in that object.
// Approximated: parsing of expressions (terms, phrases, prefixes, AND), order, text of a refused parameter.
import { AMERICAN } from './companies.ts';
import { digits, fold, type Reply, standIn, unknownParams, whole, wordsOf } from './server.ts';

const PATH = '/device/registrationlisting.json';
const KNOWN = ['search', 'sort', 'count', 'limit', 'skip', 'search_after', 'api_key'];

export const usOpenfdaRegistrations = standIn({
  name: 'us_openfda_registrations',
  locale: AMERICAN,
  rows: 500,
  cap: 25_000,
  hints: {
    paths: { search: PATH, entity: `${PATH}?search=registration.registration_number:"{id}"` },
    key_header: 'Authorization: Basic {key}',
    query: 'search=registration.name:{query}',
  },
  credential: (key) => ['authorization', `Basic ${key}`],
  unauthorized: {
    status: 403,
    body: { error: { code: 'API_KEY_INVALID', message: 'An invalid api_key was supplied.' } },
  },
  record({ index, name, town, trade }) {
    const id = digits(index, 7, 8);
    const feiNumber = digits(index, 10, 9);
    const body = {
      proprietary_name: [`${trade} Monitor ${index % 12}`, 'Universal Kit'],
      establishment_type: ['Manufacture Medical Device'],
      registration: {
        registration_number: id,
        fei_number: feiNumber,
        status_code: '1',
        initial_importer_flag: 'N',
        reg_expiry_date_year: '2027',
        name,
        address_line_1: '1 Main Street',
        city: town,
        iso_country_code: 'US',
        us_agent: {},
        owner_operator: { firm_name: `${town} Group`, owner_operator_number: digits(index, 8, 10) },
      },
      pma_number: '',
      k_number: '',
      products: [{ product_code: 'ABC', created_date: '2015-01-01', openfda: { device_name: trade } }],
    };
    const fields = {
      'registration.name': name,
      'registration.registration_number': id,
      'registration.fei_number': feiNumber,
      'registration.city': town,
    };
    return { id, name, fields, body };
  },
  notFound: { status: 404, body: { error: { code: 'NOT_FOUND', message: 'Not Found' } } },
  reply({ path, params, rows, cap, link }) {
    if (path !== PATH) return null;
    const [refused] = unknownParams(params, KNOWN);
    if (refused !== undefined) return invalid(`Invalid parameter: ${refused}`);
    const limit = whole(params, 'limit', 1);
    const skip = whole(params, 'skip', 0);
    const token = params.get('search_after');
    if (Number.isNaN(limit) || Number.isNaN(skip)) return invalid('Invalid limit or skip parameter value.');
    if (limit > 1000)
      return invalid(
        'Limit cannot exceed 1000 results for search requests. Use the skip or search_after param to get additional results.',
      );
    if (skip > cap) return invalid(`Skip value must ${cap} or less.`);
    if (token !== null && params.has('skip'))
      return invalid('Search after and skip cannot be used together.');
    const query = params.get('search') ?? '';
    if ((query.match(/"/g)?.length ?? 0) % 2 === 1) return invalid('Search not supported: unbalanced quotes');
    const found = rows.filter(({ fields }) => query === '' || matches(query, fields));
    const from = token === null ? skip : Number(/^0=(\d+)$/.exec(token)?.[1] ?? Number.NaN);
    if (Number.isNaN(from)) return invalid('Invalid search_after parameter value.');
    const shown = found.slice(from, from + limit);
    if (shown.length === 0) {
      return {
        status: 404,
        body: { error: { code: 'NOT_FOUND', message: 'No matches found!' } },
      };
    }
    const end = from + shown.length;
    const next = new URL(link({ search_after: `0=${end}`, limit }));
    next.searchParams.delete('skip');
    return {
      headers: end < found.length ? { link: `<${next.href}>; rel="next"` } : {},
      body: {
        meta: {
          disclaimer: 'Do not rely on openFDA to make decisions regarding medical care.',
          last_updated: '2026-11-20',
          results: { skip: token === null ? skip : 0, limit, total: found.length },
        },
        results: shown.map(({ body }) => body),
      },
    };
  },
});

/** Returns whether each part of the expression, separated by AND, has a term that matches. */
function matches(query: string, fields: Readonly<Record<string, string>>): boolean {
  return query.split(/\s+AND\s+/).every((part) => {
    const match = /^([\w.]+):(.*)$/.exec(part.trim());
    const text = match === null ? Object.values(fields).join(' ') : fields[match[1] ?? ''];
    if (text === undefined) return false;
    const terms = (match?.[2] ?? part).match(/"[^"]*"|[^\s"()]+/g) ?? [];
    return terms.some((term) => hasTerm(term, text));
  });
}

function hasTerm(term: string, text: string): boolean {
  const words = wordsOf(text);
  if (term.startsWith('"')) return ` ${words.join(' ')} `.includes(` ${wordsOf(term).join(' ')} `);
  if (term.endsWith('*')) return words.some((word) => word.startsWith(fold(term.slice(0, -1))));
  return wordsOf(term).some((word) => words.includes(word));
}

function invalid(message: string): Reply {
  return { status: 400, body: { error: { code: 'BAD_REQUEST', message } } };
}
