import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Mapping } from '../../../src/dialect/mapping.ts';
import { openLoader } from '../../../src/load/load.ts';
import { reprocess } from '../../../src/load/reprocess.ts';
import type { Outcome } from '../../../src/outcome.ts';
import { startRun } from '../../../src/warehouse/run.ts';
import { openWarehouse, type Warehouse } from '../../../src/warehouse/warehouse.ts';
import { dumpDerived } from '../../support/dump.ts';
import { dialectWith } from '../../support/loader_dialect.ts';
import { startAndKill } from './kill.ts';

const here = import.meta.dirname;
/** How many companies the warehouse has unless a caller asks for fewer. */
export const COMPANIES = 2000;

export interface Rounds {
  readonly folder: string;
  readonly kills: number;
  readonly companies: number;
  /** A random number from 0 to 1. */
  readonly random: () => number;
}

export interface Killed {
  /** How many processes were killed while they worked. All others ended before the kill. */
  readonly killed: number;
  /** How many rounds left the new tables or files. */
  readonly completed: number;
  /** Violations, one sentence each. */
  readonly broken: readonly string[];
}

/**
 * Kills `reprocess` between two mappings at random times. The result must be either the old tables or the new tables.
 */
export async function killReprocess({ folder, kills, companies, random }: Rounds): Promise<Killed> {
  const path = join(folder, 'warehouse.db');
  const warehouse = filled(path, companies);
  const mappings = [{}, { entity: { '/n': { column: 'number', type: 'text' } } }];
  const states: string[] = [];
  let longestMs = 0;
  for (const mapping of [...mappings].reverse()) {
    const startedMs = performance.now();
    await reprocess({ warehouse, dialect: dialectWith(), mapping: Mapping.parse(mapping) });
    longestMs = Math.max(longestMs, performance.now() - startedMs);
    states.unshift(stateOf(warehouse));
  }
  warehouse.close();
  const broken: string[] = [];
  let killed = 0;
  let current = 0;
  let completed = 0;
  for (let round = 0; killed < kills; round++) {
    const next = 1 - current;
    // A new process runs uncompiled code, so it needs longer than this one.
    const afterMs = random() * COLD_START * longestMs;
    const how = await startAndKill(
      join(here, 'reprocess_child.ts'),
      [path, JSON.stringify(mappings[next])],
      afterMs,
    );
    if (how === 'killed') killed += 1;
    const { state, fault } = looked(path);
    const at = `round ${round}, after ${afterMs.toFixed(1)} ms`;
    if (fault !== null) broken.push(`${at}: ${fault}`);
    if (state === states[next]) {
      current = next;
      completed += 1;
    } else if (state !== states[current])
      broken.push(`${at}: the tables are neither the old tables nor the new tables`);
  }
  return { killed, completed, broken };
}

/**
 * Kills a repeated `export` into one folder at random times. The files must be complete and come from the same export.
 */
export async function killExport({ folder, kills, companies, random }: Rounds): Promise<Killed> {
  const path = join(folder, 'warehouse.db');
  const warehouse = filled(path, companies);
  const change = changer(warehouse, companies);
  const formats = ['csv', 'jsonl', 'parquet'] as const;
  const broken: string[] = [];
  let killed = 0;
  let completed = 0;
  for (let round = 0; killed < kills; round++) {
    const format = formats[round % formats.length] as string;
    const out = join(folder, format);
    const afterMs = random() * LONGEST_EXPORT_MS;
    // Files from different exports would be inconsistent.
    change(round);
    const how = await startAndKill(join(here, 'export_child.ts'), [path, out, format], afterMs);
    if (how === 'killed') killed += 1;
    if (!existsSync(join(out, 'manifest.json'))) continue;
    completed += 1;
    for (const fault of faultsIn(out, companies))
      broken.push(`round ${round}, after ${afterMs.toFixed(1)} ms: ${fault}`);
  }
  warehouse.close();
  return { killed, completed, broken };
}

const COLD_START = 3;
const LONGEST_EXPORT_MS = 250;

interface Listed {
  readonly files: readonly { readonly name: string; readonly rows: number; readonly sha256: string }[];
}

function faultsIn(folder: string, companies: number): string[] {
  const { files } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Listed;
  const rows = files.map((file) => file.rows).join(' and ');
  const faults = rows === `${companies} and ${2 * companies}` ? [] : [`${rows} rows`];
  for (const { name, sha256 } of files)
    if (sha256Of(readFileSync(join(folder, name))) !== sha256)
      faults.push(`${name} differs from the manifest`);
  return faults;
}

function filled(path: string, companies: number): Warehouse {
  const warehouse = openWarehouse({ path, nowMs: 0 });
  const runId = startRun(warehouse.db, { command: 'test', owner: null, nowMs: 0 });
  const { load } = openLoader({ warehouse, dialect: dialectWith(), runId });
  load(Array.from({ length: companies }, (_, n) => outcomeOf(n, n + 1, `t${n}`)));
  return warehouse;
}

/** Gives one company another tag in each round. */
function changer(warehouse: Warehouse, companies: number): (round: number) => void {
  const runId = startRun(warehouse.db, { command: 'test', owner: null, nowMs: 0 });
  const { load } = openLoader({ warehouse, dialect: dialectWith(), runId });
  return (round) => {
    load([outcomeOf(0, companies + 1 + round, `round ${round}`)]);
  };
}

function outcomeOf(n: number, callId: number, tag: string): Outcome {
  const entityId = `C${n}`;
  const document = { id: entityId, name: `Company ${n} ${tag}`, n, tags: [tag, 'all'] };
  return {
    callId,
    call: { kind: 'entity', entityId, reason: 'test', expected: 1 },
    sentAt: new Date(callId).toISOString(),
    durationMs: 1,
    status: 200,
    body: Buffer.from(JSON.stringify(document)),
    verdict: { is: 'ok', answer: { kind: 'record', entityId, name: document.name, document } },
  };
}

/** Reads the file directly after the kill, and returns a fault if it is incomplete. */
function looked(path: string): { state: string; fault: string | null } {
  const warehouse = openWarehouse({ path, readonly: true, nowMs: 0 });
  const check = warehouse.db.pragma('integrity_check', { simple: true });
  const state = stateOf(warehouse);
  warehouse.close();
  return { state, fault: check === 'ok' ? null : `integrity_check: ${check}` };
}

function stateOf(warehouse: Warehouse): string {
  return sha256Of(dumpDerived(warehouse).join('\n'));
}

function sha256Of(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
