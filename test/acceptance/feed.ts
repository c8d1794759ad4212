// npm run accept feed -- [--kills 50] [--companies 100] [--seed 1]
// A consumer follows the change feed of `serve` into its own file while `sync`, `forget` and `reprocess` run. The
// consumer is killed at random times. In the end, the copy must match a full export.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import Sqlite from 'better-sqlite3';
import { Mapping } from '../../src/dialect/mapping_schema.ts';
import { parseJson } from '../../src/json/json.ts';
import { forget } from '../../src/load/forget.ts';
import { reprocess } from '../../src/load/reprocess.ts';
import { seededRandom } from '../../src/random.ts';
import type { Cell } from '../../src/warehouse/export/rowset.ts';
import { currentCursor } from '../../src/warehouse/feed/cursor.ts';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { exportedText, rowText } from '../support/feed_copy.ts';
import { companies, openMirrored, serve } from '../support/served_mirror.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '50' },
    companies: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
  },
});
const kills = Number(values.kills);
/**
 * Each kill waits at least this long, because all kills could otherwise happen before the mirror changes on a busy
 * machine.
 */
const MIN_SYNCS = 10;
const random = seededRandom(Number(values.seed));
const registry = companies(Number(values.companies));
const mirror = await openMirrored({ companies: registry });
const served = await serve(mirror);
const copyPath = join(mirror.folder, 'copy.db');
const counts = { kills: 0, syncs: 0, forgets: 0, rebuilds: 0 };
let consumer = startConsumer();
let isDone = false;

const killing = (async () => {
  while (counts.kills < kills || counts.syncs < MIN_SYNCS) {
    await setTimeout(100 + random.below(900));
    const { signalCode, exitCode } = await stop(consumer);
    if (signalCode !== 'SIGKILL') throw new Error(`the consumer ended without being killed: ${exitCode}`);
    counts.kills += 1;
    consumer = startConsumer();
  }
  isDone = true;
})();

const { warehouse } = mirror.house;
const { dialect } = mirror.config;
if (dialect === undefined) throw new Error('the mirror has no dialect');
while (!isDone) {
  for (let nth = 0; nth < 20; nth++) {
    const company = random.pick(registry);
    const officers = Array.from({ length: random.below(4) }, (_, at) => ({ name: `Officer ${at}` }));
    mirror.sandbox.companies.put({
      ...company,
      fields: { ...company.fields, capital: random.below(1_000), officers },
    });
  }
  mirror.sandbox.companies.remove(random.pick(registry).id, mirror.now());
  await mirror.sync(100 * 86_400_000);
  counts.syncs += 1;
  if (counts.syncs % 2 === 0) {
    forget({ warehouse, dialect, entityIds: [random.pick(registry).id], nowMs: mirror.now() });
    counts.forgets += 1;
  }
  if (counts.syncs % 2 === 1) {
    const rule = random.chance(0.5) ? { '/capital': { column: `capital_${counts.rebuilds}` } } : {};
    await reprocess({ warehouse, dialect, mapping: Mapping.parse({ entity: rule }) });
    counts.rebuilds += 1;
  }
}
await killing;
await reached(currentCursor(warehouse.db));
await stop(consumer);

const copied = copiedText();
const reader = openWarehouse({ path: warehouse.path, readonly: true, nowMs: mirror.now() });
const exported = exportedText(reader.db);
reader.close();
const different =
  copied.filter((row) => !exported.includes(row)).length +
  exported.filter((row) => !copied.includes(row)).length;
await served.close();
await mirror.close();
const failures = served.failures.length;
process.stdout.write(`${JSON.stringify({ ...counts, rows: exported.length, different, failures })}\n`);
process.exitCode = different + failures === 0 && exported.length > 0 ? 0 : 1;

function startConsumer(): ChildProcess {
  const script = join(import.meta.dirname, 'feed/consumer.ts');
  return spawn(process.execPath, [script, copyPath, served.service.url, served.key], { stdio: 'inherit' });
}

async function stop(child: ChildProcess): Promise<ChildProcess> {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
  return child;
}

async function reached(cursor: string): Promise<void> {
  for (let waited = 0; waited < 600; waited++) {
    const db = new Sqlite(copyPath, { readonly: true });
    const at = db.prepare('SELECT cursor FROM position').pluck().get();
    db.close();
    if (at === cursor) return;
    await setTimeout(100);
  }
  throw new Error('the consumer did not reach the end of the feed');
}

function copiedText(): string[] {
  const db = new Sqlite(copyPath, { readonly: true });
  const rows = db.prepare('SELECT name, body FROM copied').all() as { name: string; body: string }[];
  db.close();
  return rows
    .map(({ name, body }) => rowText(name, parseJson(body) as Readonly<Record<string, Cell>>))
    .sort();
}
