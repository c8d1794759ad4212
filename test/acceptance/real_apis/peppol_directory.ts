// Peppol Directory, REST query API 1.0 (organizations that receive electronic invoices).
// Facts: source of phax/phoss-directory: PublicSearchXServletHandler.java (parameters, envelope, limits of indexes and
// their texts, refusal without a known term), its issue 64 (the limit in practice).
// Hard: keys of the envelope are kebab-case and keys of the rows are not; the name is the first of a list in the first of
// a list, beside names in other languages; the id is in an object and has a colon; the record is a search by another
// parameter, with a prefix in its value, in a list of one; the last index must not exceed 1,000, so the last page of the
// window may be refused; unknown parameters are ignored, but a request with none that it knows is refused without names,
// and the error is a JSON string; pages from 0.
// Approximated: matching (each word of the query is a part of a name), fields of an entity.
import { NORWEGIAN } from './companies.ts';
import { digits, hasSubstring, type Reply, standIn, whole, wordsOf } from './server.ts';

const PATH = '/search/1.0/json';
const SCHEME = 'iso6523-actorid-upis';
const TERMS = [
  'q',
  'participant',
  'name',
  'country',
  'geoinfo',
  'identifierScheme',
  'identifierValue',
  'website',
];

interface Participant {
  readonly id: string;
  readonly name: string;
  readonly names: readonly string[];
  readonly body: Readonly<Record<string, unknown>>;
}

export const peppolDirectory = standIn<Participant>({
  name: 'peppol_directory',
  locale: NORWEGIAN,
  rows: 500,
  cap: 1_000,
  hints: { paths: { search: PATH, entity: `${PATH}?participant=${SCHEME}::{id}` } },
  record({ index, name, town, date }) {
    const number = digits(index, 9, 19);
    const id = `0192:${number}`;
    const names = [
      { name, language: 'no' },
      ...(index % 4 === 0 ? [{ name: `${town} Trading`, language: 'en' }] : []),
    ];
    const body = {
      participantID: { scheme: SCHEME, value: id },
      docTypes: [
        {
          scheme: 'busdox-docid-qns',
          value: 'urn:oasis:names:specification:ubl:schema:xsd:Invoice-2::Invoice##2.1',
        },
      ],
      entities: [
        {
          name: names,
          countryCode: 'NO',
          geoInfo: town,
          identifiers: [{ scheme: 'orgnr', value: number }],
          regDate: date,
        },
      ],
    };
    return { id, name, names: names.map((one) => one.name), body };
  },
  notFound: { status: 404, body: '' },
  reply({ path, params, rows, cap }) {
    if (path !== PATH) return null;
    const index = whole(params, 'resultPageIndex', whole(params, 'rpi', 0));
    const count = whole(params, 'resultPageCount', whole(params, 'rpc', 20));
    if (!(index >= 0)) return invalid(`ResultPageIndex ${index} is invalid. It must be >= 0.`);
    if (!(count > 0)) return invalid(`ResultPageCount ${count} is invalid. It must be > 0.`);
    const first = index * count;
    const last = first + count - 1;
    if (first > cap) return invalid(`The first result index ${first} is invalid. It must be <= ${cap}.`);
    if (last > cap) return invalid(`The last result index ${last} is invalid. It must be <= ${cap}.`);
    const terms = TERMS.filter((term) => params.has(term));
    if (terms.length === 0) return invalid('No valid query term provided!');
    const found = rows.filter((one) => terms.every((term) => matches(one, term, params.get(term) ?? '')));
    const shown = found.slice(first, last + 1);
    return {
      body: {
        version: '1.0',
        'total-result-count': found.length,
        'used-result-count': shown.length,
        'result-page-index': index,
        'result-page-count': count,
        'first-result-index': first,
        'last-result-index': first + shown.length - 1,
        'query-terms': terms.map((term) => `${term}=${params.get(term)}`).join('&'),
        'creation-dt': '2026-11-26T10:00:00.000Z',
        matches: shown.map(({ body }) => body),
      },
    };
  },
});

function matches({ id, names }: Participant, term: string, value: string): boolean {
  if (term === 'participant') return value === `${SCHEME}::${id}`;
  if (term === 'country') return value === 'NO';
  if (term !== 'q' && term !== 'name') return false;
  return wordsOf(value).every((word) => names.some((name) => hasSubstring(word, name)));
}

function invalid(text: string): Reply {
  const headers = { 'content-type': 'application/json' };
  return { status: 400, headers, body: JSON.stringify(text) };
}
