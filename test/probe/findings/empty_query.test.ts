import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { ApiProfileInput } from '../../../src/api/api_profile.ts';
import { startSandbox } from '../../../src/sandbox/sandbox.ts';
import { placeFor, probeAt, syncAt } from '../../support/probe.ts';
import { NO_HINTS, probeAll } from '../../support/probe_client.ts';
import { companiesFor } from '../../support/probe_companies.ts';

const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

describe('an empty query', () => {
  it.each<[string, ApiProfileInput]>([
    ['with totals and statistics', {}],
    ['without statistics', { stats: { total: null } }],
    ['without totals', { search: { total: null } }],
  ])('the dialect and sync use an empty query if it lists the whole registry, %s', async (_name, profile) => {
    const { place, sandbox, companies } = await upstreamOf({
      ...profile,
      search: { min_length: 0, ...profile.search },
    });
    const { draft } = await probeAt(place);
    expect(draft?.dialect.search.min_length).toBe(0);
    expect(place.text()).toContain('min_length: 0');
    // The mirror uses the page that the probe received, and continues after it.
    const probed = sandbox.arrivals().length;
    const mirrored = await syncAt(place.config());
    expect(mirrored.known.size).toBe(companies.length);
    const searches = sandbox
      .arrivals()
      .slice(probed)
      .filter(({ kind }) => kind === 'search');
    const { size } = place.config().dialect?.search.paging ?? { size: 1 };
    expect(searches.length).toBeLessThanOrEqual(Math.ceil(companies.length / size));
  });

  it.each<[string, ApiProfileInput]>([
    ['refuses it', {}],
    ['refuses it as too broad', { search: { min_length: 0, broad_above: 500 } }],
    ['refuses every query shorter than two letters', { search: { min_length: 2 } }],
    ['returns the whole registry for every query', { search: { min_length: 0, flaws: { deaf: true } } }],
    [
      'lists the registry without giving a total',
      { search: { min_length: 0, total: null }, stats: { total: null } },
    ],
  ])('the dialect has no empty query if the upstream %s', async (_name, profile) => {
    const { sandbox } = await upstreamOf(profile);
    const hints = { ...NO_HINTS, queryParam: 'q' };
    const { conclusions, exchanges } = await probeAll(sandbox.baseUrl, sandbox.keyOf('main'), hints);
    expect(conclusions.fullListing.value).toBe(false);
    const emptyQueries = exchanges.filter(
      ({ request }) => request.why === 'does an empty query list the whole registry?',
    );
    expect(emptyQueries.length).toBeLessThanOrEqual(1);
  });

  it('the dialect has no empty query if it lists only some companies', async () => {
    const companies = await companiesFor({}, 607);
    const server = createServer((request, response) => {
      const url = new URL(request.url ?? '', 'http://localhost');
      const query = url.searchParams.get('q')?.toLowerCase() ?? null;
      const found = companies.filter(({ name }) =>
        query === null ? name.startsWith('A') : name.toLowerCase().includes(query),
      );
      const rows = found.slice(0, query === null ? 8 : 20).map(({ id, name }) => ({ id, name }));
      const search = { total: query === null ? rows.length : found.length, results: rows };
      const [record] = companies
        .filter(({ id }) => url.pathname.endsWith(`/${id}`))
        .map(({ id, name }) => ({ id, name }));
      const body = url.pathname.startsWith('/api/search')
        ? search
        : (record ?? { companies: { total: 607 } });
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    closing.push(() => new Promise((done) => server.close(done)));
    const { port } = server.address() as AddressInfo;
    const { conclusions } = await probeAll(`http://127.0.0.1:${port}/api`, 'key');
    expect(conclusions.queryParam.value).toBe('q');
    expect(conclusions.fullListing).toMatchObject({ value: false, certainty: 'sure' });
  });
});

async function upstreamOf(profile: ApiProfileInput) {
  const companies = await companiesFor(profile, 607);
  const sandbox = await startSandbox({ profile, companies });
  const place = placeFor(sandbox.baseUrl, sandbox.keyOf('main'));
  closing.push(() => sandbox.close(), place.remove);
  return { sandbox, place, companies };
}
