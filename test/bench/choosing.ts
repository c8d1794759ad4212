// npm run bench choosing [-- --companies 1000000 --calls 300 --keep FOLDER]
// Measures how calls are chosen in a large registry in which 99% of the companies are known. The figures are the CPU
// time for planning and learning, the time until the first choice, and the process's memory, which includes the memory
// for loading responses.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Loader } from '../../src/load/load.ts';
import { folded } from '../../src/names/folding.ts';
import { openKnowledge } from '../../src/warehouse/plan_knowledge.ts';
import { finishRun, startRun } from '../../src/warehouse/run.ts';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { argumentsOf, say, scriptFolder } from '../support/script.ts';
import type { Choices, ChoosingOrder } from './choosing/batch.ts';
import { type ChoosingKind, dialectFor } from './choosing/kind.ts';
import { companyRecord } from './growth/company_record.ts';
import { fillWarehouse, resultOf, startPart } from './parts.ts';

const values = argumentsOf({
  companies: 1_000_000,
  calls: 300,
  /** Measures only the kinds whose name contains this text. */
  kinds: '',
  /** The warehouse's folder, which is kept, and whose warehouse is reused if it has one. */
  keep: null,
});
const KINDS: Readonly<Record<ChoosingKind, { readonly title: string; readonly mostMs: number }>> = {
  identifier: { title: 'searches by identifier prefix', mostMs: 5 },
  prefix: { title: 'searches by name prefix', mostMs: 5 },
  token_prefix: { title: 'searches by word prefix', mostMs: 5 },
  token: { title: 'searches by whole word', mostMs: 5 },
  record: { title: 'records', mostMs: 0.1 },
};
const MOST_START_MS = 2000;
const MOST_MIB = 300;

const folder = scriptFolder(values.keep);
const warehouse = join(folder, `${values.companies}.db`);
const hidden = join(folder, 'hidden.json');
say(`Choosing among ${values.companies} known companies, up to ${values.calls} calls of each kind`);
await fillWarehouse(warehouse, values.companies);
say(
  '  kind                            first choice, of CPU   again   CPU ms a choice, median   99 of 100   longest load      peak memory',
);
for (const [kind, reach] of Object.entries(KINDS)) {
  if (!kind.includes(values.kinds)) continue;
  const order = { warehouse, hidden, kind: kind as ChoosingKind, calls: values.calls };
  settle(warehouse, order.kind);
  writeUnseen(warehouse, hidden);
  const chosen = await choose(order);
  const again = await choose({ ...order, calls: 1 });
  const isReached =
    Math.max(chosen.start.wallMs, again.start.wallMs) <= MOST_START_MS &&
    chosen.medianMs <= reach.mostMs &&
    chosen.peakMib <= MOST_MIB;
  say(
    [
      `  ${reach.title.padEnd(30)}`,
      `${chosen.start.wallMs.toFixed(0)} ms`.padStart(14),
      `${chosen.start.cpuMs.toFixed(0)} ms`.padStart(8),
      `${again.start.wallMs.toFixed(0)} ms`.padStart(10),
      String(chosen.calls).padStart(9),
      chosen.medianMs.toFixed(3).padStart(21),
      chosen.most99Ms.toFixed(1).padStart(12),
      `${chosen.mostLoadMs.toFixed(0)} ms`.padStart(14),
      `${chosen.peakMib.toFixed(0)} MiB`.padStart(17),
      isReached ? '' : '  NOT REACHED',
    ].join(' '),
  );
}
say(`  target: at most ${MOST_START_MS} ms, 5 ms a search and 0.1 ms a record, ${MOST_MIB} MiB`);

function choose(order: ChoosingOrder): Promise<Choices> {
  return resultOf<Choices>(startPart('choosing/batch.ts', JSON.stringify(order)));
}

/**
 * Opens a loader with this dialect before the measurement, because a changed dialect may require counting the words
 * again.
 */
function settle(path: string, kind: ChoosingKind): void {
  const nowMs = Date.now();
  const held = openWarehouse({ path, nowMs });
  const runId = startRun(held.db, { command: 'bench', owner: null, nowMs });
  new Loader({ warehouse: held, dialect: dialectFor(kind), runId });
  finishRun(held.db, { runId, ended: 'done', error: null, nowMs });
  held.close();
  const tookMs = Date.now() - nowMs;
  if (tookMs > 1000) say(`  words counted in ${(tookMs / 1000).toFixed(1)} s`);
}

/** Writes a file of unknown companies, one for each hundred known ones, and deletes the warehouse's name queries. */
function writeUnseen(path: string, file: string): void {
  const held = openWarehouse({ path, nowMs: Date.now() });
  const known = openKnowledge(held).knownCount();
  // Name queries made under another query rule would provide no information.
  held.db.exec(`DELETE FROM _query WHERE "by" = 'name'`);
  held.close();
  const hidden = Array.from({ length: Math.ceil(known / 100) }, (_, at) => {
    const { company_number: id, name } = companyRecord(known + at);
    return [String(id), folded(String(name))];
  });
  writeFileSync(file, JSON.stringify(hidden));
}
