// node test/bench/growth/fill.ts WAREHOUSE COMPANIES
// Fills a warehouse through `load` with a list of all companies and a tenth of the records.
import { statSync } from 'node:fs';
import { openLoader } from '../../../src/load/load.ts';
import type { Outcome } from '../../../src/outcome.ts';
import { finishRun, startRun } from '../../../src/warehouse/run.ts';
import { openWarehouse } from '../../../src/warehouse/warehouse.ts';
import { DIALECT, FIRST_ID, outcomeOf, recordBody, searchBody, searchesOf, statsBody } from './registry.ts';

/** The file's size in bytes after all companies are listed, and after the records are loaded. */
export interface Filled {
  readonly listedBytes: number;
  readonly fetchedBytes: number;
  readonly records: number;
}

const [path = '', companiesText] = process.argv.slice(2);
const companies = Number(companiesText);
const GROUP = 200;
const records = companies / 10;
const nowMs = Date.now();
const warehouse = openWarehouse({ path, nowMs });
const runId = startRun(warehouse.db, { command: 'bench', owner: null, nowMs });
const { load } = openLoader({ warehouse, dialect: DIALECT, runId });
let callId = (nowMs - 3_600_000) * 1024;

load([outcomeOf({ kind: 'stats', reason: 'bench', expected: 0 }, callId++, statsBody(companies))]);
inGroups(listing(), GROUP / 20);
const listedBytes = size();
inGroups(fetching(), GROUP);
const fetchedBytes = size();
finishRun(warehouse.db, { runId, ended: 'done', error: null, nowMs: Date.now() });
warehouse.close();
const filled: Filled = { listedBytes, fetchedBytes, records };
process.send?.(filled);
process.disconnect?.();

function* listing(): Generator<Outcome> {
  for (const call of searchesOf(companies))
    yield outcomeOf(call, callId++, searchBody(companies, call.query.text, call.page.index));
}

/** Record calls spread over the whole registry, as due records are. */
function* fetching(): Generator<Outcome> {
  for (let at = 0; at < records; at++) {
    const id = FIRST_ID + at * 10;
    yield outcomeOf(
      { kind: 'entity', entityId: String(id), reason: 'bench', expected: 1 },
      callId++,
      recordBody(id),
    );
  }
}

function inGroups(outcomes: Iterable<Outcome>, most: number): void {
  let group: Outcome[] = [];
  for (const outcome of outcomes) {
    group.push(outcome);
    if (group.length < most) continue;
    load(group);
    group = [];
  }
  if (group.length > 0) load(group);
}

function size(): number {
  warehouse.db.pragma('wal_checkpoint(TRUNCATE)');
  return statSync(path).size;
}
