// Exports a warehouse repeatedly, until the test kills this process at a random time.
import { exportTables } from '../../../src/operations/export.ts';
import { openWarehouse } from '../../../src/warehouse/warehouse.ts';

const [path = '', folder = '', format = 'csv'] = process.argv.slice(2);
const warehouse = openWarehouse({ path, readonly: true, nowMs: 0 });
process.stdout.write('started\n');
for (let nowMs = 0; ; nowMs++)
  exportTables(warehouse, {
    format: format as 'csv' | 'jsonl' | 'parquet',
    folder,
    tables: ['entity', 'entity__tags'],
    what: { is: 'whole' },
    safeFormulas: false,
    rowsPerFile: null,
    nowMs,
  });
