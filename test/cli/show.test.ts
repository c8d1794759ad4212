import { expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../support/command.ts';
import { companies, openMirrored } from '../support/served_mirror.ts';

const DAY_MS = 86_400_000;

test('show prints when a company was first seen, last seen, fetched, changed and gone', async () => {
  const mirror = await openMirrored({
    companies: companies(20),
    configuration: { max_age: { stats: '1d', summaries: '1d', records: '1d' } },
  });
  onTestFinished(() => mirror.close());
  const id = String(companies(1)[0]?.id);
  const dayAfter = async (laterMs: number, kinds: ('stats' | 'search' | 'entity')[]) => {
    await mirror.sync(laterMs, new Set(kinds));
    return new Date(mirror.now()).toISOString().slice(0, 10);
  };
  const firstSeen = await dayAfter(0, ['stats', 'search']);
  const changed = await dayAfter(10 * DAY_MS, ['entity']);
  const fetched = await dayAfter(10 * DAY_MS, ['entity']);
  const lastSeen = await dayAfter(10 * DAY_MS, ['search']);
  const path = mirror.configure();
  const show = (...flags: string[]) =>
    runCommand(['show', id, '--config', path, ...flags], { env: { TZ: 'UTC' }, columns: 120 });

  const { data } = (await show('--json')).json;
  const dayOf = (time: string | null) => time?.slice(0, 10) ?? null;
  expect({
    first: dayOf(data.first_seen_at),
    last: dayOf(data.last_seen_at),
    fetched: dayOf(data.fetched_at),
    changed: dayOf(data.changed_at),
    gone: data.gone_at,
  }).toEqual({ first: firstSeen, last: lastSeen, fetched, changed, gone: null });
  const { stdout } = await show();
  const inWords = (day: string) =>
    new Date(day).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
  expect(stdout).toMatch(new RegExp(`known since ${inWords(firstSeen)}.*last seen ${inWords(lastSeen)}`));
  expect(stdout).toMatch(new RegExp(`record fetched ${inWords(fetched)}`));
});

test('show names the command that fetches a missing record', async () => {
  const mirror = await openMirrored({ companies: [{ id: 'A 1', name: 'Acme Ltd', fields: {} }] });
  onTestFinished(() => mirror.close());
  await mirror.sync(0, new Set(['search'] as const));
  const { stdout } = await runCommand(['show', 'A 1', '--config', mirror.configure()], { columns: 200 });
  expect(stdout).toContain("never fetched; fetch it: echo 'A 1' | registry-mirror backfill --ids -");
});

test('show prints a dash for fields without a value, and leaves them empty in CSV', async () => {
  const company = { id: 'A1', name: 'Acme Ltd', fields: { dissolved_on: null, officers: [], employees: 0 } };
  const mirror = await openMirrored({ companies: [company] });
  onTestFinished(() => mirror.close());
  await mirror.sync();
  const show = (...flags: string[]) => runCommand(['show', 'A1', '--config', mirror.configure(), ...flags]);
  expect((await show()).stdout).toMatch(/dissolved_on +–\n +officers +–\n +employees +0\n/);
  expect((await show('--csv')).stdout).toMatch(/dissolved_on,\r?\nofficers,\r?\nemployees,0/);
});

test('show names the command that permits an erased company again', async () => {
  const mirror = await openMirrored({ companies: companies(2) });
  onTestFinished(() => mirror.close());
  const id = String(companies(1)[0]?.id);
  await mirror.sync();
  const path = mirror.configure();
  expect(await runCommand(['forget', id, '--yes', '--config', path])).toMatchObject({ code: 0 });
  const { code, stderr } = await runCommand(['show', id, '--config', path]);
  expect(code).toBe(1);
  expect(stderr).toContain(`registry-mirror forget --undo '${id}'`);
});
