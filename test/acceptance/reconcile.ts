// npm run accept reconcile [-- --names 300]
// Reconciles names with the demo's mirror in batches of ten. A third of the names are misspelt or have another legal
// form. Checks every response, and prints how many automatic matches are right and wrong.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { wantedNames } from '../bench/names/wanted_names.ts';
import { openDemoMirror } from '../support/demo_mirror.ts';
import { Extension, Manifest, ResultBatch } from '../support/reconciliation_schemas.ts';
import { argumentsOf } from '../support/script.ts';

const values = argumentsOf({ names: 300 });
const demo = openDemoMirror();
const program = resolve(import.meta.dirname, '../../src/cli/bin.js');
const server = spawn(process.execPath, [program, 'serve', '--port', '0', '--json'], { cwd: demo.folder });
try {
  const [line] = await once(server.stdout, 'data');
  const { url } = JSON.parse(String(line)).data;
  const post = async (form: Record<string, string>) => {
    const response = await fetch(`${url}/reconcile`, { method: 'POST', body: new URLSearchParams(form) });
    return response.json();
  };
  const manifest = Manifest.parse(await (await fetch(`${url}/reconcile`)).json());
  process.stdout.write(`${manifest.name}: API ${manifest.versions.join(', ')}\n`);

  const wanted = wantedNames(companiesOf(demo.warehouse), values.names, 5);
  const counts = { right: 0, wrong: 0, first: 0, among: 0, none: 0 };
  const started = performance.now();
  for (let at = 0; at < wanted.length; at += 10) {
    const batch = wanted.slice(at, at + 10);
    const queries = Object.fromEntries(batch.map(({ text }, nth) => [`q${nth}`, { query: text }]));
    const results = ResultBatch.parse(await post({ queries: JSON.stringify(queries) }));
    batch.forEach(({ meantId }, nth) => {
      const candidates = results[`q${nth}`]?.result ?? [];
      const matched = candidates.find(({ match }) => match);
      const position = candidates.findIndex(({ id }) => id === meantId);
      if (matched !== undefined) counts[matched.id === meantId ? 'right' : 'wrong'] += 1;
      else counts[position === 0 ? 'first' : position > 0 ? 'among' : 'none'] += 1;
    });
  }
  const ms = (performance.now() - started) / wanted.length;
  process.stdout.write(
    `${wanted.length} names: ${counts.right} matched, ${counts.wrong} matched wrongly; left to the user with the ` +
      `wanted company first ${counts.first}, later ${counts.among}, without it ${counts.none}\n` +
      `${ms.toFixed(1)} ms per name\n`,
  );
  const extend = {
    ids: wanted.slice(0, 3).map(({ meantId }) => meantId),
    properties: [{ id: 'status' }, { id: 'registered_on' }],
  };
  const extension = Extension.parse(await post({ extend: JSON.stringify(extend) }));
  process.stdout.write(`${JSON.stringify(extension.rows)}\n`);
  process.exitCode = counts.wrong === 0 && counts.none <= wanted.length / 20 ? 0 : 1;
} finally {
  server.kill();
  await once(server, 'exit');
  demo.remove();
}

function companiesOf(path: string): { id: string; name: string }[] {
  const { db, close } = openWarehouse({ path, readonly: true, nowMs: Date.now() });
  const rows = db.prepare('SELECT entity_id AS id, name FROM entity_overview').all();
  close();
  return rows as { id: string; name: string }[];
}
