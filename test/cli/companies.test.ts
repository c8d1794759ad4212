import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCommand } from '../support/command.ts';
import { atTerminal } from '../support/terminal.ts';
import { openUpstream, type Upstream } from '../support/upstream.ts';

const MILLS = {
  id: '0001',
  name: 'Laxey Glen Mills Limited',
  fields: { status: 'Live', big: 12345678901234567890n, town: 'Laxey' },
};
const EVIL = 'Bad \u001b[31mName\u202e';
let upstream: Upstream;

beforeAll(async () => {
  upstream = await openUpstream({
    companies: [
      MILLS,
      // Calls for these companies succeed after the call for the company that is gone.
      ...Array.from({ length: 8 }, (_, at) => ({ id: `100${at}`, name: `Company ${at}`, fields: {} })),
      { id: '0002', name: EVIL, fields: {} },
      { id: '0003', name: 'Biotechnik, "Labor" GmbH', fields: {} },
      { id: '0004', name: 'Société Générale de Vins', fields: { big: 12345678901234567890n } },
    ],
  });
  const list = join(upstream.folder, 'ids.txt');
  writeFileSync(list, [...upstream.sandbox.companies.all()].map(({ id }) => id).join('\n'));
  const fetch = () => upstream.run('backfill', '--ids', list, '--again');
  await fetch();
  const fields = { ...MILLS.fields, town: '' };
  upstream.sandbox.companies.put({ ...MILLS, name: 'Laxey Mills Limited', fields });
  await fetch();
  upstream.sandbox.companies.remove('0001', Date.now());
  await fetch();
});
afterAll(() => upstream.close());

const dataOf = async (...args: string[]) => (await upstream.run(...args)).json.data;

it.each([
  ['societe generale de vins', '0004', 'name'],
  ['laxy milss', '0001', 'name'],
  ['tech', '0003', 'name'],
  ['0003', '0003', 'identifier'],
])('search finds %s without making a call', async (text, id, matched) => {
  const calls = upstream.sandbox.arrivals().length;
  const { json, code } = await upstream.cli('search', text);
  expect(code).toBe(0);
  expect(json.data.companies[0]).toMatchObject({ entity_id: id, matched });
  expect(upstream.sandbox.arrivals()).toHaveLength(calls);
});

it('search gives an identical name the score 1, marks gone companies, and limits them', async () => {
  expect((await dataOf('search', 'LAXEY', 'MILLS', 'LIMITED')).companies).toMatchObject([
    { entity_id: '0001', score: 1, state: 'gone' },
  ]);
  expect((await dataOf('search', 'company')).companies).toHaveLength(8);
  expect((await dataOf('search', 'company', '--limit', '3')).companies).toHaveLength(3);
  expect((await dataOf('search', 'zzzqqq')).companies).toEqual([]);
});

it('search names the command that asks the registry, and its condition, if no known company matches', async () => {
  const { text } = await atTerminal(['search', 'zzzqqq', '--config', upstream.configPath], { columns: 200 });
  expect(text).toContain('If calls are left, search the registry itself: registry-mirror backfill --query');
});

it('search and show print CSV with --csv', async () => {
  const { stdout } = await upstream.run('search', 'biotechnik', '--csv');
  expect(stdout.split('\r\n').slice(0, 2)).toEqual([
    'entity_id,name,state,gone_at,score,matched,matched_text',
    expect.stringMatching(/^0003,"Biotechnik, ""Labor"" GmbH",fetched,,0\.\d+,name,/),
  ]);
  const csv = await upstream.run('show', '0004', '--csv');
  expect(csv.stdout).toContain('big,12345678901234567890\r\n');
});

it('show prints the record with every digit, and the last record of a gone company', async () => {
  const { stdout } = await upstream.run('show', '0004', '--json');
  expect(stdout).toContain('"big":12345678901234567890');
  expect(JSON.parse(stdout).data).toMatchObject({ entity_id: '0004', state: 'fetched', gone_at: null });
  expect(await dataOf('show', '0001')).toMatchObject({
    state: 'gone',
    gone_at: expect.stringMatching(/^2\d{3}-/),
    record: { id: '0001', town: '' },
  });
});

it('show --history prints the same, also as text, and --documents adds every version with all digits', async () => {
  expect(await dataOf('show', '0001', '--history')).toEqual(await dataOf('history', '0001'));
  const { stdout } = await upstream.run('history', '0001', '--documents', '--json');
  expect(stdout).toContain('"big":12345678901234567890');
  const args = ['show', '0001', '--config', upstream.configPath];
  expect((await runCommand(args)).stdout).not.toContain('first version');
  const { stdout: history } = await runCommand([...args, '--history']);
  expect(history).toContain('first version');
  expect(history).toMatch(/changes without a new version\n {4}gone from the registry, observed \d/);
});

it('history keeps control characters in names when it prints JSON', async () => {
  expect((await dataOf('history', '0002')).name).toBe(EVIL);
});

it('show hints at a command that fetches an unknown id, quoted for a shell', async () => {
  const { said } = await upstream.run('show', "it's zz9");
  const [, word = ''] = /Or fetch it: echo (.+) \| registry-mirror backfill --ids -/.exec(said) ?? [];
  expect(execFileSync('sh', ['-c', `echo ${word}`], { encoding: 'utf8' })).toBe("it's zz9\n");
});

it('history suggests similar ids if the id is unknown', async () => {
  const { code, said } = await upstream.run('history', '00');
  expect(code).toBe(1);
  expect(said).toContain('company 00 is not in the mirror');
  expect(said).toContain('Did you mean 0001 (Laxey Mills Limited)');
  expect((await upstream.run('history', 'laxey mill')).said).toContain('Did you mean 0001');
  // A spreadsheet drops leading zeros.
  expect((await upstream.run('show', '1')).said).toContain('Did you mean 0001 (Laxey Mills Limited)');
});
