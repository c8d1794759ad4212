import { afterEach, describe, expect, it } from 'vitest';
import { frRechercheEntreprises } from './fr_recherche_entreprises.ts';
import { STAND_INS } from './index.ts';
import { noBrreg } from './no_brreg.ts';
import { openalexInstitutions } from './openalex_institutions.ts';
import { opensanctionsYente } from './opensanctions_yente.ts';
import { rorOrganizations } from './ror_organizations.ts';
import { type Entity, hasWords, type RunningStandIn, type StandIn } from './server.ts';

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
}

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
];

const running: RunningStandIn[] = [];
afterEach(() => Promise.all(running.splice(0).map((server) => server.close())));

describe('the stand-ins', () => {
  it('each stand-in has a client in this test', () => {
    expect(
      STAND_INS.map(({ name }) => name).filter((name) => !CLIENTS.some(({ api }) => api.name === name)),
    ).toEqual([]);
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
        server.hints.paths.entity.replace('{id}', encodeURIComponent(entity.id)),
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
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
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
  const isJson = response.headers.get('content-type')?.includes('json') === true && text !== '';
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : null };
}

interface RorItem {
  readonly id: string;
  readonly names: readonly { readonly value: string; readonly types: readonly string[] }[];
}

function rorName({ names }: RorItem): string {
  return names.find(({ types }) => types.includes('ror_display'))?.value ?? '';
}
