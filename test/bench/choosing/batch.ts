// Chooses and loads one kind of call in its own process: node test/bench/choosing/batch.ts ORDER
import { once } from 'node:events';
import type { Call } from '../../../src/call.ts';
import { CallIds } from '../../../src/fetch/fetch.ts';
import { Loader } from '../../../src/load/load.ts';
import { openSyncPlanner } from '../../../src/plan/sync_planner.ts';
import { lastCallId } from '../../../src/warehouse/call.ts';
import { openKnowledge } from '../../../src/warehouse/plan_knowledge.ts';
import { finishRun, startRun } from '../../../src/warehouse/run.ts';
import { openWarehouse } from '../../../src/warehouse/warehouse.ts';
import { outcomeOf, statsBody } from '../growth/registry.ts';
import { startPart } from '../parts.ts';
import { type ChoosingKind, dialectFor } from './kind.ts';

export interface ChoosingOrder {
  readonly warehouse: string;
  readonly kind: ChoosingKind;
  readonly calls: number;
  /** The JSON file of the registry's unknown companies, as pairs of id and folded name. */
  readonly hidden: string;
}

export interface Choices {
  readonly calls: number;
  /** The time from opening the warehouse to the first choice. */
  readonly start: { readonly wallMs: number; readonly cpuMs: number };
  /** The CPU time for choosing a call and learning from its response. */
  readonly medianMs: number;
  readonly most99Ms: number;
  /** The longest time that loading one response took. */
  readonly mostLoadMs: number;
  readonly peakMib: number;
}

const order = JSON.parse(process.argv[2] ?? '') as ChoosingOrder;
const { kind, calls } = order;
const DAY_MS = 86_400_000;
const upstream = startPart('choosing/upstream.ts', JSON.stringify(order));
const [companies] = (await once(upstream, 'message')) as [number];
const openedMs = performance.now();
const begun = process.cpuUsage();
const warehouse = openWarehouse({ path: order.warehouse, nowMs: Date.now() });
const knowledge = openKnowledge(warehouse);
const runId = startRun(warehouse.db, { command: 'bench', owner: null, nowMs: Date.now() });
const dialect = dialectFor(kind);
const loader = new Loader({ warehouse, dialect, runId });
const callIds = new CallIds({ last: lastCallId(warehouse.db), runId });
loader.load([
  outcomeOf({ kind: 'stats', reason: 'bench', expected: 0 }, callIds.next(), statsBody(companies)),
]);
const planner = openSyncPlanner({
  knowledge,
  dialect,
  settings: {
    startedAtMs: Date.now(),
    maxAge: { statsMs: DAY_MS, summariesMs: 3000 * DAY_MS, recordsMs: 3000 * DAY_MS },
    focus: 'coverage',
    kinds: new Set([kind === 'record' ? 'entity' : 'search']),
  },
});
const took: number[] = [];
let mostLoadMs = 0;
let start = { wallMs: Number.NaN, cpuMs: Number.NaN };
for (let made = 0; made < calls; made++) {
  const chosen = process.cpuUsage();
  const {
    calls: [call],
  } = planner.next({ nowMs: Date.now(), left: { calls, lifetimeLimit: null }, most: 1 });
  const choosing = process.cpuUsage(chosen);
  if (made === 0) start = { wallMs: performance.now() - openedMs, cpuMs: cpuMs(process.cpuUsage(begun)) };
  // If no call is chosen, every company has already been found.
  if (call === undefined) break;
  const outcome = outcomeOf(call, callIds.next(), await answerTo(call));
  const loadedMs = performance.now();
  const learned = loader.load([outcome]);
  mostLoadMs = Math.max(mostLoadMs, performance.now() - loadedMs);
  const after = process.cpuUsage();
  for (const result of learned) planner.learn(result);
  const learning = process.cpuUsage(after);
  // The first choice counts towards the start-up time.
  if (made > 0) took.push(cpuMs(choosing) + cpuMs(learning));
}
finishRun(warehouse.db, { runId, ended: 'done', error: null, nowMs: Date.now() });
warehouse.close();
upstream.disconnect();
took.sort((a, b) => a - b);
const choices: Choices = {
  calls: took.length,
  start,
  medianMs: took[took.length >> 1] ?? Number.NaN,
  most99Ms: took[Math.floor(took.length * 0.99)] ?? Number.NaN,
  mostLoadMs,
  peakMib: process.resourceUsage().maxRSS / 1024,
};
process.send?.(choices);
process.disconnect?.();

function cpuMs({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1000;
}

async function answerTo(call: Call): Promise<string> {
  const answered = once(upstream, 'message');
  upstream.send(call);
  const [body] = (await answered) as [string];
  return body;
}
