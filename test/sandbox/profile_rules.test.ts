import { afterEach, expect, test } from 'vitest';
import { generateRegistry } from '../../data/generate.ts';
import type { ApiProfileInput } from '../../src/api/api_profile.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { ask, askBy, entityCall } from '../support/api_client.ts';
import { pagesOf } from '../support/presets.ts';

const opened: Sandbox[] = [];
afterEach(async () => {
  for (const sandbox of opened.splice(0)) await sandbox.close();
});

type SearchInput = NonNullable<ApiProfileInput['dialect']>['search'];

async function open(search: SearchInput = {}, facts: ApiProfileInput['search'] = {}): Promise<Sandbox> {
  const companies = [...generateRegistry({ companies: 300, seed: 2 })];
  const sandbox = await startSandbox({
    companies,
    profile: { dialect: { search: { min_length: 0, paging: pagesOf(50), ...search } }, search: facts },
  });
  opened.push(sandbox);
  return sandbox;
}

test('queries that are too short or too broad are rejected', async () => {
  const strict = await open({ min_length: 3 }, { broad_above: 100 });
  expect(await ask(strict, '/api/search?q=ab')).toMatchObject({
    status: 400,
    json: { code: 'query_too_short' },
  });
  const lenient = await open({ min_length: 3 }, { too_short: 'empty' });
  expect((await ask(lenient, '/api/search?q=ab')).json).toEqual({ total: 0, results: [] });
  const narrow = await open({ matches: 'substring' }, { broad_above: 10 });
  expect(await ask(narrow, '/api/search?q=e')).toMatchObject({
    status: 400,
    json: { code: 'query_too_broad' },
  });
});

test('unknown parameters are ignored or rejected, depending on the profile', async () => {
  expect((await ask(await open({}), '/api/search?q=a&limit=3')).status).toBe(200);
  const strict = await open({}, { unknown_params: 'refuse' });
  expect(await ask(strict, '/api/search?q=a&limit=3')).toMatchObject({
    status: 400,
    json: { code: 'parameter_invalid' },
  });
});

test.each([
  { counts: 'start', beyond: 'empty', at100: 200, at150: 200 },
  { counts: 'start', beyond: 416, at100: 200, at150: 416 },
  { counts: 'end', beyond: 400, at100: 400, at150: 400 },
] as const)(
  "if the cap of 130 rows applies to a page's $counts, requests for later pages return $beyond",
  async (row) => {
    const sandbox = await open(
      { paging: pagesOf(50, 130) },
      { window: { counts: row.counts, beyond: row.beyond } },
    );
    const page = (number: number) => ask(sandbox, `/api/search?q=&per_page=50&page=${number}`);
    const [second, third, fourth] = [await page(2), await page(3), await page(4)];
    expect([second.status, third.status, fourth.status]).toEqual([200, row.at100, row.at150]);
    if (row.beyond === 'empty') {
      expect(third.json).toMatchObject({ results: { length: 30 } });
      expect(fourth.json).toMatchObject({ results: [], total: 300 });
    }
  },
);

test('the profile can change while the sandbox runs', async () => {
  const sandbox = await open({});
  const [{ id }] = sandbox.companies.all() as unknown as [{ id: string }];
  expect(await askBy(sandbox, entityCall(id))).toMatchObject({ is: 'ok' });
  await sandbox.useProfile({
    paths: { entity: '/api/v2/company/{id}' },
    dialect: { entity: { root: '/data' } },
  });
  expect((await ask(sandbox, `/api/entity/${id}`)).status).toBe(404);
  expect((await ask(sandbox, `/api/v2/company/${id}`)).json).toMatchObject({ data: { id } });
  expect(await askBy(sandbox, entityCall(id))).toMatchObject({ is: 'ok', answer: { entityId: id } });
});
