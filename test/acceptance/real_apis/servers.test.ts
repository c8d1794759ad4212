import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { auAbn } from './au_abn.ts';
import { frRechercheEntreprises } from './fr_recherche_entreprises.ts';
import { gbCharityCommission } from './gb_charity_commission.ts';
import { gbCompaniesHouse } from './gb_companies_house.ts';
import { gleifLeiRecords } from './gleif_lei_records.ts';
import { hrSudreg } from './hr_sudreg.ts';
import { ieCro } from './ie_cro.ts';
import { STAND_INS } from './index.ts';
import { jpGbizinfo } from './jp_gbizinfo.ts';
import { krFscCorp } from './kr_fsc_corp.ts';
import { ltSpinta } from './lt_spinta.ts';
import { nlKvk } from './nl_kvk.ts';
import { noBrreg } from './no_brreg.ts';
import { openalexInstitutions } from './openalex_institutions.ts';
import { opencorporatesCompanies } from './opencorporates_companies.ts';
import { opensanctionsYente } from './opensanctions_yente.ts';
import { peppolDirectory } from './peppol_directory.ts';
import { rorOrganizations } from './ror_organizations.ts';
import {
  type Entity,
  hasPrefix,
  hasSubstring,
  hasWords,
  type RunningStandIn,
  type StandIn,
} from './server.ts';
import { skRpo } from './sk_rpo.ts';
import { twGcis } from './tw_gcis.ts';
import { usNpi } from './us_npi.ts';
import { usOpenfdaRegistrations } from './us_openfda_registrations.ts';
import { wikidataItems } from './wikidata_items.ts';

/** Reads one API as a client that a developer writes by hand. */
interface Client {
  readonly api: StandIn;
  /** A word that many names have. */
  readonly common: string;
  /** Path of a page of a search; pages count from 0. `next` is what the page before returned as `next`. */
  readonly page: (query: string, number: number, next: string) => string;
  // biome-ignore lint/suspicious/noExplicitAny: the responses of public APIs have no types here.
  readonly rows: (body: any) => readonly Entity[];
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly recordName: (body: any) => string;
  /** The next-page token, link or offset of a page. Empty: no further page. Without it, a page without rows is the last. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly next?: (body: any, headers: Headers) => string;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly total?: (body: any, headers: Headers) => number;
  readonly matches?: (query: string, name: string) => boolean;
  /** Makes a query of a name, if the whole name is none. */
  readonly queryOf?: (name: string) => string;
  /** The API has no limit on paging, or one that does not follow the number of rows. */
  readonly isUncapped?: boolean;
  /** A company can have several rows. */
  readonly repeatsCompanies?: boolean;
}

const CHARITIES = '/register/api';
const SPINTA = '/datasets/gov/rc/jar/JuridinisAsmuo';
const GCIS = '/od/data/api/6BBA2268-1367-4B42-9CCA-BC17499EBE8C';
const FSC = '/1160100/service/GetCorpBasicInfoService_V2/getCorpOutline_V2';

