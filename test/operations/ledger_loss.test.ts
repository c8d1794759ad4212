import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test, vi } from 'vitest';
import { generateRegistry } from '../../data/generate.ts';
import { systemClock } from '../../src/clock.ts';
import { configFrom } from '../../src/config/load_config.ts';
import { FailedError } from '../../src/errors.ts';
import { openWorkspace, type Workspace } from '../../src/operations/assemble.ts';
import { rebuildLedger, requireLedger, stampLedger } from '../../src/operations/ledger_loss.ts';
import { ALL_KINDS, runEngine } from '../../src/operations/run.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { values } from '../../src/sqlite/statements.ts';
import { metaTable } from '../../src/warehouse/meta.ts';
import { startRun } from '../../src/warehouse/run.ts';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { temporaryFolder } from '../support/loader.ts';
import { sandboxConfiguration } from '../support/sandbox_configuration.ts';

const ALLOWANCE = 20;

/**
 * Returns the number of units that the ledger has debited and its older copy has not. It is more than the number of calls
 * if a busy machine missed slots, whose units were returned.
 */
function debitsSince(older: string, ledger: string): number {
  const [before = 0, now = 0] = [older, ledger].map((path) => {
    const db = new Database(path, { readonly: true });
    onTestFinished(() => void db.close());
    return db.prepare<[], number>("SELECT debits FROM account WHERE account_id = 'main'").pluck().get();
  });
  return now - before;
}

/** A mirror with an allowance of 20 calls, of which a first run has spent 8. */
async function mirror({ unlimited = false, perMinute = 'unlimited' as number | 'unlimited' } = {}) {
  const companies = [...generateRegistry({ companies: 60, seed: 3 })];
  const sandbox = await startSandbox({ companies, latencyMs: 40 });
  onTestFinished(() => sandbox.close());
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'state'));
  const base = sandboxConfiguration(sandbox, folder);
  const configOf = (account = 'main', name = 'warehouse.db') =>
    configFrom({
      ...base,
      warehouse: join(folder, name),
      upstream: { ...base.upstream, concurrency: 1 },
      account: { tier: 'paid', id: account },
      ledger: join(folder, 'state', 'ledger.db'),
      allowance: { per_minute: perMinute, ...(unlimited ? { unlimited } : { total: ALLOWANCE }) },
    });
  const sync = async ({
    maxCalls = 100,
    during = (_: Workspace) => {},
    account = 'main',
    name = 'warehouse.db',
  } = {}) => {
    const workspace = openWorkspace(configOf(account, name));
    try {
      return await runEngine(workspace, {
        command: 'sync',
        purpose: 'scheduled',
        kinds: ALL_KINDS,
        focus: 'records',
        maxCalls,
        maxMinutes: 1,
        signal: new AbortController().signal,
        onProgress: () => during(workspace),
      });
    } finally {
      workspace.close();
    }
  };
  await sync({ maxCalls: 8 });
  const { ledger, warehouse } = configOf();
  return { sandbox, configOf, sync, ledger, warehouse, arrivals: () => sandbox.arrivals().length };
}

test.each<[string, (ledger: string) => void]>([
  ['deleted', (ledger) => rmSync(ledger)],
  ['emptied', (ledger) => truncateSync(ledger)],
  ['deleted with its folder', (ledger) => rmSync(join(ledger, '..'), { recursive: true })],
])('a ledger that is %s between runs stops the next run until it is rebuilt', async (_, lose) => {
  const { sync, configOf, ledger, warehouse, arrivals } = await mirror();
  lose(ledger);
  await expect(sync()).rejects.toMatchObject({ hint: expect.stringContaining('doctor --rebuild-ledger') });
  expect(arrivals()).toBe(8);
  expect(await rebuildLedger(configOf(), [warehouse], systemClock)).toMatchObject({ added: 8 });
  expect(await rebuildLedger(configOf(), [warehouse], systemClock)).toMatchObject({
    added: 0,
    movedTo: null,
  });
  expect((await sync()).ending.ended).toBe('allowance');
  expect(arrivals()).toBe(ALLOWANCE);
});

