import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import Sqlite from 'better-sqlite3';
import { type GeneratedCompany, generateRegistry } from '../../data/generate.ts';
import { seededRandom } from '../../src/server/random.ts';
import { compareWithUpstream } from '../e2e/equality.ts';
import { openUpstream, type Upstream } from '../e2e/upstream.ts';

const root = resolve(import.meta.dirname, '../..');
const CONCURRENCY = 4;

export interface Killed {
  readonly seed: number;
  readonly kills: number;
  /** Of these, in the statements that create and migrate the files. */
  readonly whileOpening: number;
  readonly arrivals: number;
  readonly undisturbed: number;
  readonly records: number;
  /** What must not be: each a sentence. */
  readonly broken: readonly string[];
}

/**
 * `sync` is killed before its n-th statement, n drawn by seed, again and again over one mirror, at first
 * while it creates its files. Then it goes on undisturbed, and is held against the upstream.
 */
export async function killBetweenStatements(options: {
  seed: number;
  kills: number;
  companies: number;
}): Promise<Killed> {
  const { seed, kills, companies } = options;
  const random = seededRandom(seed);
  const registry = [...generateRegistry({ companies, seed })];
  const undisturbed = await arrivalsOf(registry);
  const upstream = await openUpstream({ companies: registry }, { upstream: { concurrency: CONCURRENCY } });
  const broken: string[] = [];
  let killed = 0;
  let whileOpening = 0;
  try {
    const opening = await statementsOf(upstream, ['status']);
    forget(upstream, ['warehouse.db', 'ledger.db']);
    for (; killed < kills; killed++) {
      const isOpening = killed < kills / 5;
      const killAt = 1 + random.below(isOpening ? opening : MOST_STATEMENTS);
      const before = upstream.sandbox.arrivals().length;
      const signal = await start(upstream, ['sync'], { KILL_AT: String(killAt) });
      broken.push(
        ...faultsOf(upstream, before).map(
          (fault) => `seed ${seed}, kill ${killed}, statement ${killAt}: ${fault}`,
        ),
      );
      if (signal.killed) whileOpening += isOpening ? 1 : 0;
      else break;
      // Half of the time from the very first statement again; the ledger stays.
      if (isOpening && random.chance(0.5)) forget(upstream, ['warehouse.db']);
    }
    const { json } = await upstream.cli('sync');
    if (json?.data?.ended !== 'done')
      broken.push(`seed ${seed}: the last run ended with ${JSON.stringify(json)}`);
    const db = upstream.warehouse();
    const { records, differences } = compareWithUpstream(db, upstream.sandbox);
    db.close();
    broken.push(...differences.map((difference) => `seed ${seed}: ${difference}`));
    const arrivals = upstream.sandbox.arrivals().length;
    const spent = spentIn(upstream);
    if (spent < arrivals) broken.push(`seed ${seed}: ${arrivals} calls arrived, ${spent} were counted`);
    if (spent - undisturbed > (killed + 1) * CONCURRENCY)
      broken.push(`seed ${seed}: ${spent} units for ${undisturbed} calls and ${killed} kills`);
    return { seed, kills: killed, whileOpening, arrivals, undisturbed, records, broken };
  } finally {
    await upstream.close();
  }
}

// A run of a small registry has some ten thousand.
const MOST_STATEMENTS = 600;

async function arrivalsOf(companies: readonly GeneratedCompany[]): Promise<number> {
  const upstream = await openUpstream({ companies }, { upstream: { concurrency: CONCURRENCY } });
  await upstream.cli('sync');
  const arrivals = upstream.sandbox.arrivals().length;
  await upstream.close();
  return arrivals;
}

/** How many statements a command has when nothing kills it. */
async function statementsOf(upstream: Upstream, args: readonly string[]): Promise<number> {
  const { stderr } = await start(upstream, args, {});
  const [, count] = /statements: (\d+)/.exec(stderr) ?? [];
  if (count === undefined) throw new Error(`the statements were not counted: ${stderr}`);
  return Number(count);
}

async function start(upstream: Upstream, args: readonly string[], env: Record<string, string>) {
  const child = spawn(
    process.execPath,
    [
      '--import',
      join(import.meta.dirname, 'kill_at.ts'),
      'src/cli/bin.js',
      ...args,
      '--config',
      upstream.configPath,
    ],
    { cwd: root, env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let stderr = '';
  child.stderr.on('data', (data) => {
    stderr += String(data);
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  if (signal === null && code !== 0) throw new Error(`exit ${code}: ${stderr}`);
  return { killed: signal === 'SIGKILL', stderr };
}

/** What a kill must not leave behind: a damaged file, an answer without its call, a call that was not counted. */
function faultsOf(upstream: Upstream, arrivalsBefore: number): string[] {
  const faults: string[] = [];
  const path = join(upstream.folder, 'warehouse.db');
  const arrived = upstream.sandbox.arrivals().length;
  const spent = spentIn(upstream);
  if (spent < arrived) faults.push(`${arrived} calls arrived, ${spent} were counted`);
  const db = openIfThere(path);
  if (db === null) return faults;
  const check = db.pragma('quick_check', { simple: true });
  if (check !== 'ok') faults.push(`quick_check: ${check}`);
  if (hasTable(db, '_call')) {
    const loaded = db.prepare('SELECT count(*) FROM _call').pluck().get() as number;
    const orphans = db
      .prepare('SELECT count(*) FROM entity WHERE _call_id NOT IN (SELECT call_id FROM _answer)')
      .pluck()
      .get();
    if (orphans !== 0) faults.push(`${orphans} records without their answer`);
    if (loaded < Math.min(arrivalsBefore, lastLoaded.get(upstream) ?? 0))
      faults.push('calls that were loaded are gone');
    lastLoaded.set(upstream, loaded);
  }
  db.close();
  return faults;
}

const lastLoaded = new WeakMap<Upstream, number>();

function spentIn(upstream: Upstream): number {
  const db = openIfThere(join(upstream.folder, 'ledger.db'));
  if (db === null) return 0;
  const spent = hasTable(db, 'account') ? db.prepare('SELECT sum(spent_ever) FROM account').pluck().get() : 0;
  db.close();
  return (spent as number | null) ?? 0;
}

/** As whoever comes next finds it: the log is recovered by opening it. */
function openIfThere(path: string): Sqlite.Database | null {
  try {
    return new Sqlite(path, { fileMustExist: true });
  } catch {
    return null;
  }
}

function hasTable(db: Sqlite.Database, name: string): boolean {
  return db.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(name) !== undefined;
}

function forget(upstream: Upstream, files: readonly string[]): void {
  for (const file of files)
    for (const end of ['', '-wal', '-shm']) rmSync(join(upstream.folder, `${file}${end}`), { force: true });
  if (files.includes('warehouse.db')) lastLoaded.delete(upstream);
}
