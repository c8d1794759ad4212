import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { generateRegistry } from '../../../data/generate.ts';
import { ledgerStamps } from '../../../src/warehouse/meta.ts';
import type { Command, Finished } from '../../support/command.ts';
import { openUpstream, type Upstream } from '../../support/upstream.ts';
import { type Files, WAYS, type Way } from './ways.ts';

export const ALLOWANCE = 40;
const BEFORE = 5;
const AT = 15;

export interface LossOrder {
  readonly way: Way;
  readonly time: 'between' | 'during' | 'killed';
  readonly processes: 1 | 2;
  readonly window: 'total' | 'per_day';
}

export interface Loss extends LossOrder {
  readonly arrivals: number;
  /** Violations, one sentence each. */
  readonly broken: readonly string[];
}

/**
 * Loses a file once, then runs and repairs the mirror as an operator would, and counts the calls that reach the
 * upstream.
 */
export async function lose(order: LossOrder): Promise<Loss> {
  const upstream = await openUpstream({
    companies: [...generateRegistry({ companies: 300, seed: 7 })],
    latencyMs: 15,
  });
  try {
    return await loseFrom(upstream, order);
  } finally {
    await upstream.close();
  }
}

async function loseFrom(upstream: Upstream, order: LossOrder): Promise<Loss> {
  const { way, time, processes, window } = order;
  const { folder } = upstream;
  const files: Files = {
    ledger: join(folder, 'state', 'ledger.db'),
    olderLedger: join(folder, 'older-ledger.db'),
    warehouse: join(folder, 'warehouse1.db'),
    olderWarehouse: join(folder, 'older-warehouse.db'),
  };
  const warehouses = Array.from({ length: processes }, (_, at) => join(folder, `warehouse${at + 1}.db`));
  const configs = warehouses.map((warehouse, at) =>
    upstream.configure(
      { warehouse, ledger: files.ledger, allowance: { per_minute: 'unlimited', [window]: ALLOWANCE } },
      `mirror${at + 1}.yaml`,
    ),
  );
  const results: Finished[] = [];
  const run = async (...args: string[]) => {
    const result = await upstream.cli(...args);
    results.push(result);
    return result;
  };
  const syncs = () => configs.map((config) => upstream.start('sync', '--config', config));
  const first = configs[0] as string;

  await run('sync', '--max-calls', String(BEFORE), '--config', first);
  copyFileSync(files.ledger, files.olderLedger);
  copyFileSync(files.warehouse, files.olderWarehouse);
  if (time === 'between')
    for (const config of configs) await run('sync', '--max-calls', String(AT - BEFORE), '--config', config);
  else {
    const commands = syncs();
    await upstream.arrived(AT, commands[0] as Command);
    // A new warehouse beside a new ledger is a new installation, so each warehouse has used the ledger before it is lost.
    for (const [at, path] of warehouses.entries()) await hasUsedLedger(path, commands[at] as Command);
    if (time === 'killed') await kill(commands, results);
    else WAYS[way](files);
    results.push(...(await Promise.all(commands.map(({ finished }) => finished))));
  }
  if (time !== 'during') WAYS[way](files);
  await Promise.all(syncs().map(async ({ finished }) => results.push(await finished)));
  if (existsSync(`${dirname(files.ledger)}-renamed`) && !existsSync(dirname(files.ledger)))
    renameSync(`${dirname(files.ledger)}-renamed`, dirname(files.ledger));
  mkdirSync(dirname(files.ledger), { recursive: true });
  if (way === 'ledger replaced by a folder') rmSync(files.ledger, { recursive: true });
  const others = warehouses.slice(1).flatMap((path) => (existsSync(path) ? ['--warehouse', path] : []));
  await run('doctor', '--rebuild-ledger', ...others, '--config', first);
  for (let round = 0; round < 2; round++) for (const config of configs) await run('sync', '--config', config);

  const arrivals = upstream.sandbox.arrivals().length;
  return { ...order, arrivals, broken: [...faultsIn(results), ...overspent(arrivals)] };
}

async function hasUsedLedger(path: string, { process: child }: Command): Promise<void> {
  while (child.exitCode === null && !isStamped(path)) await sleep(1);
}

function isStamped(path: string): boolean {
  if (!existsSync(path)) return false;
  const db = new Sqlite(path, { readonly: true });
  try {
    return ledgerStamps(db).read() !== null;
  } catch {
    // The tables do not exist yet.
    return false;
  } finally {
    db.close();
  }
}

async function kill(commands: readonly Command[], results: Finished[]): Promise<void> {
  for (const { process } of commands) process.kill('SIGKILL');
  results.push(...(await Promise.all(commands.map(({ finished }) => finished))));
}

function overspent(arrivals: number): string[] {
  return arrivals > ALLOWANCE ? [`${arrivals} of ${ALLOWANCE} calls arrived`] : [];
}

/** Checks that one message reports the loss, with a remedy and without a stack trace. */
function faultsIn(results: readonly Finished[]): string[] {
  return results.flatMap(({ code, signal, said }) => {
    if (signal === 'SIGKILL' || code === 0) return [];
    if (/\n\s+at |unexpected error/.test(said)) return [`a stack trace: ${said.slice(0, 600)}`];
    return code === 1 || code === 2 ? [] : [`exit ${code}: ${said.slice(0, 300)}`];
  });
}
