import { openHouse } from '../../src/assemble.ts';
import { loadConfig } from '../../src/config.ts';
import { ALL_KINDS, run } from '../../src/run.ts';
import { writeConfiguration } from './throughput_configuration.ts';
import type { ContenderOrder, Performed } from './throughput_contender.ts';

/** Ours, as `sync` runs it: a new warehouse and ledger, and everything that is due. */
const order = JSON.parse(process.argv[2] ?? '') as ContenderOrder;
const config = writeConfiguration(order);

const startedMs = performance.now();
const cpuBefore = process.cpuUsage();
const house = openHouse(loadConfig({ path: config, env: {} }));
const { ending, tally, coverage } = await run(house, {
  command: 'bench',
  purpose: 'scheduled',
  kinds: ALL_KINDS,
  focus: 'coverage',
  maxCalls: Number.POSITIVE_INFINITY,
  maxMinutes: Number.POSITIVE_INFINITY,
  signal: new AbortController().signal,
});
house.close();
if (ending.ended !== 'done') throw new Error(JSON.stringify(ending));
const { user, system } = process.cpuUsage(cpuBefore);
const performed: Performed = {
  calls: tally.calls,
  records: coverage.fetched,
  ms: performance.now() - startedMs,
  cpuMs: (user + system) / 1000,
  peakMb: process.resourceUsage().maxRSS / 1024,
};
process.send?.(performed);
process.disconnect?.();
