// npm run accept allowance
// An allowance of 100 calls in all on a registry of 5,000: in one go, under kill -9 at random moments, with
// two processes at once, and with the warehouse deleted half-way. The sandbox counts.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { generateRegistry } from '../../data/generate.ts';
import { killAfterArrivals } from '../support/kill.ts';
import { type Finished, openUpstream, type Upstream } from '../support/upstream.ts';

const TOTAL = 100;
const CONCURRENCY = 4;
const ALLOWANCE = { per_minute: 6000, total: TOTAL } as const;

/** Units that left with a killed process were spent, whether or not they arrived. */
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
  await scenario('in one go', async (upstream) => [await sync(upstream)]),
  await scenario(
    'killed at ten random moments',
    async (upstream) => {
      for (let kill = 0; kill < 10; kill++) {
        await killAfterArrivals(upstream, 1 + Math.floor(Math.random() * 12));
      }
      return [await sync(upstream)];
    },
    TOTAL - 10 * CONCURRENCY,
  ),
  await scenario('two processes at once, two warehouses, one ledger', async (upstream) => {
    const warehouse = join(upstream.folder, 'second.db');
    const other = upstream.configure({ allowance: ALLOWANCE, warehouse }, 'second.yaml');
    const first = upstream.start('sync', '--json');
    const second = upstream.start('sync', '--json', '--config', other);
    return [await first.finished, await second.finished];
  }),
  await scenario('the warehouse deleted half-way', async (upstream) => {
    await upstream.cli('sync', '--json', '--max-calls', '50');
    for (const end of ['', '-wal', '-shm'])
      rmSync(join(upstream.folder, `warehouse.db${end}`), { force: true });
    return [await sync(upstream)];
  }),
];
process.exitCode = results.every(Boolean) ? 0 : 1;