const CLIENTS: readonly Client[] = [
  {
    api: noBrreg,
    common: 'eiendom',
    page: (query, number) => `/enhetsregisteret/api/enheter?navn=${query}&size=10&page=${number}`,
    rows: (body) =>
      (body._embedded?.enheter ?? []).map((unit: Record<string, string>) => ({
        id: unit.organisasjonsnummer,
        name: unit.navn,
      })),
    total: (body) => body.page.totalElements,
    recordName: (body) => body.navn,
  },
  {
    api: frRechercheEntreprises,
    common: 'garage',
    page: (query, number) => `/search?q=${query}&per_page=10&page=${number + 1}`,
    rows: (body) =>
      body.results.map((unit: Record<string, string>) => ({ id: unit.siren, name: unit.nom_complet })),
    total: (body) => body.total_results,
    recordName: (body) => body.results[0].nom_complet,
  },
  {
    api: rorOrganizations,
    common: 'university',
    page: (query, number) => `/v2/organizations?query=${query}&page=${number + 1}`,
    rows: (body) => (body.items ?? []).map((item: RorItem) => ({ id: item.id, name: rorName(item) })),
    total: (body) => body.number_of_results,
    recordName: rorName,
  },
  {
    api: openalexInstitutions,
    common: 'hospital',
    page: (query, number) => `/institutions?search=${query}&per-page=20&page=${number + 1}`,
    rows: (body) =>
      body.results.map((one: Record<string, string>) => ({ id: one.id, name: one.display_name })),
    total: (body) => body.meta.count,
    recordName: (body) => body.display_name,
  },
  {
    api: openalexInstitutions,
    common: 'institute',
    page: (query, number, next) =>
      `/institutions?search=${query}&per_page=20&cursor=${number === 0 ? '*' : encodeURIComponent(next)}`,
    rows: (body) =>
      body.results.map((one: Record<string, string>) => ({ id: one.id, name: one.display_name })),
    next: (body) => body.meta.next_cursor ?? '',
    recordName: (body) => body.display_name,
    isUncapped: true,
  },
  {
    api: opensanctionsYente,
    common: 'clinic',
    page: (query, number) => `/search/companies?q=${query}&limit=10&offset=${number * 10}`,
    rows: (body) => body.results.map((one: Record<string, string>) => ({ id: one.id, name: one.caption })),
    total: (body) => body.total.value,
    recordName: (body) => body.caption,
  },
  {
    api: nlKvk,
    common: 'holding',
    page: (query, number) => `/api/v2/zoeken?naam=${query}&resultatenPerPagina=20&pagina=${number + 1}`,
    rows: (body) =>
      body.resultaten.map((row: Record<string, string>) => ({ id: row.kvkNummer, name: row.naam })),
    total: (body) => body.totaal,
    recordName: (body) => body.naam,
    repeatsCompanies: true,
  },
  {
    api: usNpi,
    common: 'AS*',
    matches: (query, name) => hasPrefix(query.slice(0, -1), name),
    page: (query, number) => `/api/?version=2.1&organization_name=${query}&limit=5&skip=${number * 5}`,
    rows: (body) => (body.results ?? []).map(npiEntity),
    recordName: (body) => npiEntity(body.results[0]).name,
    isUncapped: true,
  },
  {
    api: usOpenfdaRegistrations,
    common: 'clinic',
    queryOf: (name) => `"${name}"`,
    page: (query, number, next) =>
      number === 0 ? `/device/registrationlisting.json?search=registration.name:${query}&limit=10` : next,
    rows: (body) => body.results.map(fdaEntity),
    next: (_, headers) => /<([^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1] ?? '',
    total: (body) => body.meta.results.total,
    recordName: (body) => fdaEntity(body.results[0]).name,
    isUncapped: true,
  },
  {
    api: skRpo,
    common: 'stav',
    page: (query) => `/rpo/v1/search?fullName=${query}`,
    rows: (body) => body.results.map((one: RpoRow) => ({ id: String(one.id), name: rpoName(one) })),
    next: () => '',
    recordName: rpoName,
  },
  {
    api: wikidataItems,
    common: 'The ',
    matches: hasPrefix,
    page: (query, _, next) =>
      `/w/api.php?action=wbsearchentities&format=json&language=en&limit=10&search=${query}&continue=${next}`,
    rows: (body) => body.search.map((item: Record<string, string>) => ({ id: item.id, name: item.label })),
    next: (body) => String(body['search-continue'] ?? ''),
    recordName: (body) => body.entities[Object.keys(body.entities)[0] ?? ''].labels.en.value,
  },
  {
    api: hrSudreg,
    common: 'trgovin',
    matches: hasSubstring,
    page: (query, number) =>
      `/api/javni/subjekti?tvrtka_naziv=${query}&expand_relations=true&limit=10&offset=${number * 10}`,
    rows: (body) => body.map((one: SudregRow) => ({ id: String(one.mbs), name: one.tvrtka.ime })),
    total: (_, headers) => Number(headers.get('x-total-count')),
    recordName: (body) => body.tvrtka.ime,
  },
  {
    api: gbCompaniesHouse,
    common: 'holdings',
    page: (query, number) => `/search/companies?q=${query}&items_per_page=10&start_index=${number * 10}`,
    rows: (body) =>
      body.items.map((item: Record<string, string>) => ({ id: item.company_number, name: item.title })),
    recordName: (body) => body.company_name,
  },
  {
    api: gleifLeiRecords,
    common: 'university',
    page: (query, number) =>
      `/api/v1/lei-records?filter[entity.legalName]=${query}&page[size]=10&page[number]=${number + 1}`,
    rows: (body) => body.data.map((one: LeiRow) => ({ id: one.id, name: leiName(one) })),
    total: (body) => body.meta.pagination.total,
    recordName: (body) => leiName(body.data),
  },
  {
    api: peppolDirectory,
    common: 'eiendom',
    matches: hasSubstring,
    page: (query, number) => `/search/1.0/json?q=${query}&resultPageCount=10&resultPageIndex=${number}`,
    rows: (body) => body.matches.map(peppolEntity),
    total: (body) => body['total-result-count'],
    recordName: (body) => peppolEntity(body.matches[0]).name,
  },
  {
    api: twGcis,
    common: '實業',
    matches: hasSubstring,
    page: (query, number) =>
      `${GCIS}?$format=json&$filter=Company_Name like ${query} and Company_Status eq 01&$top=10&$skip=${number * 10}`,
    rows: (body) =>
      body.map((row: Record<string, string>) => ({ id: row.Business_Accounting_NO, name: row.Company_Name })),
    recordName: (body) => body[0].Company_Name,
  },
  {
    api: jpGbizinfo,
    common: '建設',
    matches: hasSubstring,
    page: (query, number) => `/hojin/v1/hojin?name=${query}&limit=20&page=${number + 1}`,
    rows: (body) =>
      body['hojin-infos'].map((row: Record<string, string>) => ({
        id: row.corporate_number,
        name: row.name,
      })),
    recordName: (body) => body['hojin-infos'][0].name,
  },
  {
    api: krFscCorp,
    common: '주식회사',
    matches: hasSubstring,
    page: (query, number) => `${FSC}?resultType=json&corpNm=${query}&numOfRows=10&pageNo=${number + 1}`,
    rows: ({ response: { body } }) =>
      (body.items.item ?? []).map((row: Record<string, string>) => ({ id: row.crno, name: row.corpNm })),
    total: (body) => body.response.body.totalCount,
    recordName: (body) => body.response.body.items.item[0].corpNm,
  },
  {
    api: opencorporatesCompanies,
    common: 'services',
    page: (query, number) => `/v0.4/companies/search?q=${query}&per_page=10&page=${number + 1}`,
    rows: (body) => body.results.companies.map(openCorporatesEntity),
    recordName: (body) => body.results.company.name,
  },
  {
    api: gbCharityCommission,
    common: 'services',
    matches: hasSubstring,
    isUncapped: true,
    page: (query, number) => (number === 0 ? `${CHARITIES}/searchCharityName/${query}` : `${CHARITIES}/none`),
    rows: (body) =>
      body.map?.((row: Record<string, string>) => ({
        id: String(row.reg_charity_number),
        name: row.charity_name,
      })) ?? [],
    recordName: (body) => body.charity_name,
  },
  {
    api: ltSpinta,
    common: 'Services',
    matches: (query, name) => name.includes(query),
    queryOf: (name) => JSON.stringify(name).slice(1, -1),
    isUncapped: true,
    page: (query, _, next) => `${SPINTA}?ja_pavadinimas.contains("${query}")&limit(10)&page("${next}")`,
    next: (body) => body._page?.next ?? '',
    rows: (body) =>
      body._data.map((row: Record<string, string>) => ({ id: row._id, name: row.ja_pavadinimas })),
    recordName: (body) => body.ja_pavadinimas,
  },
  {
    api: ieCro,
    common: 'services',
    matches: hasSubstring,
    page: (query, number) => `/cws/companies?company_name=${query}&searchType=3&max=10&skip=${number * 10}`,
    rows: (body) =>
      body.map((row: Record<string, string>) => ({ id: String(row.company_num), name: row.company_name })),
    recordName: (body) => body.company_name,
  },
  {
    api: auAbn,
    common: 'holdings',
    page: (query) => `/json/MatchingNames.aspx?name=${query}&maxResults=200`,
    rows: (body) =>
      body.Names.filter((row: AbnRow) => row.IsCurrent && row.NameType === 'Entity Name').map(
        (row: AbnRow) => ({
          id: row.Abn,
          name: row.Name,
        }),
      ),
    next: () => '',
    recordName: (body) => body.EntityName,
  },
];

const HINTS_OF_BRREG = {
  paths: { search: '/enhetsregisteret/api/enheter', entity: '/enhetsregisteret/api/enheter/{id}' },
};

const running: RunningStandIn[] = [];
afterEach(() => Promise.all(running.splice(0).map((server) => server.close())));

describe('the stand-ins', () => {
  it('each stand-in has a client in this test', () => {
    expect(
      STAND_INS.map(({ name }) => name).filter((name) => !CLIENTS.some(({ api }) => api.name === name)),
    ).toEqual([]);
  });
});

/** A response that a client of the API must understand: the path, its status and a part of its body. */
const RESPONSES: readonly (readonly [api: StandIn, path: string, status: number, body: string])[] = [
  [noBrreg, '/enhetsregisteret/api/enheter?navn=zzzz&foo=1', 200, '"totalElements":0'],
  [noBrreg, '/enhetsregisteret/api/enheter?size=100&page=100', 400, 'valideringsfeil'],
  [frRechercheEntreprises, '/search?q=ab', 400, '3 caractères minimum'],
  [frRechercheEntreprises, '/search?q=garage&per_page=26', 400, '`per_page` entre `1` et `25`'],
  [rorOrganizations, '/v2/organizations?query=a&limit=5', 200, "query parameter 'limit' is illegal"],
  [rorOrganizations, '/v2/organizations?page=501', 200, 'outside of range 1-500'],
  [
    openalexInstitutions,
    '/institutions?limit=5',
    400,
    'limit is not a valid parameter. Valid parameters are: ',
  ],
  [openalexInstitutions, '/institutions?per-page=200&page=51', 400, 'Cursor pagination is required'],
  [opensanctionsYente, '/search/companies?limit=501', 422, 'less than or equal to 500'],
  [nlKvk, '/api/v2/zoeken?naam=zzzz', 404, 'IPD5200'],
  [nlKvk, '/api/v2/zoeken?naam=a&limit=5', 400, 'ongeldig: limit'],
  [usNpi, '/api/?organization_name=ASH*', 200, 'Unsupported Version'],
  [usNpi, '/api/?version=2.1&organization_name=A*', 200, 'at least two characters'],
  [usOpenfdaRegistrations, '/device/registrationlisting.json?search=zzzz', 404, 'No matches found!'],
  [usOpenfdaRegistrations, '/device/registrationlisting.json?page=2', 400, 'Invalid parameter: page'],
  [skRpo, '/rpo/v1/search', 400, '"code":400'],
  [skRpo, '/rpo/v1/entity/1', 404, '"code":404'],
  [wikidataItems, '/w/api.php?action=wbsearchentities&format=json&language=en', 200, 'missingparam'],
  [wikidataItems, '/w/api.php?action=wbgetentities&format=json&ids=Q1', 200, '"missing":""'],
  [
    wikidataItems,
    '/w/api.php?action=query&format=json&meta=siteinfo&foo=1',
    200,
    'Unrecognized parameter: foo.',
  ],
  [hrSudreg, '/api/javni/subjekti?tvrtka_naziv=zzzz', 404, '"error_code":505'],
  [hrSudreg, '/api/javni/subjekti?tvrtka_naziv=zzzz&no_data_error=0', 200, '[]'],
  [hrSudreg, '/api/javni/counts', 200, '{"table_name":"SRC_SUBJEKTI","count":40}'],
  [gbCompaniesHouse, '/search/companies?q=limited&start_index=5000', 200, '"items":[]'],
  [gleifLeiRecords, '/api/v1/lei-records?q=a', 400, '"source":{"parameter":"q"}'],
  [peppolDirectory, '/search/1.0/json?foo=1', 400, '"No valid query term provided!"'],
  [peppolDirectory, '/search/1.0/json?q=a&resultPageIndex=51', 400, 'The first result index 1020 is invalid'],
  [twGcis, `${GCIS}?$format=json&$filter=Company_Name like zzzz and Company_Status eq 01`, 200, ''],
  [twGcis, `${GCIS}?$format=json&$filter=Company_Name like 實業`, 400, '參數格式錯誤'],
  [jpGbizinfo, '/hojin/v1/hojin?name=zzzz', 404, '404 - Not Found.'],
  [jpGbizinfo, '/hojin/v1/hojin/', 500, ''],
  [krFscCorp, `${FSC}?corpNm=zzzz`, 200, '<response>'],
  [krFscCorp, `${FSC}?resultType=json&corpNm=zzzz`, 200, '"items":""'],
  [opencorporatesCompanies, '/v0.4/companies/search?q=servi', 200, '"total_count":0'],
  [gbCharityCommission, '/register/api/searchCharityName/zzzz', 404, 'Not Found'],
  [ltSpinta, `${SPINTA}?name=x`, 400, 'FieldNotInResource'],
  [ieCro, '/cws/companies?company_name=zzzz', 200, '[]'],
  [auAbn, '/json/MatchingNames.aspx?name=zzzz&callback=f', 200, 'f({"Message":"","Names":[]})'],
];

describe('an unusual request', () => {
  it.each(RESPONSES.map(([api, path, status, body]) => ({ name: api.name, api, path, status, body })))(
    '$name returns status $status for $path',
    async ({ api, path, status, body }) => {
      const server = await start(api, { rows: 40 });
      const response = await get(server, path);
      expect(response.status).toBe(status);
      expect(response.text).toContain(body);
    },
  );

  it.each(STAND_INS)('$name gives each of 1,000 companies an id and no name twice', async (api) => {
    const { entities } = await start(api, { rows: 1000 });
    expect(new Set(entities.map(({ id }) => id)).size).toBe(1000);
    expect(new Set(entities.map(({ name }) => name)).size).toBe(1000);
  });
});

describe('a file in this folder', () => {
  it('the command prints one line and serves', async () => {
    const file = resolve(import.meta.dirname, 'no_brreg.ts');
    const child = spawn(process.execPath, [file, '--rows', '30', '--key', 'the-key']);
    const [line] = await once(child.stdout, 'data');
    const { name, base, rows, hints } = JSON.parse(String(line));
    expect({ name, rows, hints }).toEqual({ name: 'no_brreg', rows: 30, hints: HINTS_OF_BRREG });
    const response = await fetch(base + hints.paths.search, { headers: { authorization: 'Bearer the-key' } });
    expect(response.status).toBe(200);
    child.kill();
    await once(child, 'exit');
  });
});

describe.each(CLIENTS)('the stand-in $api.name', (client) => {
  it('a search for the name of a company finds it, and its record opens', async () => {
    const server = await start(client.api, { rows: 300 });
    for (const entity of [7, 120, 299].map((index) => server.entities[index]!)) {
      const query = client.queryOf?.(entity.name) ?? entity.name;
      const found = await pages(server, client, query);
      expect(found.rows).toContainEqual(entity);
      const record = await get(
        server,
        server.hints.paths.entity.replace('{id}', entity.id.split('/').map(encodeURIComponent).join('/')),
      );
      expect(record.status).toBe(200);
      expect(client.recordName(record.body)).toBe(entity.name);
    }
  });

  it('the pages of a common query have each company that matches once', async () => {
    const server = await start(client.api, { rows: 400 });
    const { rows, total } = await pages(server, client, client.common);
    const matches = client.matches ?? hasWords;
    const expected = server.entities.filter(({ name }) => matches(client.common, name));
    expect(expected.length).toBeGreaterThan(20);
    expect(rows).toEqual(expect.arrayContaining(expected));
    if (!client.repeatsCompanies) expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    if (client.total !== undefined) expect(total).toBe(rows.length);
  });

  it.skipIf(client.isUncapped)('paging ends at the cap', async () => {
    const server = await start(client.api, { rows: 400, cap: 20 });
    const { rows } = await pages(server, client, client.common);
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.length).toBeLessThanOrEqual(20);
  });

  it('a request without a key is refused', async () => {
    const server = await start(client.api, { rows: 20 });
    const response = await fetch(server.baseUrl + client.page(client.common, 0, ''));
    expect([401, 403]).toContain(response.status);
    expect(server.seen).toMatchObject({ calls: 1, unauthorized: 1 });
  });
});

