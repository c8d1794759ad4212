// Chooses and loads calls of one kind, in a process of its own: node test/bench/choosing_slice.ts ORDER
import { readFileSync } from 'node:fs';
import type { Call } from '../../src/call.ts';
import type { Dialect } from '../../src/dialect/dialect.ts';
import { openLoader } from '../../src/load/load.ts';
import { findsName } from '../../src/plan/matching.ts';
import { openPlanner } from '../../src/plan/planner.ts';
import { openKnowledge } from '../../src/warehouse/knowledge.ts';
import { finishRun, startRun } from '../../src/warehouse/run.ts';
import { openWarehouse, type Warehouse } from '../../src/warehouse/warehouse.ts';
import { DIALECT, outcomeOf, recordBody, searchBody, statsBody } from './growth_registry.ts';

export interface ChoosingOrder {
  readonly warehouse: string;
  /** How the registry can be searched, or that records are due. */
  readonly kind: 'identifier' | 'prefix' | 'token_prefix' | 'record';
  readonly calls: number;
  /** File of the companies that the registry has beside those known: JSON, pairs of id and folded name. */
  readonly hidden: string;
}

export interface Choices {
  readonly calls: number;
  /** From opening the file until the first call is chosen. */
  readonly start: { readonly wallMs: number; readonly cpuMs: number };
  /** Processor time of a choice, and of learning from its answer. */
  readonly medianMs: number;
  readonly most99Ms: number;
  readonly peakMib: number;
}

const { kind, calls, ...order } = JSON.parse(process.argv[2] ?? '') as ChoosingOrder;
const PAGE = DIALECT.search.paging.size;
const DAY_MS = 86_400_000;
/** Companies whose name has this text, in its place. */
const FINDING = {
  prefix: "FROM _name WHERE folded GLOB @text || '*'",
  token_prefix: "FROM _name WHERE folded GLOB @text || '*' OR folded GLOB '* ' || @text || '*'",
};
const before = openWarehouse({ path: order.warehouse, nowMs: Date.now() });
// Its memory is not to count.
before.db.pragma('cache_size = -2000');
const hidden = new Map(JSON.parse(readFileSync(order.hidden, 'utf8')) as [string, string][]);
const companies = openKnowledge(before).knownCount() + hidden.size;
const upstream = openUpstream(before);
const openedMs = performance.now();
const begun = process.cpuUsage();
const warehouse = openWarehouse({ path: order.warehouse, nowMs: Date.now() });
const knowledge = openKnowledge(warehouse);
const runId = startRun(warehouse.db, { command: 'bench', owner: null, nowMs: Date.now() });
const dialect = searchedBy(kind);
const { load } = openLoader({ warehouse, dialect, runId });
let callId = Date.now() * 1024;
load([outcomeOf({ kind: 'stats', reason: 'bench', expected: 0 }, callId++, statsBody(companies))]);
const planner = openPlanner({
  knowledge,
  dialect,
  settings: {
    maxAge: { statsMs: DAY_MS, summariesMs: 3000 * DAY_MS, recordsMs: 3000 * DAY_MS },
    focus: 'coverage',
    kinds: new Set([kind === 'record' ? 'entity' : 'search']),
    scope: { of: 'whole' },
  },
});
const took: number[] = [];
let start = { wallMs: Number.NaN, cpuMs: Number.NaN };
for (let made = 0; made < calls; made++) {
  const chosen = process.cpuUsage();
  const {
    calls: [call],
  } = planner.next({ nowMs: Date.now(), left: { calls, lifetimeLimit: null }, most: 1 });
  const choosing = process.cpuUsage(chosen);
  if (made === 0) start = { wallMs: performance.now() - openedMs, cpuMs: cpuMs(process.cpuUsage(begun)) };
  // All is found.
  if (call === undefined) break;
  const learned = load([outcomeOf(call, callId++, upstream(call))]);
  const after = process.cpuUsage();
  for (const news of learned) planner.learn(news);
  const learning = process.cpuUsage(after);
  // The first choice is part of the start.
  if (made > 0) took.push(cpuMs(choosing) + cpuMs(learning));
}
finishRun(warehouse.db, { runId, ended: 'done', error: null, nowMs: Date.now() });
warehouse.close();
before.close();
took.sort((a, b) => a - b);
const choices: Choices = {
  calls: took.length,
  start,
  medianMs: took[took.length >> 1] ?? Number.NaN,
  most99Ms: took[Math.floor(took.length * 0.99)] ?? Number.NaN,
  peakMib: process.resourceUsage().maxRSS / 1024,
};
process.send?.(choices);
process.disconnect?.();

function cpuMs({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1000;
}

function searchedBy(how: ChoosingOrder['kind']): Dialect {
  const byName = how === 'prefix' || how === 'token_prefix';
  const { search } = DIALECT;
  if (!byName) return DIALECT;
  return { ...DIALECT, search: { ...search, identifiers: 'none', matches: how } };
}

/** Answers of a registry that has all that is known, and the companies that are hidden. */
function openUpstream({ db }: Warehouse): (call: Call) => string {
  const semantics = kind === 'token_prefix' ? 'token_prefix' : 'prefix';
  const count = db.prepare<[{ text: string }], number>(`SELECT count(*) ${FINDING[semantics]}`).pluck();
  const shown = db.prepare<[{ text: string; most: number }], { entity_id: string; name: string }>(
    `SELECT entity_id, name FROM _known WHERE known_id IN (SELECT known_id ${FINDING[semantics]} LIMIT @most)`,
  );
  return (call) => {
    if (call.kind === 'entity') return recordBody(Number(call.entityId));
    if (call.kind === 'stats') return statsBody(companies);
    const { text, by } = call.query;
    if (by === 'identifier') return searchBody(companies, text, call.page.index);
    let total = count.get({ text }) ?? 0;
    const fresh: { company_number: string; name: string }[] = [];
    for (const [id, name] of hidden) {
      if (!findsName(semantics, text, name)) continue;
      total++;
      if (fresh.length < PAGE) fresh.push({ company_number: id, name });
    }
    for (const { company_number } of fresh) hidden.delete(company_number);
    const others = shown.all({ text, most: PAGE - fresh.length });
    const results = [...fresh, ...others.map(({ entity_id, name }) => ({ company_number: entity_id, name }))];
    return JSON.stringify({ total, results: results.slice(0, total) });
  };
}
