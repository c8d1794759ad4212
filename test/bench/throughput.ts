// npm run bench throughput [-- --companies 50000 --rounds 3 --lanes 16 --only mirror,limit]
// Searches, fetches and loads a sandbox registry without limits, and compares the mirror with got alone. The sandbox
// runs as another process, and the contenders take turns.
import { argumentsOf, say, scriptFolder } from '../support/script.ts';
import { CONTENDERS, type Contender, type Performed, perform } from './contender.ts';
import { judged, median, ratioOf } from './figures.ts';
import { openUpstream } from './throughput/open.ts';

const values = argumentsOf({
  companies: 50_000,
  rounds: 3,
  lanes: 16,
  only: Object.keys(CONTENDERS).join(','),
});
const { companies, lanes } = values;
const contenders = values.only.split(',') as Contender[];
const NAMES = {
  mirror: 'registry-mirror',
  limit: 'got alone',
} as const satisfies Record<Contender, string>;

const folder = scriptFolder();
const upstream = await openUpstream(folder, companies);
const done: Record<Contender, Performed[]> = { mirror: [], limit: [] };
for (let round = 0; round < values.rounds; round++)
  for (const contender of round % 2 === 0 ? contenders : contenders.toReversed())
    done[contender].push(await turn(contender));
upstream.close();
report();

async function turn(contender: Contender): Promise<Performed> {
  const order = { ...upstream.ready, lanes, records: companies };
  const performed = await perform(CONTENDERS[contender], order, folder);
  if (performed.records !== companies)
    throw new Error(`${contender} ended with ${performed.records} of ${companies} records`);
  return performed;
}

function report(): void {
  say(
    `Search, fetch and load ${companies} companies, ${lanes} parallel requests, ${values.rounds} alternating rounds`,
  );
  say('  (median of the rounds)    calls   calls a second   CPU ms per 1,000 calls      peak memory');
  for (const contender of contenders) {
    const rounds = done[contender];
    const [calls, rate, cpu, memory] = [
      median(rounds.map((one) => one.calls)),
      median(rounds.map(callsASecond)),
      median(rounds.map(({ cpuMs, calls }) => (cpuMs / calls) * 1000)),
      median(rounds.map(({ peakMb }) => peakMb)),
    ];
    say(
      `  ${NAMES[contender].padEnd(22)} ${calls.toFixed(0).padStart(8)} ${rate.toFixed(0).padStart(16)} ${cpu.toFixed(0).padStart(24)} ${memory.toFixed(0).padStart(13)} MB`,
    );
  }
  const { mirror, limit } = done;
  if (mirror.length === 0 || limit.length === 0) return;
  const ratio = ratioOf(mirror.map(callsASecond), limit.map(callsASecond));
  say(judged('mirror : limit, calls per second', ratio, { least: 0.8 }));
}

function callsASecond({ calls, ms }: Performed): number {
  return (calls / ms) * 1000;
}
