import { expect, onTestFinished, test } from 'vitest';
import { generateRegistry } from '../../data/generate.ts';
import { openUpstream } from '../support/upstream.ts';

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
    { target: '.', reason: expect.stringContaining('the id "." cannot be sent') },
    { target: '..', reason: expect.stringContaining('the id ".." cannot be sent') },
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