async function start(api: StandIn, options: { rows: number; cap?: number }): Promise<RunningStandIn> {
  const server = await api.start({ ...options, key: 'the-key' });
  running.push(server);
  return server;
}

/** Reads pages until one has no further rows or is refused. */
async function pages(server: RunningStandIn, client: Client, query: string) {
  const rows: Entity[] = [];
  let next = '';
  let total = Number.NaN;
  for (let number = 0; number < 100; number++) {
    const { status, body, headers } = await get(server, client.page(encodeURIComponent(query), number, next));
    const shown = status === 200 && body !== null ? client.rows(body) : [];
    if (shown.length > 0 && client.total !== undefined) total = client.total(body, headers);
    rows.push(...shown);
    next = shown.length === 0 ? '' : (client.next?.(body, headers) ?? 'more');
    if (next === '') break;
  }
  return { rows, total };
}

async function get(server: RunningStandIn, path: string) {
  const [header = '', format = ''] = (server.hints.key_header ?? 'Authorization: Bearer {key}').split(': ');
  const value = format === '' ? 'the-key' : format.replace('{key}', 'the-key');
  const response = await fetch(new URL(path, server.baseUrl), { headers: { [header]: value } });
  const text = await response.text();
  const json = text.replace(/^callback\((.*)\)$/, '$1');
  const isJson = /json|javascript/.test(response.headers.get('content-type') ?? '') && /^[{["]/.test(json);
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(json) : null };
}

interface RorItem {
  readonly id: string;
  readonly names: readonly { readonly value: string; readonly types: readonly string[] }[];
}

function rorName({ names }: RorItem): string {
  return names.find(({ types }) => types.includes('ror_display'))?.value ?? '';
}

interface NpiRow {
  readonly number: string;
  readonly basic: { readonly organization_name: string };
}

function npiEntity({ number, basic }: NpiRow): Entity {
  return { id: number, name: basic.organization_name };
}

interface FdaRow {
  readonly registration: { readonly registration_number: string; readonly name: string };
}

function fdaEntity({ registration }: FdaRow): Entity {
  return { id: registration.registration_number, name: registration.name };
}

interface RpoRow {
  readonly id: number;
  readonly fullNames: readonly { readonly value: string; readonly validTo?: string }[];
}

function rpoName({ fullNames }: RpoRow): string {
  return fullNames.find(({ validTo }) => validTo === undefined)?.value ?? '';
}

interface SudregRow {
  readonly mbs: number;
  readonly tvrtka: { readonly ime: string };
}

interface LeiRow {
  readonly id: string;
  readonly attributes: { readonly entity: { readonly legalName: { readonly name: string } } };
}

function leiName({ attributes }: LeiRow): string {
  return attributes.entity.legalName.name;
}

interface PeppolRow {
  readonly participantID: { readonly value: string };
  readonly entities: readonly { readonly name: readonly { readonly name: string }[] }[];
}

function peppolEntity({ participantID, entities }: PeppolRow): Entity {
  return { id: participantID.value, name: entities[0]?.name[0]?.name ?? '' };
}

interface OpenCorporatesRow {
  readonly company: {
    readonly jurisdiction_code: string;
    readonly company_number: string;
    readonly name: string;
  };
}

function openCorporatesEntity({ company }: OpenCorporatesRow): Entity {
  return { id: `${company.jurisdiction_code}/${company.company_number}`, name: company.name };
}

interface AbnRow {
  readonly Abn: string;
  readonly Name: string;
  readonly NameType: string;
  readonly IsCurrent: boolean;
}
