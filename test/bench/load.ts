// npm run bench load [-- --part load|wire|reader|questions --records N --companies N --reader-records N --reader-seconds N]
// Measures loading and queries. Each part runs in one process with the program that it is compared with.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadBesideBare } from './load/beside_bare.ts';
import { loadFromTheWire, requireSqliteUtils } from './load/from_wire.ts';
import { runQueries } from './load/questions.ts';
import { readWhileLoading } from './load/while_read.ts';

const { values } = parseArgs({
  options: {
    part: { type: 'string', multiple: true },
    records: { type: 'string', default: '200000' },
    companies: { type: 'string', default: '1000000' },
    'reader-records': { type: 'string', default: '100000' },
    'reader-seconds': { type: 'string', default: '60' },
  },
});
const records = Number(values.records);
const parts: Readonly<Record<string, (folder: string) => void | Promise<void>>> = {
  load: (folder) => loadBesideBare(folder, records),
  wire: (folder) => loadFromTheWire(folder, records),
  reader: (folder) =>
    readWhileLoading(folder, Number(values['reader-records']), Number(values['reader-seconds'])),
  questions: (folder) => runQueries(folder, Number(values.companies)),
};
const wanted = values.part ?? Object.keys(parts);
if (wanted.includes('wire')) requireSqliteUtils();
for (const name of wanted) {
  const part = parts[name];
  if (part === undefined) throw new Error(`unknown --part: ${name}. Parts: ${Object.keys(parts).join(', ')}`);
  const folder = mkdtempSync(join(tmpdir(), 'registry-mirror-bench-'));
  try {
    await part(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
