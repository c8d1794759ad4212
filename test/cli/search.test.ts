import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openUpstream, type Upstream } from '../support/upstream.ts';

const COMPANIES = [
  { id: '0001', name: 'Société Générale de Vins', fields: { status: 'Live', big: 12345678901234567890n } },
  { id: '0002', name: 'Wilson Services Limited', fields: { town: 'Laxey' } },
  { id: '0003', name: 'Biotechnik, "Labor" GmbH', fields: {} },
];
let upstream: Upstream;

beforeAll(async () => {
  upstream = await openUpstream({ companies: COMPANIES });
  const list = join(upstream.folder, 'ids.txt');
  writeFileSync(list, '0001\n0002\n');
  await upstream.run('sync', '--max-calls', '40');
  upstream.sandbox.companies.remove('0002', Date.now());
  await upstream.run('backfill', '--ids', list, '--again');
});
afterAll(() => upstream.close());

describe('search', () => {
  it.each([
    ['societe generale de vins', '0001', 'name'],
    ['wilsen servces', '0002', 'name'],
    ['tech', '0003', 'name'],
    ['0003', '0003', 'identifier'],
  ])('search finds %s without making a call', async (text, id, matched) => {
    const calls = upstream.sandbox.arrivals().length;
    const { json, code } = await upstream.cli('search', text);
    expect(code).toBe(0);
    expect(json.data.companies[0]).toMatchObject({ entity_id: id, matched });
    expect(upstream.sandbox.arrivals()).toHaveLength(calls);
  });

  it('search gives an identical name the score 1, and marks gone companies', async () => {
    const { json } = await upstream.run('search', 'WILSON', 'SERVICES', 'LIMITED');
    expect(json.data.companies).toMatchObject([{ entity_id: '0002', score: 1, state: 'gone' }]);
  });

  it('search --csv prints CSV', async () => {
    const { stdout } = await upstream.run('search', 'biotechnik', '--csv');
    expect(stdout.split('\r\n').slice(0, 2)).toEqual([
      'entity_id,name,state,gone_at,score,matched,matched_text',
      expect.stringMatching(/^0003,"Biotechnik, ""Labor"" GmbH",fetched,,0\.\d+,name,/),
    ]);
  });

  it('search returns an empty list if no company matches', async () => {
    const { json, code } = await upstream.run('search', 'zzzqqq');
    expect({ code, companies: json.data.companies }).toEqual({ code: 0, companies: [] });
  });
});

describe('show', () => {
  it('show prints the record with every digit', async () => {
    const { stdout } = await upstream.run('show', '0001', '--json');
    expect(stdout).toContain('12345678901234567890');
    expect(JSON.parse(stdout).data).toMatchObject({ entity_id: '0001', state: 'fetched', gone_at: null });
    const csv = await upstream.run('show', '0001', '--csv');
    expect(csv.stdout).toContain('big,12345678901234567890\r\n');
  });

  it('show marks a gone company', async () => {
    const { json } = await upstream.run('show', '0002');
    expect(json.data).toMatchObject({ state: 'gone', gone_at: expect.stringMatching(/^2\d{3}-/) });
  });
});
