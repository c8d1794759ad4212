import type { ApiProfileInput } from '../api/api_profile.ts';

/**
 * Profiles of registries that need uncommon dialect features, such as templates, fallbacks, conditions in JSON paths,
 * and results outside a list. They imitate real APIs' formats, but have none of their data.
 */
export const REGISTRY_PRESETS: Readonly<Record<string, ApiProfileInput>> = {
  // Some ids are at a different JSON path. If a query has too many matches, it is rejected with the total in the
  // message.
  ares: {
    name: 'ares',
    search: {
      query_param: 'obchodniJmeno',
      identifier_param: 'ico',
      identifiers: 'exact',
      results: '/ekonomickeSubjekty',
      total: '/pocetCelkem',
      broad_above: 1_000,
      paging: { style: 'offset', param: 'start', first: 0, size_param: 'pocet', size: 10 },
      max_size: 100,
    },
    summary: { id: '/ico', other_id: '/icoId', name: '/obchodniJmeno', fields: ['address'] },
    record: { id: '/ico', other_id: '/icoId', name: '/obchodniJmeno' },
    gone: { as: 'not_found' },
    errors: { body: 'nested' },
    stats: { total: '/pocetCelkem' },
    limits: { headers: [] },
  },

  // A record's path contains a query string. Each record contains the time of the response.
  krs: {
    name: 'krs',
    paths: { entity: '/api/krs/{id}?rejestr=P&format=json', stats: '/api/krs?statystyka=1' },
    search: { query_param: 'nazwa', results: '/podmioty', total: '/liczba' },
    summary: { id: '/krs', name: '/nazwa' },
    record: {
      root: '/odpis',
      id: '/naglowekA/numerKRS',
      name: '/dane/dzial1/danePodmiotu/nazwa',
      fields_at: '/dane/dzial1/danePodmiotu',
      volatile: ['/naglowekA/dataCzasOdpisu'],
    },
    stats: { total: '/liczba' },
  },

  // The query needs a template, and the key has its own header. A search without matches returns 404, the last page
  // repeats its cursor, and names have periods of validity.
  sirene: {
    name: 'sirene',
    key_header: 'X-API-Key',
    search: {
      query_template: 'denominationUniteLegale:{query}*',
      identifier_template: 'siren:{query}',
      identifiers: 'exact',
      folding: 'diacritics',
      results: '/unitesLegales',
      total: '/header/total',
      empty: 'not_found',
      last_page: 'repeat',
      paging: {
        style: 'cursor',
        param: 'curseur',
        next: '/header/curseurSuivant',
        first: '*',
        size_param: 'nombre',
        size: 20,
      },
      max_size: 1_000,
    },
    summary: {
      id: '/siren',
      name: '/periodesUniteLegale/[dateFin=null]/denominationUniteLegale',
      former_name: '/periodesUniteLegale/[dateFin=2016-01-01]/denominationUniteLegale',
    },
    record: {
      root: '/uniteLegale',
      id: '/siren',
      name: '/periodesUniteLegale/[dateFin=null]/denominationUniteLegale',
      former_name: '/periodesUniteLegale/[dateFin=2016-01-01]/denominationUniteLegale',
    },
    gone: { as: 'not_found' },
    errors: { body: 'empty', exhausted: { status: 402 } },
    stats: { total: null },
    limits: { headers: [] },
  },

  // The total is always -1. A record is inside a list, which is empty for an unknown id. A company has several versions
  // of its name.
  prh: {
    name: 'prh',
    search: {
      query_param: 'name',
      identifier_param: 'businessId',
      identifiers: 'exact',
      results: '/results',
      total: null,
      fixed: { '/totalResults': -1, '/exceptionNoticeUri': null },
      paging: { style: 'next_url', next: '/nextResultsUri', size_param: 'maxResults', size: 10 },
      max_size: 1_000,
    },
    summary: { id: '/businessId', name: '/name' },
    record: {
      root: '/results/0',
      missing: 'empty_list',
      id: '/businessId',
      name: '/names/[endDate=null]/name',
      former_name: '/names/[endDate=2017-06-02]/name',
      fixed: { '/totalResults': -1 },
    },
    gone: { as: 'not_found' },
    errors: { body: 'flat' },
    stats: { total: '/companies' },
    limits: { headers: [] },
  },

  // Errors return status 200 with a message.
  abn: {
    name: 'abn',
    search: {
      query_param: 'name',
      results: '/Names',
      total: null,
      paging: { style: 'none', size_param: 'maxResults', size: 10 },
      max_size: 200,
    },
    summary: { id: '/Abn', name: '/Name', fields: ['status'] },
    record: { id: '/Abn', name: '/EntityName' },
    gone: { as: 'not_found' },
    errors: { body: 'text', unknown_id: 200, throttled: { status: 403 }, exhausted: { status: 402 } },
    stats: { total: '/Count' },
    limits: { headers: [] },
  },

  // The best match is at the top level of the body, and all other matches are in a list.
  main_result: {
    name: 'main_result',
    search: { results: '/hits', main: '', total: '/count', empty: 'absent' },
  },

  // A search returns one result for each of a company's register entries, and the total counts results.
  several_results: { name: 'several_results', search: { results_per_company: 3 } },

  // Links have a `rel`, as in HAL, JSON:API and Collection+JSON.
  link_list: {
    name: 'link_list',
    search: {
      total: null,
      fixed: { '/links/[rel=self]/href': '/api/search' },
      paging: { style: 'next_url', next: '/links/[rel=next]/href', size_param: 'limit', size: 20 },
      last_page: 'absent',
    },
  },
};
