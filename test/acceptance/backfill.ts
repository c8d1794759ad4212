// npm run accept backfill [-- --ids 5000 --kills 10]
// Runs a backfill of many ids from an untidy file, and kills it repeatedly. Each valid id must be fetched exactly once,
// except by calls in flight at the time of a kill, and the report must be complete.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { parse } from 'csv-parse/sync';
import { generateRegistry } from '../../data/generate.ts';
import { untidyList } from '../support/untidy_list.ts';
import { openUpstream, type Upstream } from '../support/upstream.ts';

const { values } = parseArgs({
  options: { ids: { type: 'string', default: '5000' }, kills: { type: 'string', default: '10' } },
});
const idCount = Number(values.ids);
const kills = Number(values.kills);
const CONCURRENCY = 4;

const companies = [...generateRegistry({ companies: idCount, seed: 7 })];
const upstream = await openUpstream({ companies, latencyMs: 3 }, { upstream: { concurrency: CONCURRENCY } });
const list = untidyList(companies.map(({ id }) => id));
const file = join(upstream.folder, 'list.csv');
const report = join(upstream.folder, 'report.csv');
writeFileSync(file, list.text);
const args = ['backfill', '--ids', file, '--column', 'Company Number', '--report', report];

let killed = 0;
try {
  while (
    killed < kills &&
    (await killAfter(upstream, Math.floor(1 + (Math.random() * 1.5 * idCount) / kills)))
  )
    killed++;
  const { code, json, stderr } = await upstream.cli(...args, '--json');
  const asked = new Map<string, number>();
  for (const { kind, target } of upstream.sandbox.arrivals())
    if (kind === 'entity') asked.set(target, (asked.get(target) ?? 0) + 1);
  const rows: Record<string, string>[] = parse(readFileSync(report, 'utf8'), { columns: true });
  const states = Object.fromEntries(
    [...Map.groupBy(rows, ({ state }) => state ?? '')].map(([state, some]) => [state, some.length]),
  );
  const extra = [...asked.values()].reduce((sum, times) => sum + times - 1, 0);
  const missing = list.valid.filter((id) => !asked.has(id)).length;
  const isRight =
    code === 0 &&
    missing === 0 &&
    extra <= killed * CONCURRENCY &&
    states.found === list.valid.length &&
    states.not_found === list.unknown.length &&
    rows.length === list.valid.length + list.unknown.length;
  const { blanks, duplicates } = list;
  process.stdout.write(
    `${JSON.stringify({ killed, code, ended: json?.data?.run?.ended, valid: list.valid.length, unknown: list.unknown.length, blanks, duplicates, arrivals: asked.size + extra, asked_twice: extra, never_asked: missing, report: states, isRight }, null, 2)}\n`,
  );
  if (!isRight) process.stderr.write(stderr);
  process.exitCode = isRight ? 0 : 1;
} finally {
  await upstream.close();
}

/** Starts the backfill and kills it after this many more calls. Returns false if the backfill ended before the kill. */
async function killAfter(at: Upstream, calls: number): Promise<boolean> {
  const command = at.start(...args);
  await at.arrived(at.sandbox.arrivals().length + calls, command);
  if (command.process.exitCode === null) await sleep(Math.random() * 8);
  command.process.kill('SIGKILL');
  return (await command.finished).signal === 'SIGKILL';
}