test('an older copy of the ledger stops the next run', async () => {
  const { sync, ledger, arrivals } = await mirror();
  copyFileSync(ledger, `${ledger}.older`);
  await sync({ maxCalls: 2 });
  const lost = debitsSince(`${ledger}.older`, ledger);
  renameSync(`${ledger}.older`, ledger);
  expect(lost).toBeGreaterThanOrEqual(2);
  await expect(sync()).rejects.toThrow(`can lack ${lost} calls`);
  expect(arrivals()).toBe(10);
});

test('an older copy of the ledger stops the next run even if the warehouse has stored no calls since the copy was made', async () => {
  const { sync, configOf, ledger } = await mirror();
  copyFileSync(ledger, `${ledger}.older`);
  const { warehouse, ledger: opened, close } = openWorkspace(configOf());
  const runId = startRun(warehouse.db, { command: 'sync', owner: null, nowMs: Date.now() });
  requireLedger({ config: configOf(), warehouse, ledger: opened, runId }, Date.now());
  close();
  renameSync(`${ledger}.older`, ledger);
  await expect(sync()).rejects.toThrow(/can lack 1 call,/);
});

test('an older copy of the ledger keeps its own count when rebuilt', async () => {
  const { sync, configOf, ledger, warehouse, arrivals } = await mirror();
  const other = configOf('main', 'other.db').warehouse;
  await sync({ name: 'other.db', maxCalls: 2 });
  rmSync(other);
  copyFileSync(ledger, `${ledger}.older`);
  await sync({ maxCalls: 3 });
  renameSync(`${ledger}.older`, ledger);
  await expect(sync()).rejects.toThrow(/can lack/);
  expect(arrivals()).toBe(13);
  expect(await rebuildLedger(configOf(), [warehouse], systemClock)).toMatchObject({ movedTo: null });
  await sync();
  expect(arrivals()).toBe(ALLOWANCE);
});

test('an older copy of the ledger stops every warehouse until the calls of all of them are counted', async () => {
  const { sync, configOf, ledger, warehouse, arrivals } = await mirror();
  await sync({ name: 'other.db', maxCalls: 1 });
  await sync({ maxCalls: 1 });
  copyFileSync(ledger, `${ledger}.older`);
  await sync({ name: 'other.db', maxCalls: 4 });
  const lost = debitsSince(`${ledger}.older`, ledger);
  renameSync(`${ledger}.older`, ledger);
  expect(lost).toBeGreaterThanOrEqual(4);
  await expect(sync()).rejects.toThrow(`can lack ${lost} calls`);
  expect(arrivals()).toBe(14);
  const { added, warehouses } = await rebuildLedger(configOf(), [warehouse], systemClock);
  expect(warehouses).toEqual([warehouse, configOf('main', 'other.db').warehouse]);
  // The last call before the copy was made can be counted twice, because it was sent a moment after its slot.
  expect([4, 5]).toContain(added);
  await sync();
  await sync({ name: 'other.db' });
  expect(arrivals()).toBe(ALLOWANCE - (added - 4));
});

test('a run also records the calls that other warehouses make at the same time', async () => {
  const { sync, arrivals } = await mirror();
  const unrecorded: number[] = [];
  const during = ({ warehouse: { db } }: Workspace) => {
    const debits = metaTable(db).get('ledger')?.accounts.main?.debits ?? 0;
    unrecorded.push(Math.max(0, arrivals() - debits));
  };
  await Promise.all(['warehouse.db', 'other.db'].map((name) => sync({ name, maxCalls: 5, during })));
  expect(arrivals()).toBe(18);
  expect(Math.max(...unrecorded)).toBe(0);
});

