import { expect, test } from 'vitest';
import { registryPaths } from '../../src/serve/mirror_profile.ts';
import { type Mirrored, openMirrored, serve } from '../support/served_mirror.ts';

const base_url = 'https://registry.example/api';

test.each([
  [{}, '/api/entity/a%2Fb', '/api/entity/a%2Fb'],
  [{}, '/api/search?q=%ZZ', '/api/search?q=%ZZ'],
  [
    { entity: '/krs/{id}?rejestr=P' },
    '/krs/a%2Fb?rejestr=P&as_of=2026-01-01',
    '/api/entity/a%2Fb?as_of=2026-01-01',
  ],
  [{ entity: '/krs/{id}?rejestr=P' }, '/krs/7?rejestr=S', '/krs/7?rejestr=S'],
  [{ entity: '/companies?id={id}' }, '/companies?id=a%2Fb', '/api/entity/a%2Fb'],
  [{ entity: '/Organisations({id})' }, '/Organisations(7)', '/api/entity/7'],
  [
    { entity: '/search?filters={"uen":"{id:json}"}' },
    '/search?filters=%7B%22uen%22%3A%22a%5C%22b%22%7D',
    '/api/entity/a%22b',
  ],
  [{ search: '/v1?do=search', stats: '/v1?do=stats' }, '/v1?do=search&q=x', '/api/search?q=x'],
  [{ search: '/v1?do=search', stats: '/v1?do=stats' }, '/v1?do=stats', '/api/registry/stats'],
  [{ search: '/companies', entity: '/companies?id={id}' }, '/companies?q=x', '/api/search?q=x'],
  [{ search: '/companies' }, '/page/search?q=x', '/page/search?q=x'],
])('with the paths %j, the URL %s leads to %s', (paths, url, served) => {
  expect(registryPaths({ base_url, paths })(url)).toBe(served);
});

test('the mirror of an API with one path for all resources offers this path and the default paths', async () => {
  const mirror: Mirrored = await openMirrored({
    companies: [{ id: '7', name: 'Seven Seas Ltd', fields: {} }],
  });
  await mirror.sync();
  const paths = { search: '/v1/?do=search', entity: '/v1/?do=record&id={id}', stats: '/v1/?do=stats' };
  const served = await serve(mirror, {
    config: { ...mirror.config, upstream: { ...mirror.config.upstream, paths } },
  });
  try {
    for (const search of ['/v1/?do=search&q=seven', '/api/search?q=seven'])
      expect((await served.ask(search)).json).toMatchObject({ total: 1 });
    for (const record of ['/v1/?do=record&id=7', '/api/entity/7'])
      expect((await served.ask(record)).json).toMatchObject({ name: 'Seven Seas Ltd' });
    expect((await served.ask('/v1/?do=stats')).json).toMatchObject({ mirror: { companies: 1 } });
    expect(await served.ask('/v1/?do=record&id=8')).toMatchObject({
      status: 404,
      json: { instance: '/v1/' },
    });
    expect(await served.ask('/v1/?do=other')).toMatchObject({ status: 404 });
  } finally {
    await served.close();
    await mirror.close();
  }
});
