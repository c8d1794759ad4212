// npm run accept allowance
// Spends a total allowance of 100 calls on a registry of 5,000 companies, in four scenarios. The sandbox counts the
// calls that it receives.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { generateRegistry } from '../../data/generate.ts';
import type { Finished } from '../support/command.ts';
import { killAfterArrivals } from '../support/kill.ts';
import { openUpstream, type Upstream } from '../support/upstream.ts';

const TOTAL = 100;
const CONCURRENCY = 4;
const ALLOWANCE = { per_minute: 6000, total: TOTAL } as const;

/**
 * `atLeast` is lower if processes are killed, because a killed process may have spent a unit without sending the call.
 */
async function scenario(
  name: string,
  act: (upstream: Upstream) => Promise<Finished[]>,
  atLeast = 0.95 * TOTAL,
): Promise<boolean> {
  const companies = [...generateRegistry({ companies: 5000, seed: 7 })];
  const upstream = await openUpstream({ companies, latencyMs: 5 }, { allowance: ALLOWANCE });
  try {
    const runs = await act(upstream);
    const arrivals = upstream.sandbox.arrivals().length;
    const isPaused = runs.every(({ code, json }) => code === 0 && json?.data?.ended === 'allowance');
    const isRight = isPaused && arrivals <= TOTAL && arrivals >= atLeast;
    process.stdout.write(
      `${isRight ? 'ok  ' : 'BAD '} ${name}: ${arrivals} arrivals; ${runs.map(ended).join(' | ')}\n`,
    );
    return isRight;
  } finally {
    await upstream.close();
  }
}

const sync = (upstream: Upstream) => upstream.cli('sync', '--json');
const ended = ({ code, json, stderr }: Finished) =>
  `exit ${code}, ended ${json?.data?.ended}, new ${json?.data?.new}, left ${json?.data?.calls_left}${stderr === '' ? '' : `: ${stderr}`}`;

const results = [
  await scenario('one run', async (upstream) => [await sync(upstream)]),
  await scenario(
    'ten kills at random times',
    async (upstream) => {
      for (let kill = 0; kill < 10; kill++) {
        await killAfterArrivals(upstream, 1 + Math.floor(Math.random() * 12));
      }
      return [await sync(upstream)];
    },
    TOTAL - 10 * CONCURRENCY,
  ),
  await scenario('two processes with two warehouses and one ledger', async (upstream) => {
    const warehouse = join(upstream.folder, 'second.db');
    const other = upstream.configure({ allowance: ALLOWANCE, warehouse }, 'second.yaml');
    const first = upstream.start('sync', '--json');
    const second = upstream.start('sync', '--json', '--config', other);
    return [await first.finished, await second.finished];
  }),
  await scenario('the warehouse deleted after 50 calls', async (upstream) => {
    await upstream.cli('sync', '--json', '--max-calls', '50');
    for (const end of ['', '-wal', '-shm'])
      rmSync(join(upstream.folder, `warehouse.db${end}`), { force: true });
    return [await sync(upstream)];
  }),
];
process.exitCode = results.every(Boolean) ? 0 : 1;
