import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openUpstream, type Upstream } from '../support/upstream.ts';

let open: Upstream | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

describe('quarantine', () => {
  it('quarantine stores and shows unreadable responses, and loads them after the dialect is corrected', async () => {
    const upstream = await place();
    const { dialect } = upstream.sandbox;
    const wrong = { ...dialect, entity: { ...dialect.entity, id: '/no/such/place' } };
    upstream.configure({ dialect: wrong });
    await upstream.run('sync', '--max-calls', '90');
    const listed = await upstream.run('quarantine', 'list');
    expect(listed.json.data.counts.open).toBeGreaterThan(0);
    const [entry] = listed.json.data.entries;
    expect((await upstream.run('quarantine', 'list', '--limit', '1')).json.data.entries).toHaveLength(1);
    expect(entry).toMatchObject({ kind: 'entity', position: null, state: 'open' });

    const shown = await upstream.run('quarantine', 'show', String(entry.number));
    expect(JSON.parse(shown.json.data.body).id).toBe(entry.target);
    const stillWrong = await upstream.run('quarantine', 'replay');
    expect(stillWrong.code).toBe(3);
    expect(stillWrong.json.data).toMatchObject({ replayed: 0 });

    const before = upstream.sandbox.arrivals().length;
    upstream.configure({ dialect });
    const replayed = await upstream.run('quarantine', 'replay');
    expect(replayed.code).toBe(0);
    expect(replayed.json.data).toMatchObject({ replayed: listed.json.data.counts.open, open: [] });
    expect(upstream.sandbox.arrivals()).toHaveLength(before);
    const db = upstream.warehouse();
    expect(db.prepare('SELECT count(*) FROM entity').pluck().get()).toBe(listed.json.data.counts.open);
    db.close();
    expect((await upstream.run('quarantine', 'list')).json.data.counts).toMatchObject({ open: 0 });
    expect((await upstream.run('history', entry.target)).json.data.versions).toHaveLength(1);
  });

  it('quarantine cannot replay an entry after a newer response has been loaded', async () => {
    const upstream = await place();
    const { dialect } = upstream.sandbox;
    upstream.configure({ dialect: { ...dialect, entity: { ...dialect.entity, id: '/no/such/place' } } });
    const list = join(upstream.folder, 'ids.txt');
    writeFileSync(
      list,
      [...upstream.sandbox.companies.all()]
        .slice(0, 3)
        .map(({ id }) => id)
        .join('\n'),
    );
    await upstream.run('backfill', '--ids', list, '--max-calls', '3');
    const { entries } = (await upstream.run('quarantine', 'list')).json.data;
    upstream.configure({ dialect });
    await upstream.run('backfill', '--failed');
    const versions = async () => (await upstream.run('history', entries[0].target)).json.data.versions;
    const newer = await versions();
    expect(newer).toHaveLength(1);
    const { json } = await upstream.run('quarantine', 'list', '--all');
    expect(json.data.counts).toMatchObject({ open: 0, superseded: entries.length });
    const { code, said } = await upstream.run('quarantine', 'replay', String(entries[0].number));
    expect(code).toBe(2);
    expect(said).toContain('is not open: it is superseded');
    expect(await versions()).toEqual(newer);
  });

  it('quarantine discards single entries by number, or all entries', async () => {
    const upstream = await place();
    const { dialect } = upstream.sandbox;
    upstream.configure({ dialect: { ...dialect, search: { ...dialect.search, results: '/nowhere' } } });
    await upstream.run('sync', '--max-calls', '3');
    const { entries } = (await upstream.run('quarantine', 'list')).json.data;
    expect(entries[0].kind).toBe('search');
    expect((await upstream.run('quarantine', 'discard', String(entries[0].number))).json.data.discarded).toBe(
      1,
    );
    await upstream.run('quarantine', 'discard', '--all');
    expect((await upstream.run('quarantine', 'list')).json.data.counts).toMatchObject({ open: 0 });
  });
});

async function place(): Promise<Upstream> {
  open = await openUpstream({});
  return open;
}
