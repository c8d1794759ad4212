// npm run bench cost [-- --rates 10,600 --seconds 120 --copies 2]
// Measures the CPU time and memory for 1,000 calls at a limited rate. Compares the mirror with the hand-written script.
// All processes run in parallel, because they mostly wait.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { AT_RATE, type Performed, perform } from './contender.ts';
import { judged, median, ratioOf, say } from './figures.ts';
import { installPeers } from './peers/install.ts';
import { openUpstream } from './throughput/open.ts';

const { values } = parseArgs({
  options: {
    rates: { type: 'string', default: '10,600' },
    seconds: { type: 'string', default: '120' },
    copies: { type: 'string', default: '2' },
  },
});
const rates = values.rates.split(',').map(Number);
const measuredMs = Number(values.seconds) * 1000;
const WARM_UP_MS = 15_000;
// A contender that uses a smaller share of the rate than this is not comparable.
const LEAST_SHARE = 0.8;
const LABELS = { mirror: 'registry-mirror', script: 'hand-written script' } as const;
type Name = keyof typeof AT_RATE;
const names = Object.keys(AT_RATE) as Name[];

installPeers();
const folder = mkdtempSync(join(tmpdir(), 'registry-mirror-cost-'));
const upstream = await openUpstream(folder, 5000);
// The sources are compiled once, as for the installed command.
process.env.NODE_COMPILE_CACHE = join(folder, 'compiled');
try {
  for (const name of names) await performAs(name, { ...orderAt(600), warmUpMs: 3000, measuredMs: 100 });
  const done = await Promise.all(rates.map(async (rate) => ({ rate, ...(await atRate(rate)) })));
  say(
    `Cost of 1,000 calls at a rate: ${values.seconds} s each, ${values.copies} parallel copies, without the start, scaled to 1,000 calls`,
  );
  say('  a minute   who                    calls   CPU ms per 1,000 calls      peak memory');
  for (const result of done) report(result);
} finally {
  upstream.close();
  rmSync(folder, { recursive: true, force: true });
}

function performAs(name: Name, order: ReturnType<typeof orderAt>): Promise<Performed> {
  return perform(AT_RATE[name], order, folder);
}

function orderAt(perMinute: number) {
  return { ...upstream.ready, lanes: 4, records: 0, perMinute, warmUpMs: WARM_UP_MS, measuredMs };
}

async function atRate(perMinute: number): Promise<Record<Name, Performed[]>> {
  const order = orderAt(perMinute);
  const copies = (name: Name) =>
    Promise.all(Array.from({ length: Number(values.copies) }, () => performAs(name, order)));
  const [mirror, script] = await Promise.all([copies('mirror'), copies('script')]);
  for (const { calls } of [...mirror, ...script])
    if (calls < (perMinute * measuredMs * LEAST_SHARE) / 60_000)
      throw new Error(`a contender made only ${calls} calls at ${perMinute} a minute`);
  return { mirror, script };
}

function report({ rate, ...done }: { rate: number } & Record<Name, Performed[]>): void {
  const cpu = (name: Name) => done[name].map(({ cpuMs, calls }) => (cpuMs / calls) * 1000);
  const memory = (name: Name) => done[name].map(({ peakMb }) => peakMb);
  for (const name of names) {
    const calls = median(done[name].map((one) => one.calls));
    say(
      `  ${String(rate).padStart(8)}   ${LABELS[name].padEnd(20)} ${calls.toFixed(0).padStart(7)} ${median(cpu(name)).toFixed(0).padStart(24)} ${median(memory(name)).toFixed(0).padStart(13)} MB`,
    );
  }
  say(judged(`CPU, ${rate} a minute, mirror : script`, ratioOf(cpu('mirror'), cpu('script')), { most: 1.2 }));
  say(
    judged(`memory, ${rate} a minute, mirror : script`, ratioOf(memory('mirror'), memory('script')), {
      most: 1.2,
    }),
  );
}
