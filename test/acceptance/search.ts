// npm run accept search [-- --names 300]
// Searches the demo's mirror for names. A third of them are misspelt or have another legal form. Prints the wanted
// company's position in the results, and how long a search takes.
import { companySearch } from '../../src/warehouse/company_search.ts';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { wantedNames } from '../bench/names/wanted_names.ts';
import { openDemoMirror } from '../support/demo_mirror.ts';
import { argumentsOf } from '../support/script.ts';

/** Several companies can have the same name, so the wanted company is not always among the first ten results. */
const MIN_SHARE = 0.95;

const values = argumentsOf({ names: 300 });
const demo = openDemoMirror();
const warehouse = openWarehouse({ path: demo.warehouse, readonly: true, nowMs: Date.now() });
try {
  process.stdout.write(`${demo.run('search', 'wilson', 'servces', '--limit', '3')}\n`);
  const companies = warehouse.db.prepare('SELECT entity_id AS id, name FROM entity_overview').all() as {
    id: string;
    name: string;
  }[];
  const wanted = wantedNames(companies, values.names, 3);
  const search = companySearch(warehouse.db);
  const positions = new Map<string, number[]>();
  const started = performance.now();
  for (const { text, meantId, spoiltBy } of wanted) {
    const at = search(text, 10).findIndex(({ entityId }) => entityId === meantId);
    positions.set(spoiltBy, [...(positions.get(spoiltBy) ?? []), at]);
  }
  const ms = (performance.now() - started) / wanted.length;
  for (const [spoiltBy, found] of positions) {
    const share = (most: number) =>
      `${((100 * found.filter((at) => at >= 0 && at < most).length) / found.length).toFixed(1)} %`;
    process.stdout.write(
      `changed by ${spoiltBy}: ${found.length} names, wanted company first ${share(1)}, among ten ${share(10)}\n`,
    );
  }
  process.stdout.write(`${ms.toFixed(1)} ms per search\n`);
  const all = [...positions.values()].flat();
  process.exitCode = all.filter((at) => at >= 0).length >= MIN_SHARE * all.length ? 0 : 1;
} finally {
  warehouse.close();
  demo.remove();
}
