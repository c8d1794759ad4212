import { loadConfig } from '../../../src/config/load_config.ts';
import { openWorkspace } from '../../../src/operations/assemble.ts';
import { syncAll } from '../../support/sync.ts';
import type { ContenderOrder, Performed } from '../contender.ts';
import { writeConfiguration } from './configuration.ts';

/** Runs the mirror as `sync` does, with a new warehouse and ledger, until nothing is due. */
const order = JSON.parse(process.argv[2] ?? '') as ContenderOrder;
const config = writeConfiguration(order);

const startedMs = performance.now();
const cpuBefore = process.cpuUsage();
const workspace = openWorkspace(loadConfig({ path: config, env: {} }));
const { ending, totals, coverage } = await syncAll(workspace, { command: 'bench' });
workspace.close();
if (ending.ended !== 'done') throw new Error(JSON.stringify(ending));
const { user, system } = process.cpuUsage(cpuBefore);
const performed: Performed = {
  calls: totals.calls,
  records: coverage.fetched,
  ms: performance.now() - startedMs,
  cpuMs: (user + system) / 1000,
  peakMb: process.resourceUsage().maxRSS / 1024,
};
process.send?.(performed);
process.disconnect?.();
