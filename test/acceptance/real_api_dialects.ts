// Dialects of public APIs, written by hand as docs/probe.md explains.
import type { ConfigInput } from '../../src/config/config.ts';

export interface ByHand {
  readonly paths: NonNullable<ConfigInput['upstream']['paths']>;
  readonly dialect: NonNullable<ConfigInput['dialect']>;
}

const CKAN = 'resource_id=3f960c10-fed6-4404-bb21-9c4fcb7a2c0c';

export const BY_HAND: Readonly<Record<string, ByHand>> = {
  // The record is the search with another parameter. The name is the current element of type 1.
  fi_ytj_v3: {
    paths: {
      search: '/opendata-ytj-api/v3/companies',
      entity: '/opendata-ytj-api/v3/companies?businessId={id}',
    },
    dialect: {
      search: {
        query_param: 'name',
        min_length: 0,
        paging: { style: 'page', param: 'page', first: 1, size: 100 },
        results: '/companies',
        id: '/businessId/value',
        name: '/names/[type=1][endDate=absent]/name',
        total: '/totalResults',
        matches: 'token_prefix',
        identifiers: 'none',
      },
      entity: {
        root: '/companies/0',
        id: '/businessId/value',
        name: '/names/[type=1][endDate=absent]/name',
      },
    },
  },
  // Only the first 10 pages of a search are served.
  ca_bc_orgbook_v4: {
    paths: { search: '/api/v4/search/topic', entity: '/api/v4/topic/{id}/formatted' },
    dialect: {
      search: {
        query_param: 'q',
        paging: { style: 'page', param: 'page', first: 1, size: 10, window: 100 },
        results: '/results',
        id: '/id',
        name: '/names/text',
        total: '/total',
        matches: 'token',
        identifiers: 'unknown',
      },
      entity: { id: '/id', name: '/names/text' },
    },
  },
  // A bare list without a total. The statistics are a list with a number in a text.
  us_socrata_soda2: {
    paths: {
      search: '/resource/4ykn-tg5h.json',
      entity: '/resource/4ykn-tg5h.json?entityid={id}',
      stats: '/resource/4ykn-tg5h.json?$select=count(*)',
    },
    dialect: {
      search: {
        query_param: '$q',
        min_length: 0,
        paging: { style: 'offset', param: '$offset', size_param: '$limit', size: 1000 },
        results: '',
        id: '/entityid',
        name: '/entityname',
        matches: 'token',
        identifiers: 'exact',
      },
      entity: { root: '/0', id: '/entityid', name: '/entityname' },
      stats: { total: '/0/count' },
    },
  },
  // A constant parameter is mandatory, and the record's id is inside JSON.
  sg_ckan_datastore: {
    paths: {
      search: `/api/3/action/datastore_search?${CKAN}`,
      entity: `/api/3/action/datastore_search?${CKAN}&filters={"uen":"{id:json}"}`,
    },
    dialect: {
      search: {
        query_param: 'q',
        min_length: 0,
        paging: { style: 'offset', param: 'offset', size_param: 'limit', size: 200 },
        results: '/result/records',
        id: '/uen',
        name: '/entity_name',
        total: '/result/total',
        matches: 'token',
        identifiers: 'exact',
      },
      entity: { root: '/result/records/0', id: '/uen', name: '/entity_name' },
      responses: [{ status: 409, means: 'refused' }],
    },
  },
  // A Lucene query in which a star at the end searches by prefix. The id is outside the company.
  dk_cvr_elastic: {
    paths: {
      search: '/cvr-permanent/virksomhed/_search',
      entity: '/cvr-permanent/virksomhed/_doc/{id}',
      stats: '/cvr-permanent/virksomhed/_count',
    },
    dialect: {
      search: {
        query_param: 'q',
        query_template: '{query:words}*',
        paging: { style: 'offset', param: 'from', size_param: 'size', size: 100, window: 3000 },
        results: '/hits/hits',
        id: '/_id',
        name: '/_source/Vrvirksomhed/navne/[periode/gyldigTil=null]/navn',
        total: '/hits/total',
        matches: 'token_prefix',
        identifiers: 'none',
      },
      entity: { id: '/_id', name: '/_source/Vrvirksomhed/virksomhedMetadata/nyesteNavn/navn' },
      stats: { total: '/count' },
    },
  },
  // Pages begin with 0 and have 10 rows at most.
  us_sam_v3: {
    paths: {
      search: '/entity-information/v3/entities',
      entity: '/entity-information/v3/entities?ueiSAM={id}',
    },
    dialect: {
      search: {
        query_param: 'legalBusinessName',
        identifier_param: 'ueiSAM',
        min_length: 0,
        paging: { style: 'page', param: 'page', first: 0, size_param: 'size', size: 10, window: 10_000 },
        results: '/entityData',
        id: '/entityRegistration/ueiSAM',
        name: '/entityRegistration/legalBusinessName',
        total: '/totalRecords',
        matches: 'substring',
        identifiers: 'exact',
      },
      entity: {
        root: '/entityData/0',
        id: '/entityRegistration/ueiSAM',
        name: '/entityRegistration/legalBusinessName',
      },
    },
  },
  // The query is an OData expression, and the total is sent only on request.
  nz_charities_odata: {
    paths: { search: '/Organisations?$inlinecount=allpages', entity: '/Organisations({id})' },
    dialect: {
      search: {
        query_param: '$filter',
        query_template: "startswith(Name,'{query:odata}')",
        min_length: 0,
        paging: { style: 'offset', param: '$skip', size_param: '$top', size: 100 },
        results: '/value',
        id: '/OrganisationId',
        name: '/Name',
        total: '/odata.count',
        matches: 'prefix',
        identifiers: 'none',
      },
      entity: { id: '/OrganisationId', name: '/Name' },
    },
  },
};
