// npm run accept kills [-- --kills 100]
// Repeatedly runs `sync` on one mirror and kills it with SIGKILL at random times. In the end, the mirror must match the
// upstream, and each kill may waste only the calls in flight.
import { parseArgs } from 'node:util';
import { generateRegistry } from '../../data/generate.ts';
import { compareWithUpstream } from '../support/equality.ts';
import { killAfterArrivals } from '../support/kill.ts';
import { openUpstream } from '../support/upstream.ts';

const { values } = parseArgs({ options: { kills: { type: 'string', default: '100' } } });
const kills = Number(values.kills);
const CONCURRENCY = 4;
const companies = [...generateRegistry({ companies: 40 * kills, seed: 11 })];
const open = () => openUpstream({ companies, latencyMs: 3 }, { upstream: { concurrency: CONCURRENCY } });

const undisturbed = await open();
await undisturbed.cli('sync', '--json');
const minimum = undisturbed.sandbox.arrivals().length;
await undisturbed.close();

const upstream = await open();
let killed = 0;
try {
  while (killed < kills && (await killAfterArrivals(upstream, Math.floor(Math.random() * 60)))) killed += 1;
  const { code, json } = await upstream.cli('sync', '--json');
  const db = upstream.warehouse();
  const comparison = compareWithUpstream(db, upstream.sandbox);
  db.close();
  const arrivals = upstream.sandbox.arrivals().length;
  const extra = arrivals - minimum;
  const isRight =
    comparison.records === comparison.upstream &&
    comparison.differences.length === 0 &&
    extra <= killed * CONCURRENCY;
  process.stdout.write(
    `${JSON.stringify({ killed, code, ended: json?.data?.ended, minimum, arrivals, extra, extra_per_kill: Number((extra / killed).toFixed(2)), comparison }, null, 2)}\n`,
  );
  process.exitCode = isRight ? 0 : 1;
} finally {
  await upstream.close();
}
