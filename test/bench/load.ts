// npm run bench load [-- --part load,wire,reader,questions --records N --companies N --reader-records N --reader-seconds N]
// Measures loading and queries. Each part runs in one process with the program that it is compared with.
import { argumentsOf, scriptFolder } from '../support/script.ts';
import { loadBesideBare } from './load/beside_bare.ts';
import { loadFromTheWire, requireSqliteUtils } from './load/from_wire.ts';
import { runQueries } from './load/questions.ts';
import { readWhileLoading } from './load/while_read.ts';

const values = argumentsOf({
  part: null,
  records: 200_000,
  companies: 1_000_000,
  readerRecords: 100_000,
  readerSeconds: 60,
});
const { records } = values;
const parts: Readonly<Record<string, (folder: string) => void | Promise<void>>> = {
  load: (folder) => loadBesideBare(folder, records),
  wire: (folder) => loadFromTheWire(folder, records),
  reader: (folder) => readWhileLoading(folder, values.readerRecords, values.readerSeconds),
  questions: (folder) => runQueries(folder, values.companies),
};
const wanted = values.part?.split(',') ?? Object.keys(parts);
if (wanted.includes('wire')) requireSqliteUtils();
for (const name of wanted) {
  const part = parts[name];
  if (part === undefined) throw new Error(`unknown --part: ${name}. Parts: ${Object.keys(parts).join(', ')}`);
  await part(scriptFolder());
}
