import type { ApiProfileInput } from '../api/api_profile.ts';

/**
 * Profiles that imitate real registries on the three endpoints. They copy the registries' envelopes, parameters, limits
 * and peculiarities, but not their data. `randomProfile` combines the same properties.
 */
export const PROFILE_PRESETS: Readonly<Record<string, ApiProfileInput>> = {
  default: {},

  // Page numbers start at 0, and bodies are HAL. There is no list if there are no matches. A deleted company returns
  // 200 with a different class.
  brreg: {
    name: 'brreg',
    search: {
      query_param: 'navn',
      identifier_param: 'organisasjonsnummer',
      matches: 'token_prefix',
      identifiers: 'exact',
      results: '/_embedded/enheter',
      empty: 'absent',
      total: '/page/totalElements',
      paging: { style: 'page', param: 'page', first: 0, size_param: 'size', size: 20 },
      max_size: 100,
      window: { rows: 10_000, counts: 'end', beyond: 400 },
      echo: { '/page/number': 'page', '/page/size': 'size', '/page/totalPages': 'pages' },
    },
    summary: { id: '/organisasjonsnummer', name: '/navn', fields: null },
    record: { id: '/organisasjonsnummer', name: '/navn' },
    gone: { as: 'marked', at: '/respons_klasse', is: 'SlettetEnhet', live: 'Enhet' },
    errors: { body: 'spring' },
    stats: { total: '/antallEnheter' },
    limits: { headers: [] },
  },

  // Search results and records have the name in different fields. Totals exceed the cap, and the API returns 416 beyond
  // it. A 429 has an empty body.
  companies_house: {
    name: 'companies_house',
    search: {
      matches: 'token',
      identifiers: 'exact',
      order: 'relevance',
      results: '/items',
      total: '/total_results',
      paging: { style: 'offset', param: 'start_index', first: 0, size_param: 'items_per_page', size: 20 },
      max_size: 100,
      window: { rows: 1_000, beyond: 416 },
      echo: { '/items_per_page': 'size', '/start_index': 'offset', '/page_number': 'page' },
      fixed: { '/kind': 'search#companies' },
    },
    summary: { id: '/company_number', name: '/title', fields: ['status', 'registered_on', 'address'] },
    record: { id: '/company_number', name: '/company_name' },
    gone: { as: 'not_found' },
    errors: { body: 'list', throttled: { retry_after: 'none' }, exhausted: { retry_after: 'none' } },
    stats: { total: null, fixed: { '/kind': 'statistics' } },
    limits: { headers: ['x'] },
  },

  // The total is clamped, pages are small, and an error is a single string.
  france: {
    name: 'france',
    search: {
      matches: 'token_prefix',
      identifiers: 'exact',
      folding: 'diacritics',
      order: 'rank',
      total: '/total_results',
      total_clamped_at: 10_000,
      paging: { style: 'page', param: 'page', first: 1, size_param: 'per_page', size: 10 },
      max_size: 25,
      oversize: 'refuse',
      window: { rows: 10_000, counts: 'end', beyond: 400 },
      echo: { '/page': 'page', '/per_page': 'size', '/total_pages': 'pages' },
    },
    summary: { id: '/siren', name: '/nom_complet', fields: null },
    record: { id: '/siren', name: '/nom_complet' },
    gone: { as: 'marked', at: '/etat_administratif', is: 'C', live: 'A' },
    errors: { body: 'flat' },
    stats: { total: '/unites_legales' },
    limits: { headers: [] },
  },

  // JSON:API: parameter names contain brackets, and the company name is nested in the record. Empty queries are
  // permitted.
  gleif: {
    name: 'gleif',
    search: {
      query_param: 'filter[entity.legalName]',
      identifier_param: 'filter[lei]',
      matches: 'token',
      identifiers: 'exact',
      min_length: 0,
      results: '/data',
      total: '/meta/pagination/total',
      paging: { style: 'page', param: 'page[number]', first: 1, size_param: 'page[size]', size: 10 },
      max_size: 200,
      window: { rows: 10_000, counts: 'end', beyond: 400 },
      echo: {
        '/meta/pagination/currentPage': 'page',
        '/meta/pagination/perPage': 'size',
        '/meta/pagination/lastPage': 'pages',
        '/meta/goldenCopy/publishDate': 'time',
      },
    },
    summary: { id: '/id', name: '/attributes/entity/legalName/name', fields_at: '/attributes', fields: null },
    record: { root: '/data', id: '/id', name: '/attributes/entity/legalName/name', fields_at: '/attributes' },
    gone: { as: 'gone' },
    errors: { body: 'json_api' },
    stats: { total: '/meta/total' },
  },

  // Each list element has a wrapper. The API returns 403 instead of 429.
  opencorporates: {
    name: 'opencorporates',
    search: {
      matches: 'token_prefix',
      identifiers: 'none',
      order: 'relevance',
      results: '/results/companies',
      item: '/company',
      total: '/results/total_count',
      paging: { style: 'page', param: 'page', first: 1, size_param: 'per_page', size: 30 },
      max_size: 100,
      window: { rows: 10_000 },
      echo: { '/results/page': 'page', '/results/per_page': 'size', '/results/total_pages': 'pages' },
      fixed: { '/api_version': '0.4' },
    },
    summary: { id: '/company_number', name: '/name' },
    record: {
      root: '/results/company',
      id: '/company_number',
      name: '/name',
      volatile: ['/retrieved_at'],
      fixed: { '/api_version': '0.4' },
    },
    gone: { as: 'not_found' },
    errors: {
      body: 'message',
      throttled: { status: 403, retry_after: 'none' },
      exhausted: { status: 403, retry_after: 'none' },
    },
    stats: { total: '/results/companies' },
    limits: { headers: [] },
  },

  // There is no total: `count` is the number of rows on the page. The API returns 422 beyond offset 1,000. The limit
  // headers report the daily limit, not the limit per minute.
  openmercantil: {
    name: 'openmercantil',
    search: {
      unknown_params: 'refuse',
      matches: 'substring',
      identifiers: 'exact',
      folding: 'diacritics',
      min_length: 2,
      order: 'rank',
      results: '/items',
      total: null,
      paging: { style: 'offset', param: 'offset', first: 0, size_param: 'limit', size: 20 },
      max_size: 100,
      oversize: 'refuse',
      window: { rows: 1_000, beyond: 422 },
      echo: { '/query': 'query', '/count': 'rows', '/offset': 'offset' },
    },
    summary: { id: '/slug', name: '/name' },
    record: { id: '/slug', name: '/name' },
    gone: { as: 'not_found' },
    errors: { body: 'flat' },
    stats: { total: '/total_companies', fixed: { '/total_persons_approx': null } },
    limits: { headers: ['x'], describe: 'allowance' },
  },

  // The base URL contains `/api`, and the paths contain it again.
  doubled_api: {
    name: 'doubled_api',
    paths: { search: '/api/api/search', entity: '/api/api/entity/{id}', stats: '/api/api/registry/stats' },
    gone: { as: 'gone' },
  },

  // The body is only the list. Headers contain the next-page link and the total.
  bare_list: {
    name: 'bare_list',
    search: {
      results: '',
      total: null,
      total_header: 'x-total-count',
      matches: 'prefix',
      paging: { style: 'link_header', size_param: 'limit', size: 25 },
      max_size: 50,
    },
    errors: { body: 'empty', exhausted: { status: 402 } },
    stats: { total: null },
    limits: { headers: ['draft'] },
  },

  cursor: {
    name: 'cursor',
    search: {
      query_param: 'query',
      identifier_param: 'number',
      results: '/data/hits',
      total: '/data/meta/count',
      matches: 'substring',
      paging: { style: 'cursor', param: 'cursor', next: '/data/meta/next', size_param: 'limit', size: 40 },
      max_size: 80,
      last_page: 'absent',
      echo: { '/data/meta/request_id': 'request_id' },
    },
    errors: { body: 'nested', throttled: { status: 200, retry_after: 'none' } },
  },

  next_url: {
    name: 'next_url',
    search: {
      query_param: 'name',
      results: '/items',
      item: '/resource',
      total: null,
      empty: 'null',
      paging: { style: 'next_url', next: '/links/next', size_param: null, size: 30 },
      absolute_urls: false,
    },
    record: { root: '/resource' },
    errors: { body: 'html', throttled: { retry_after: 'date' } },
  },

  // Ids are JSON numbers, some of them above 2^53. Every query has only one page.
  numbered: {
    name: 'numbered',
    ids: 'number',
    search: {
      query_param: 'term',
      results: '/list',
      total: '/hits',
      matches: 'prefix',
      paging: { style: 'none', size_param: 'rows', size: 50 },
      max_size: 500,
    },
    summary: { id: '/reg_no', name: '/title' },
    record: { root: '/company', id: '/number', name: '/names/current' },
    gone: { as: 'marked', at: '/removed' },
    errors: { body: 'spring', exhausted: { status: 403 } },
  },
};
