import { openHouse } from '../../src/assemble.ts';
import { loadConfig } from '../../src/config.ts';
import { ALL_KINDS, run } from '../../src/run.ts';
import { stretch } from './peers/stretch.js';
import { writeConfiguration } from './throughput_configuration.ts';
import type { ContenderOrder } from './throughput_contender.ts';

/** Ours at a rate, until the measured stretch is over. */
const order = JSON.parse(process.argv[2] ?? '') as ContenderOrder;
const house = openHouse(loadConfig({ path: writeConfiguration(order), env: {} }));
const progress = stretch(order);
await run(house, {
  command: 'bench',
  purpose: 'scheduled',
  kinds: ALL_KINDS,
  // Records, as the script fetches them; what is listed at the start suffices.
  focus: 'records',
  maxCalls: Number.POSITIVE_INFINITY,
  maxMinutes: Number.POSITIVE_INFINITY,
  signal: new AbortController().signal,
  onProgress: ({ calls }) => {
    progress.calls = calls;
  },
});
throw new Error('the run ended before the stretch that was to be measured');
