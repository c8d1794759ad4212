// node test/bench/growth/fill.ts WAREHOUSE COMPANIES [RECORDS]
// Fills a warehouse through `load` with a list of all companies and a tenth of the records, or RECORDS of them. Prints the
// CPU time of loading, the peak memory, and the bytes of each table and index.
import { statSync } from 'node:fs';
import { CallIds } from '../../../src/fetch/fetch.ts';
import { Loader } from '../../../src/load/load.ts';
import type { Outcome } from '../../../src/outcome.ts';
import { finishRun, startRun } from '../../../src/warehouse/run.ts';
import { openWarehouse } from '../../../src/warehouse/warehouse.ts';
import { say } from '../../support/script.ts';
import { DIALECT, FIRST_ID, outcomeOf, recordBody, searchBody, searchesOf, statsBody } from './registry.ts';

/** The file's size in bytes after all companies are listed, and after the records are loaded. */
export interface Filled {
  readonly listedBytes: number;
  readonly fetchedBytes: number;
  readonly records: number;
}

const [path = '', companiesText, recordsText] = process.argv.slice(2);
const companies = Number(companiesText);
const GROUP = 200;
const records = recordsText === undefined ? companies / 10 : Number(recordsText);
const nowMs = Date.now();
const warehouse = openWarehouse({ path, nowMs });
const runId = startRun(warehouse.db, { command: 'bench', owner: null, nowMs });
const loader = new Loader({ warehouse, dialect: DIALECT, runId });
const callIds = new CallIds({ last: 0, runId });

let loadingUs = 0;
loader.load([
  outcomeOf({ kind: 'stats', reason: 'bench', expected: 0 }, callIds.next(), statsBody(companies)),
]);
inGroups(listing(), GROUP / 20);
const listedBytes = size();
showLoading(companies, 'listed company');
showSizes('listed');
inGroups(fetching(), GROUP);
const fetchedBytes = size();
showLoading(records, 'record');
showSizes('fetched');
finishRun(warehouse.db, { runId, ended: 'done', error: null, nowMs: Date.now() });
warehouse.close();
const filled: Filled = { listedBytes, fetchedBytes, records };
process.send?.(filled);
process.disconnect?.();

function* listing(): Generator<Outcome> {
  for (const call of searchesOf(companies))
    yield outcomeOf(call, callIds.next(), searchBody(companies, call.query.text, call.page.index));
}

/** Record calls spread over the whole registry, as due records are. */
function* fetching(): Generator<Outcome> {
  for (let at = 0; at < records; at++) {
    const id = FIRST_ID + Math.floor((at * companies) / records);
    yield outcomeOf(
      { kind: 'entity', entityId: String(id), reason: 'bench', expected: 1 },
      callIds.next(),
      recordBody(id),
    );
  }
}

function inGroups(outcomes: Iterable<Outcome>, most: number): void {
  let group: Outcome[] = [];
  for (const outcome of outcomes) {
    group.push(outcome);
    if (group.length < most) continue;
    loadGroup(group);
    group = [];
  }
  if (group.length > 0) loadGroup(group);
}

function loadGroup(group: readonly Outcome[]): void {
  const before = process.cpuUsage();
  loader.load(group);
  const { user, system } = process.cpuUsage(before);
  loadingUs += user + system;
}

function size(): number {
  warehouse.db.pragma('wal_checkpoint(TRUNCATE)');
  return statSync(path).size;
}

function showLoading(count: number, what: string): void {
  if (process.send !== undefined) return;
  const peakMb = process.resourceUsage().maxRSS / 1024;
  const perRow = loadingUs / count;
  say(`loading: ${perRow.toFixed(1)} µs of CPU time for each ${what}; peak memory ${peakMb.toFixed(0)} MB`);
  loadingUs = 0;
}

function showSizes(when: 'listed' | 'fetched'): void {
  if (process.send !== undefined) return;
  const sizes = warehouse.db
    .prepare<[], [string, number]>("SELECT name, pgsize FROM dbstat('main', 1) ORDER BY 2 DESC LIMIT 20")
    .raw();
  say(`bytes per company after all are ${when}:`);
  for (const [name, bytes] of sizes.all()) say(`  ${(bytes / companies).toFixed(1).padStart(8)} ${name}`);
}
