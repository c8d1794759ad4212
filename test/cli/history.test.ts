import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openUpstream, type Upstream } from '../support/upstream.ts';

let upstream: Upstream;
const companies = [
  {
    id: '0001',
    name: 'Laxey Glen Mills Limited',
    fields: { status: 'Live', big: 12345678901234567890n, town: 'Laxey' },
  },
  // Calls for these companies succeed after the call for the company that is gone.
  ...Array.from({ length: 8 }, (_, at) => ({ id: `100${at}`, name: `Company ${at}`, fields: {} })),
  { id: '0002', name: 'Bad \u001b[31mName\u202e', fields: { status: 'Live' } },
];

beforeAll(async () => {
  upstream = await openUpstream({ companies });
  const list = join(upstream.folder, 'ids.txt');
  writeFileSync(list, companies.map(({ id }) => `${id}\n`).join(''));
  const fetch = () => upstream.run('backfill', '--ids', list, '--again');
  await fetch();
  upstream.sandbox.companies.put({
    ...companies[0]!,
    name: 'Laxey Mills Limited',
    fields: { ...companies[0]!.fields, town: '' },
  });
  await fetch();
  upstream.sandbox.companies.remove('0001', Date.now());
  await fetch();
});
afterAll(() => upstream.close());

describe('history', () => {
  it("history prints a company's versions, their changes and their calls", async () => {
    const { json, code } = await upstream.cli('history', '0001');
    expect(code).toBe(0);
    expect(json.data).toMatchObject({ entity_id: '0001', name: 'Laxey Mills Limited' });
    expect(json.data.gone_at).not.toBeNull();
    const [first, second] = json.data.versions;
    expect(first).toMatchObject({ changes: [], call: { run_id: 1, command: 'backfill', status: 200 } });
    expect(first.observed_to).toBe(second.observed_from);
    expect(second.changes).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          path: '/name',
          before: 'Laxey Glen Mills Limited',
          after: 'Laxey Mills Limited',
        }),
        expect.objectContaining({ path: '/town', before: 'Laxey', after: '' }),
      ]),
    );
  });

  it('history --documents prints complete versions, including every digit', async () => {
    const { stdout } = await upstream.run('history', '0001', '--documents', '--json');
    expect(stdout).toContain('"big":12345678901234567890');
  });

  it('history keeps control characters in names when it prints JSON', async () => {
    const { stdout } = await upstream.run('history', '0002', '--json');
    expect(JSON.parse(stdout).data.name).toBe(companies.at(-1)?.name);
  });

  it('history suggests similar ids if the id is unknown', async () => {
    const { code, said } = await upstream.run('history', '00');
    expect(code).toBe(1);
    expect(said).toContain('company 00 is not in the mirror');
    expect(said).toContain('Did you mean 0001 (Laxey Mills Limited)');
    const byName = await upstream.run('history', 'laxey mill');
    expect(byName.said).toContain('Did you mean 0001');
  });
});
