import { loadConfig } from '../../../src/config/load_config.ts';
import { openWorkspace } from '../../../src/operations/assemble.ts';
import { ALL_KINDS, run } from '../../../src/operations/run.ts';
import type { ContenderOrder } from '../contender.ts';
import { stretch } from '../peers/stretch.js';
import { writeConfiguration } from '../throughput/configuration.ts';

/** Runs the mirror at a limited rate until the measured time ends. */
const order = JSON.parse(process.argv[2] ?? '') as ContenderOrder;
const workspace = openWorkspace(loadConfig({ path: writeConfiguration(order), env: {} }));
const progress = stretch(order);
await run(workspace, {
  command: 'bench',
  purpose: 'scheduled',
  kinds: ALL_KINDS,
  // Like the script, it fetches only records, because the companies are listed at the start.
  focus: 'records',
  maxCalls: Number.POSITIVE_INFINITY,
  maxMinutes: Number.POSITIVE_INFINITY,
  signal: new AbortController().signal,
  onProgress: ({ calls }) => {
    progress.calls = calls;
  },
});
throw new Error('the run ended before the measured time');
