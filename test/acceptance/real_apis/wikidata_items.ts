// Wikidata (MediaWiki action API with Wikibase): items of companies.
// Facts: documentation of wbsearchentities and wbgetentities as quoted by maxlath/wikibase-sdk, gbv/wikidata-jskos and
// open response fixtures (`search`, `search-continue`, limit 1 to 50, entities keyed by id, `missing`), documentation of
// the MediaWiki API (`format=json`, `errors` and `warnings` with status 200, MediaWiki-API-Error header, siteinfo).
// Hard: search, record and statistics are one path that differs in a constant parameter; `format=json` is mandatory, else
// the response is a page; errors are a 200; unknown parameters are only warned of; no total; the next offset is in
// `search-continue`; the record is an object keyed by the id, and its name is under a language.
// Approximated: prefixes match labels and aliases without ranking; items have English and German labels; siteinfo counts
// these items.
import { ENGLISH } from './companies.ts';
import { digits, hasPrefix, type Reply, standIn, unknownParams, whole } from './server.ts';

const PATH = '/w/api.php';
const MAX_LIMIT = 50;
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  wbsearchentities: [
    'search',
    'language',
    'uselang',
    'type',
    'limit',
    'continue',
    'strictlanguage',
    'props',
    'profile',
  ],
  wbgetentities: [
    'ids',
    'sites',
    'titles',
    'redirects',
    'props',
    'languages',
    'languagefallback',
    'normalize',
  ],
  query: ['meta', 'siprop', 'list', 'titles'],
};
const COMMON = ['action', 'format', 'formatversion', 'maxlag', 'origin', 'errorformat', 'utf8'];

interface Item {
  readonly id: string;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly entity: Readonly<Record<string, unknown>>;
}

export const wikidataItems = standIn<Item>({
  name: 'wikidata_items',
  locale: ENGLISH,
  rows: 400,
  cap: 10_000,
  hints: {
    paths: {
      search: `${PATH}?action=wbsearchentities&format=json&language=en&type=item`,
      entity: `${PATH}?action=wbgetentities&format=json&ids={id}`,
      stats: `${PATH}?action=query&format=json&meta=siteinfo&siprop=statistics`,
    },
  },
  record({ index, name, formerNames, town, date }) {
    const id = `Q${digits(index, 7, 13)}`;
    const entity = {
      pageid: 1_000 + index,
      ns: 0,
      title: id,
      lastrevid: 2_000_000 + index,
      modified: '2026-10-01T08:00:00Z',
      type: 'item',
      id,
      labels: {
        de: { language: 'de', value: index % 2 === 0 ? name : `${name} (${town})` },
        en: { language: 'en', value: name },
      },
      descriptions: { en: { language: 'en', value: `company in ${town}` } },
      aliases: { en: formerNames.map((value) => ({ language: 'en', value })) },
      claims: {
        P571: [
          {
            mainsnak: { snaktype: 'value', property: 'P571', datavalue: { value: date, type: 'time' } },
            rank: 'normal',
          },
        ],
      },
      sitelinks: {},
    };
    return { id, name, aliases: formerNames, entity };
  },
  notFound: { status: 404, body: '<!DOCTYPE html><title>Not Found</title>' },
  reply({ path, params, rows, cap }) {
    if (path !== PATH) return null;
    if (params.get('format') !== 'json') {
      return {
        headers: { 'content-type': 'text/html' },
        body: '<!DOCTYPE html><title>API result</title>',
      };
    }
    const action = params.get('action') ?? '';
    const known = KNOWN[action];
    if (known === undefined)
      return failure('badvalue', `Unrecognized value for parameter "action": ${action}.`);
    const unknown = unknownParams(params, [...COMMON, ...known]);
    const plural = unknown.length > 1 ? 's' : '';
    const warnings =
      unknown.length === 0
        ? {}
        : { warnings: { main: { '*': `Unrecognized parameter${plural}: ${unknown.join(', ')}.` } } };
    if (action === 'wbsearchentities') return search(rows, params, cap, warnings);
    if (action === 'wbgetentities') return record(rows, params.get('ids') ?? '', warnings);
    const statistics = {
      pages: rows.length * 3,
      articles: rows.length,
      edits: 90_000,
      images: 0,
      users: 1_200,
    };
    return { body: { batchcomplete: '', ...warnings, query: { statistics } } };
  },
});

function search(rows: readonly Item[], params: URLSearchParams, cap: number, warnings: object): Reply {
  const query = params.get('search') ?? '';
  if (query === '') return failure('missingparam', 'The "search" parameter must be set.');
  if (!params.has('language')) return failure('missingparam', 'The "language" parameter must be set.');
  const limit = Math.min(whole(params, 'limit', 7), MAX_LIMIT);
  const from = whole(params, 'continue', 0);
  if (!(limit >= 1))
    return failure('badinteger', `Invalid value "${params.get('limit')}" for integer parameter "limit".`);
  if (!(from >= 0))
    return failure(
      'badinteger',
      `Invalid value "${params.get('continue')}" for integer parameter "continue".`,
    );
  const found = rows
    .filter(({ name, aliases }) => [name, ...aliases].some((one) => hasPrefix(query, one)))
    .slice(0, cap);
  const shown = found.slice(from, from + limit);
  return {
    body: {
      ...warnings,
      searchinfo: { search: query },
      search: shown.map(({ id, name, aliases }) => {
        const alias = hasPrefix(query, name) ? undefined : aliases.find((one) => hasPrefix(query, one));
        return {
          id,
          title: id,
          pageid: Number(id.slice(1)),
          repository: 'wikidata',
          concepturi: `http://wikidata.invalid/entity/${id}`,
          display: { label: { value: name, language: 'en' } },
          label: name,
          match: { type: alias === undefined ? 'label' : 'alias', language: 'en', text: alias ?? name },
          ...(alias === undefined ? {} : { aliases: [alias] }),
        };
      }),
      ...(from + limit < found.length ? { 'search-continue': from + limit } : {}),
      success: 1,
    },
  };
}

function record(rows: readonly Item[], ids: string, warnings: object): Reply {
  if (ids === '')
    return failure(
      'param-missing',
      'Either provide the Item "ids" or pairs of "sites" and "titles" for corresponding pages.',
    );
  const wanted = ids.split('|');
  const invalid = wanted.find((id) => !/^Q\d+$/.test(id));
  if (invalid !== undefined)
    return failure('no-such-entity', `Could not find an entity with the ID "${invalid}".`);
  const entities = wanted.map((id) => [id, rows.find((one) => one.id === id)?.entity ?? { id, missing: '' }]);
  return { body: { ...warnings, entities: Object.fromEntries(entities), success: 1 } };
}

function failure(code: string, info: string): Reply {
  return {
    headers: { 'mediawiki-api-error': code },
    body: { error: { code, info, '*': 'See the API documentation for usage.' }, servedby: 'stand-in' },
  };
}
