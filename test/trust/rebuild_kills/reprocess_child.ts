// Rebuilds a warehouse with a mapping, until the test kills this process at a random time.
import { Mapping } from '../../../src/dialect/mapping.ts';
import { reprocess } from '../../../src/load/reprocess.ts';
import { openWarehouse } from '../../../src/warehouse/warehouse.ts';
import { dialectWith } from '../../support/loader_dialect.ts';

const [path = '', mapping = '{}'] = process.argv.slice(2);
const warehouse = openWarehouse({ path, nowMs: 0 });
process.stdout.write('started\n');
await reprocess({ warehouse, dialect: dialectWith(), mapping: Mapping.parse(JSON.parse(mapping)) });
warehouse.close();
