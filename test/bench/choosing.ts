// What choosing a call costs in a large registry of which a hundredth is not known yet: processor time of planning and
// learning alone, how long the first choice takes, and the memory of the process, loading included:
// npm run bench:choosing [-- --companies 1000000 --calls 300 --keep FOLDER]
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { folded } from '../../src/folding.ts';
import { openKnowledge } from '../../src/warehouse/knowledge.ts';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import type { Choices, ChoosingOrder } from './choosing_slice.ts';
import { companyRecord } from './load_records.ts';
import { fillWarehouse, startPart, toldBy } from './parts.ts';
import { say } from './throughput_figures.ts';

const { values } = parseArgs({
  options: {
    companies: { type: 'string', default: '1000000' },
    calls: { type: 'string', default: '300' },
    /** The warehouse stays here, and one that is here already is used. */
    keep: { type: 'string' },
  },
});
const KINDS: Readonly<Record<ChoosingOrder['kind'], { readonly title: string; readonly mostMs: number }>> = {
  identifier: { title: 'searches by identifier prefix', mostMs: 5 },
  prefix: { title: 'searches by name prefix', mostMs: 5 },
  token_prefix: { title: 'searches by word prefix', mostMs: 5 },
  record: { title: 'records', mostMs: 0.1 },
};
const MOST_START_MS = 2000;
const MOST_MIB = 300;

const folder = values.keep ?? mkdtempSync(join(tmpdir(), 'registry-mirror-choosing-'));
mkdirSync(folder, { recursive: true });
try {
  const warehouse = join(folder, `${values.companies}.db`);
  const hidden = join(folder, 'hidden.json');
  say(`Choosing among ${values.companies} known companies, up to ${values.calls} calls of each kind`);
  await fillWarehouse(warehouse, Number(values.companies));
  say(
    '  kind                            first choice   CPU ms a choice, median   99 of 100   memory at most',
  );
  for (const [kind, reach] of Object.entries(KINDS)) {
    const order = { warehouse, hidden, kind: kind as ChoosingOrder['kind'], calls: Number(values.calls) };
    hide(warehouse, hidden);
    const chosen = await toldBy<Choices>(startPart('choosing_slice.ts', JSON.stringify(order)));
    const isReached =
      chosen.start.wallMs <= MOST_START_MS && chosen.medianMs <= reach.mostMs && chosen.peakMib <= MOST_MIB;
    say(
      [
        `  ${reach.title.padEnd(30)}`,
        `${chosen.start.wallMs.toFixed(0)} ms`.padStart(14),
        `${chosen.start.cpuMs.toFixed(0)} ms`.padStart(8),
        String(chosen.calls).padStart(9),
        chosen.medianMs.toFixed(3).padStart(21),
        chosen.most99Ms.toFixed(1).padStart(12),
        `${chosen.peakMib.toFixed(0)} MiB`.padStart(17),
        isReached ? '' : '  NOT REACHED',
      ].join(' '),
    );
  }
  say(`  asked: at most ${MOST_START_MS} ms, 5 ms a search and 0.1 ms a record, ${MOST_MIB} MiB`);
} finally {
  if (values.keep === undefined) rmSync(folder, { recursive: true, force: true });
}

/** Writes down a hundredth of companies that the warehouse does not know. */
function hide(path: string, file: string): void {
  const held = openWarehouse({ path, nowMs: Date.now() });
  const known = openKnowledge(held).knownCount();
  held.close();
  const hidden = Array.from({ length: Math.ceil(known / 100) }, (_, at) => {
    const { company_number: id, name } = companyRecord(known + at);
    return [String(id), folded(String(name))];
  });
  writeFileSync(file, JSON.stringify(hidden));
}
