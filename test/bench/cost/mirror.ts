import { loadConfig } from '../../../src/config/config.ts';
import { openWorkspace } from '../../../src/operations/assemble.ts';
import { ALL_KINDS, run } from '../../../src/operations/run.ts';
import type { ContenderOrder } from '../contender.ts';
import { stretch } from '../peers/stretch.js';
import { writeConfiguration } from '../throughput/configuration.ts';

/** Ours at a rate, until the measured stretch is over. */
const order = JSON.parse(process.argv[2] ?? '') as ContenderOrder;
const workspace = openWorkspace(loadConfig({ path: writeConfiguration(order), env: {} }));
const progress = stretch(order);
await run(workspace, {
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
