import { rmSync } from 'node:fs';
import { isoTime } from '../../../src/clock.ts';
import { Dialect } from '../../../src/dialect/dialect.ts';
import { type JsonObject, parseJson } from '../../../src/json/json.ts';
import { type Loader, openLoader } from '../../../src/load/load.ts';
import type { Outcome } from '../../../src/outcome.ts';
import { startRun } from '../../../src/warehouse/run.ts';
import { openWarehouse, type Warehouse } from '../../../src/warehouse/warehouse.ts';
import { companyRecord, idOf } from './records.ts';

export const DIALECT = Dialect.parse({
  search: { query_param: 'q', paging: { style: 'none' }, results: '/results', id: '/company_number' },
  entity: { id: '/company_number', name: '/name' },
});

/** Opens a new warehouse with the mirror's loader. */
export function newMirror(
  path: string,
  { isFresh = true } = {},
): { warehouse: Warehouse; load: Loader['load'] } {
  if (isFresh) for (const part of ['', '-wal', '-shm']) rmSync(path + part, { force: true });
  const warehouse = openWarehouse({ path, nowMs: Date.now() });
  const runId = startRun(warehouse.db, { command: 'bench', owner: null, nowMs: Date.now() });
  return { warehouse, ...openLoader({ warehouse, dialect: DIALECT, runId }) };
}

/** Returns the outcomes that `fetch` would return for the companies from `from` to `to`. */
export function outcomesOf(from: number, to: number, version: number, firstCallId: number): Outcome[] {
  return Array.from({ length: to - from }, (_, at) =>
    outcomeOf(from + at, firstCallId + at, companyRecord(from + at, version)),
  );
}

export function outcomeOf(index: number, callId: number, record: JsonObject): Outcome {
  const entityId = idOf(index);
  const text = JSON.stringify(record);
  // They are parsed from JSON like responses, because V8 may lay out the generator's objects differently in memory.
  const document = parseJson(text) as JsonObject;
  return {
    callId,
    call: { kind: 'entity', entityId, reason: 'never fetched', expected: 1 },
    sentAt: isoTime(1_770_000_000_000 + callId),
    durationMs: 50,
    status: 200,
    body: Buffer.from(text),
    verdict: { is: 'ok', answer: { kind: 'record', entityId, name: String(document.name), document } },
  };
}
