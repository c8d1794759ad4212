// Makes one batch of `sync` calls in its own process, and loads the responses into a warehouse: node
// test/bench/growth/batch.ts ORDER
import { statSync } from 'node:fs';
import { loadConfig } from '../../../src/config/load_config.ts';
import { openWorkspace } from '../../../src/operations/assemble.ts';
import { syncAll } from '../../support/sync.ts';

export interface BatchOrder {
  readonly config: string;
  readonly calls: number;
}

export interface Batch {
  readonly calls: number;
  /** The time from opening the files to loading the first response. */
  readonly startMs: number;
  readonly msPerCall: number;
  readonly cpuMsPerCall: number;
  readonly peakMb: number;
  readonly fileBytes: number;
}

const { config, calls } = JSON.parse(process.argv[2] ?? '') as BatchOrder;
const openedMs = performance.now();
const workspace = openWorkspace(loadConfig({ path: config, env: {} }));
let first: { readonly atMs: number; readonly cpu: NodeJS.CpuUsage; readonly calls: number } | null = null;
let last = { atMs: openedMs, calls: 0 };
const { ending, totals } = await syncAll(workspace, {
  command: 'bench',
  maxCalls: calls,
  onProgress: (progress) => {
    last = { atMs: performance.now(), calls: progress.calls };
    first ??= { ...last, cpu: process.cpuUsage() };
  },
});
if (first === null || ending.ended !== 'max_calls' || totals.failed > 0)
  throw new Error(`the batch did not end with max_calls: ${JSON.stringify({ ending, totals })}`);
const begun = first as { atMs: number; cpu: NodeJS.CpuUsage; calls: number };
const { user, system } = process.cpuUsage(begun.cpu);
const measured = last.calls - begun.calls;
const { path } = workspace.warehouse;
workspace.close();
const batch: Batch = {
  calls: totals.calls,
  startMs: begun.atMs - openedMs,
  msPerCall: (last.atMs - begun.atMs) / measured,
  cpuMsPerCall: (user + system) / 1000 / measured,
  peakMb: process.resourceUsage().maxRSS / 1024,
  fileBytes: statSync(path).size,
};
process.send?.(batch);
process.disconnect?.();