test('deleting the ledger during a run stops the run', async () => {
  const { sync, ledger, arrivals } = await mirror();
  const running = sync();
  void vi.waitUntil(() => arrivals() >= 10, { interval: 1 }).then(() => rmSync(ledger));
  await expect(running).rejects.toThrow(/the ledger .* was deleted or moved while this process used it/);
  expect(arrivals()).toBeLessThan(ALLOWANCE);
});

test('the call in flight is missed if a copy from before it replaces the ledger', async () => {
  // At a higher rate, the file beside the ledger has the call.
  const { sync, configOf, ledger } = await mirror({ perMinute: 600 });
  const workspace = openWorkspace(configOf());
  const runId = startRun(workspace.warehouse.db, { command: 'sync', owner: null, nowMs: Date.now() });
  requireLedger({ ...workspace, runId }, Date.now());
  copyFileSync(ledger, `${ledger}.copy`);
  const spent = { nowMs: Date.now(), most: 1, purpose: 'scheduled', keyFingerprint: 'key' } as const;
  expect(workspace.ledger.spend(spent).is).toBe('go');
  renameSync(`${ledger}.copy`, ledger);
  stampLedger(workspace);
  workspace.close();
  await expect(sync()).rejects.toThrow(/can lack 1 call,/);
});

test('a run fails if its warehouse is deleted, and reports the lost calls', async () => {
  const { sync, warehouse, ledger } = await mirror();
  const running = sync({ during: () => rmSync(warehouse, { force: true }) });
  await expect(running).rejects.toThrow(/the warehouse .* was deleted .*Lost with it: this run's \d+ calls/);
  await expect(running).rejects.toThrow(FailedError);
  expect(existsSync(warehouse)).toBe(false);
  expect(statSync(ledger).size).toBeGreaterThan(0);
});

test('a lost ledger also stops the run of a warehouse that holds no calls', async () => {
  const { sync, configOf, ledger, warehouse, arrivals } = await mirror();
  const other = { account: 'second', name: 'other.db' };
  await sync({ ...other, maxCalls: 0 });
  await sync({ account: 'second', maxCalls: 5 });
  rmSync(ledger);
  await expect(sync(other)).rejects.toMatchObject({
    message: expect.stringMatching(/can lack 1 call,/),
    hint: expect.stringContaining('doctor --rebuild-ledger'),
  });
  expect(arrivals()).toBe(13);
  const config = configOf('second', 'other.db');
  await rebuildLedger(config, [config.warehouse, warehouse], systemClock);
  // The first warehouse's calls are all counted again, whichever account made them.
  expect((await sync(other)).ending.ended).toBe('allowance');
  expect(arrivals()).toBe(ALLOWANCE);
});

test('without an allowance window, the next run rebuilds a lost ledger', async () => {
  const { sync, ledger } = await mirror({ unlimited: true });
  rmSync(ledger);
  expect((await sync()).ending.ended).toBe('done');
});

test('another account starts with its own count', async () => {
  const { sync, arrivals } = await mirror();
  await sync({ account: 'second', maxCalls: 3 });
  await sync({ account: 'main', maxCalls: 2 });
  expect(arrivals()).toBe(13);
});

test('a restored warehouse uses no call id again', async () => {
  const { sync, warehouse } = await mirror();
  const idsIn = (path: string) => {
    using db = openWarehouse({ path, readonly: true, nowMs: Date.now() });
    return values<number>(db.db, 'SELECT call_id FROM _call');
  };
  copyFileSync(warehouse, `${warehouse}.backup`);
  const saved = idsIn(warehouse);
  await sync({ maxCalls: 5 });
  const lost = idsIn(warehouse).filter((id) => !saved.includes(id));
  copyFileSync(`${warehouse}.backup`, warehouse);
  await sync({ maxCalls: 5 });
  const restored = idsIn(warehouse).filter((id) => !saved.includes(id));
  expect(Math.min(...restored)).toBeGreaterThan(Math.max(...lost));
});
