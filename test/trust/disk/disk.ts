// npm run trust disk -- [--sizes 12] [--companies 300]      (as root: it mounts a small tmpfs)
// Runs `sync` on real file systems of increasing size. A run that fills its file system must stop with a single message,
// lose no response, and leave its files intact. The next run must resume once space is available. The file system holds the
// warehouse, the ledger, or both.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { generateRegistry } from '../../../data/generate.ts';
import { compareWithUpstream } from '../../support/equality.ts';
import { argumentsOf } from '../../support/script.ts';
import { openUpstream, type Upstream } from '../../support/upstream.ts';

const values = argumentsOf({ sizes: 12, companies: 300 });
const companies = [...generateRegistry({ companies: values.companies, seed: 5 })];

function command(name: string, ...args: string[]): void {
  const { status, stderr } = spawnSync(name, args, { encoding: 'utf8' });
  if (status !== 0)
    throw new Error(`${name} ${args.join(' ')}: ${stderr} (run as root on a Linux that permits mounts)`);
}

async function fillUp(kib: number, holds: readonly ('warehouse' | 'ledger')[]): Promise<boolean> {
  const upstream = await openUpstream({ companies });
  const disk = join(upstream.folder, 'disk');
  mkdirSync(disk);
  command('mount', '-t', 'tmpfs', '-o', `size=${kib}k`, 'tmpfs', disk);
  try {
    const pathOf = (file: 'warehouse' | 'ledger') =>
      join(holds.includes(file) ? disk : upstream.folder, `${file}.db`);
    const warehouse = pathOf('warehouse');
    const limits = { concurrency: 4, max_body: '32KiB' };
    upstream.configure({ warehouse, ledger: pathOf('ledger'), upstream: limits });
    const stopped = await upstream.cli('sync');
    const isFull = stopped.code !== 0;
    const lost = upstream.sandbox.arrivals().length - storedCalls(warehouse);
    command('mount', '-o', 'remount,size=200m', disk);
    const resumed = await upstream.cli('sync');
    const faults = [
      ...(isFull && !isClean(stopped.said) ? [`no clean message: ${stopped.said}`] : []),
      ...(lost === 0 ? [] : [`${lost} responses were lost`]),
      ...(resumed.code === 0 ? [] : [`did not resume: ${resumed.said}`]),
      ...unequal(upstream, warehouse),
    ];
    process.stdout.write(
      `${JSON.stringify({ kib, holds, isFull, lost, message: stopped.said.split('\n')[0], faults })}\n`,
    );
    return faults.length === 0;
  } finally {
    command('umount', disk);
    await upstream.close();
  }
}

/** Returns whether standard error is one message with a remedy and no stack trace. */
function isClean(said: string): boolean {
  return /^.*(full|disk I\/O|no space|ENOSPC).*\n {2}→ /i.test(said) && !/\n\s+at /.test(said);
}

/** Returns how many calls the warehouse contains; 0 if the run could not create it. */
function storedCalls(warehouse: string): number {
  if (!existsSync(warehouse)) return 0;
  const db = new Sqlite(warehouse, { readonly: true });
  try {
    return db.prepare<[], number>("SELECT count(*) FROM _call WHERE outcome <> 'unsent'").pluck().get() ?? 0;
  } catch {
    return 0;
  } finally {
    db.close();
  }
}

function unequal(upstream: Upstream, warehouse: string): string[] {
  const db = new Sqlite(warehouse, { readonly: true });
  const check = String(db.pragma('integrity_check', { simple: true }));
  const { differences } = compareWithUpstream(db, upstream.sandbox);
  db.close();
  return [...(check === 'ok' ? [] : [check]), ...differences];
}

let isRight = true;
// On the larger file systems, a run fills all but the last 32 MiB, which it keeps free for the responses in flight.
for (const holds of [['warehouse'], ['warehouse', 'ledger']] as const)
  for (const reservedKib of [0, 32 * 1024 + 4 * 32])
    for (let step = 0; step < values.sizes; step++)
      isRight = (await fillUp(reservedKib + Math.round(150 * 1.35 ** step), holds)) && isRight;
for (let step = 0; step < values.sizes; step++)
  isRight = (await fillUp(16 + 8 * step, ['ledger'])) && isRight;
process.exitCode = isRight ? 0 : 1;
