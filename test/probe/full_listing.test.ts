import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { ApiProfileInput } from '../../src/api/api_profile.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { NOTHING_TOLD, placeFor, probeAt, syncAt } from '../support/probe.ts';
import { probeAll } from '../support/probe_client.ts';
import { companiesFor } from '../support/probe_companies.ts';

const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

describe('a search without a text', () => {
  it.each<[string, ApiProfileInput]>([
    ['with totals and statistics', {}],
    ['without statistics', { stats: { total: null } }],
    ['without totals', { search: { total: null } }],
  ])('that lists everything is found out, and written: %s', async (_name, profile) => {
    const { place, sandbox, companies } = await upstreamOf({
      ...profile,
      search: { min_length: 0, ...profile.search },
    });
    const { draft } = await probeAt(place);
    expect(draft?.dialect.search.min_length).toBe(0);
    expect(place.text()).toContain('min_length: 0');
    // Its page is kept: the mirror reads on from there.
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
    ['refuses every text so short', { search: { min_length: 2 } }],
    ['lists everything whatever is asked', { search: { min_length: 0, flaws: { deaf: true } } }],
    [
      'lists everything, and says nowhere how many that are',
      { search: { min_length: 0, total: null }, stats: { total: null } },
    ],
  ])('is not relied on where the upstream %s', async (_name, profile) => {
    const { sandbox } = await upstreamOf(profile);
    const hints = { ...NOTHING_TOLD, queryParam: 'q' };
    const { conclusions, exchanges } = await probeAll(sandbox.baseUrl, sandbox.keyOf('main'), hints);
    expect(conclusions.fullListing.value).toBe(false);
    const bare = exchanges.filter(
      ({ request }) => request.why === 'does a search without a text list everything?',
    );
    expect(bare.length).toBeLessThanOrEqual(1);
  });

  it('that shows a few companies is no list of all', async () => {
    const names = await companiesFor({}, 607);
    const server = createServer((request, response) => {
      const url = new URL(request.url ?? '', 'http://localhost');
      const text = url.searchParams.get('q')?.toLowerCase() ?? null;
      const found = names.filter(({ name }) =>
        text === null ? name.startsWith('A') : name.toLowerCase().includes(text),
      );
      const rows = found.slice(0, text === null ? 8 : 20).map(({ id, name }) => ({ id, name }));
      const search = { total: text === null ? rows.length : found.length, results: rows };
      const [record] = names
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
  const sandbox = await startSandbox({ shape: profile, companies });
  const place = placeFor(sandbox.baseUrl, sandbox.keyOf('main'));
  closing.push(() => sandbox.close(), place.remove);
  return { sandbox, place, companies };
}
