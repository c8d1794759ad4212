// npm run accept old-sqlite
// Reads every table and view in the demo's warehouse with each SQLite version on this machine, and searches for names
// with and without accents.
import { openDemoMirror } from '../support/demo_mirror.ts';
import { sqliteTools } from '../support/sqlite_tools.ts';

const SEARCHES = ['øtesund', 'ØTESUND', 'société', 'societe', 'SOCIETE', 'الربيع'];
const demo = openDemoMirror();
let failures = 0;
try {
  for (const { name, version, rows } of sqliteTools()) {
    const [tables = []] = rows(demo.warehouse, [
      "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY name",
    ]);
    const counts = rows(
      demo.warehouse,
      tables.map((table) => `SELECT count(*) AS n FROM (SELECT * FROM "${table.name}")`),
    );
    process.stdout.write(`${name}, SQLite ${version}: ${counts.length} tables and views read\n`);
    const found = rows(
      demo.warehouse,
      SEARCHES.map((text) => `SELECT count(*) AS n FROM entity_fts WHERE entity_fts MATCH '"${text}"'`),
    );
    SEARCHES.forEach((text, at) => {
      const companies = Number(found[at]?.[0]?.n);
      if (companies === 0) failures += 1;
      process.stdout.write(`  "${text}": ${companies} companies\n`);
    });
  }
} finally {
  demo.remove();
}
process.exitCode = failures === 0 ? 0 : 1;
