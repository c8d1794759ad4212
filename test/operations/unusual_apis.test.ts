import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { generateRegistry } from '../../data/generate.ts';
import { ApiProfile, clientDialect } from '../../src/api/api_profile.ts';
import { type Overrides, openUpstream } from '../support/upstream.ts';

test('ids with reserved characters are fetched, and an id that no URL can contain goes to quarantine with the reason', async () => {
  const ids = ['a/b', 'x y', '50%', 'what?', 'c#d', '..%2F', '{id}', '.', '..'];
  const companies = ids.map((id, at) => ({ id, name: `Alder ${at}`, fields: {} }));
  const upstream = await openUpstream({ companies });
  onTestFinished(() => upstream.close());
  const { code, json } = await upstream.run('sync');
  expect([code, json.data.ended]).toEqual([3, 'done']);
  const db = upstream.warehouse();
  onTestFinished(() => void db.close());
  const fetched = db.prepare('SELECT entity_id FROM entity').pluck().all();
  expect(fetched.sort()).toEqual(ids.slice(0, -2).sort());
  const waiting = db.prepare('SELECT target, reason FROM _quarantine ORDER BY target').all();
  expect(waiting).toEqual([
    { target: '.', reason: expect.stringContaining('"." cannot be sent') },
    { target: '..', reason: expect.stringContaining('".." cannot be sent') },
  ]);
  expect((await upstream.run('sync')).json.data.calls_spent).toBe(0);
});

test('a total in a header is read, and read again by reprocess', async () => {
  const upstream = await openUpstream({
    companies: [...generateRegistry({ companies: 70, seed: 4 })],
    profile: {
      dialect: {
        search: {
          results: '',
          total: 'X-Total-Count',
          min_length: 0,
          paging: { style: 'link_header', size_param: 'limit', size: 25 },
        },
      },
    },
  });
  onTestFinished(() => upstream.close());
  expect((await upstream.run('sync')).json.data.ended).toBe('done');
  const totals = () => {
    const db = upstream.warehouse();
    const found = db.prepare("SELECT total, pages, status FROM _query WHERE query_key = 'name:'").all();
    db.close();
    return found;
  };
  expect(totals()).toEqual([{ total: 70, pages: 3, status: 'complete' }]);
  await upstream.run('reprocess');
  expect(totals()).toEqual([{ total: 70, pages: 3, status: 'complete' }]);
});

test('searches that return 404 while others succeed end the run, and its message has the rule that mends the dialect', async () => {
  const profile = { search: { empty: 'not_found' as const } };
  const companies = [...generateRegistry({ companies: 70, seed: 4 })];
  const { responses: _, ...dialect } = clientDialect(ApiProfile.parse(profile));
  const upstream = await openUpstream({ companies, profile }, { dialect });
  onTestFinished(() => upstream.close());
  const found = companies.slice(0, 4).map(({ name }) => name);
  const missing = ['qx', 'zx', 'xq', 'jq', 'vx', 'qz', 'wq', 'kx'].map((text) => `${text}${text}`);
  const scope = { queries: join(upstream.folder, 'queries.txt') };
  writeFileSync(scope.queries, [...found, ...missing].join('\n'));
  const run = (changes: Overrides) =>
    upstream.run('sync', '--config', upstream.configure({ scope, ...changes }, 'c.yaml'));
  const stopped = (await run({ dialect })).json.data;
  expect(stopped).toMatchObject({ ended: 'drift' });
  expect(stopped.why).toContain('6 searches returned HTTP 404, although others found companies');
  const [, rule = ''] = /\[(\{ status: 404.*?\})\] fits/.exec(stopped.why) ?? [];
  expect(rule).toContain('at: /type, is: "/problems/nothing_found"');
  expect(stopped.calls_spent).toBeLessThan(16);
  const mended = await run({ dialect: { ...dialect, responses: [parse(rule)] } });
  expect(mended.json.data).toMatchObject({ ended: 'done' });
  const db = upstream.warehouse();
  onTestFinished(() => void db.close());
  const complete = "SELECT count(*) FROM _query WHERE rows = 0 AND status = 'complete'";
  expect(db.prepare(complete).pluck().get()).toBe(missing.length);
});
