// npm run bench worker [-- --companies 4000 --rounds 11]
// Compares how many records per second a `fetch-entities` job and `sync` load without limits, in turn. Each runs in its
// own process with a copy of one warehouse that lists all companies and has no records. The result is the median ratio
// over all rounds, because other load on the machine changes less within a round than between rounds.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { generateRegistry } from '../../../data/generate.ts';
import { loadConfig } from '../../../src/config/load_config.ts';
import { openWorkspace } from '../../../src/operations/assemble.ts';
import { startOwnRedis } from '../../support/redis_server.ts';
import { argumentsOf, say } from '../../support/script.ts';
import { syncAll } from '../../support/sync.ts';
import { openUpstream } from '../../support/upstream.ts';
import { median } from '../figures.ts';

const values = argumentsOf({ companies: 4000, rounds: 11 });
const NEVER = '0 0 29 2 *';
const redis = await startOwnRedis();
const companies = [...generateRegistry({ companies: values.companies, seed: 9 })];
const upstream = await openUpstream({ companies });
const listed = join(upstream.folder, 'listed.db');
await list();

const rates = { sync: [] as number[], job: [] as number[] };
for (let round = 1; round <= values.rounds; round++) {
  const order = round % 2 === 0 ? (['sync', 'job'] as const) : (['job', 'sync'] as const);
  for (const how of order) rates[how].push(how === 'sync' ? await bySync(round) : await byJob(round));
  say(`round ${round}: sync ${rates.sync.at(-1)}/s, job ${rates.job.at(-1)}/s`);
}
const share = median(rates.job.map((rate, round) => rate / (rates.sync[round] ?? Number.NaN)));
say(
  JSON.stringify({
    ok: share >= 0.95,
    redis: redis.kind,
    share: Number(share.toFixed(3)),
    median: { sync: median(rates.sync), job: median(rates.job) },
  }),
);
process.exitCode = share >= 0.95 ? 0 : 1;
await upstream.close();
await redis.close();

/** Lists every company, so that only records are due. */
async function list(): Promise<void> {
  const workspace = openWorkspace(loadConfig({ path: upstream.configure({ warehouse: listed }), env: {} }));
  await syncAll(workspace, { command: 'list', kinds: new Set(['stats', 'search']) });
  workspace.close();
}

async function bySync(round: number): Promise<number> {
  const { config, warehouse } = workplace(`sync-${round}`);
  await upstream.cli('sync', '--json', '--config', config);
  return rateOf(warehouse, 'sync');
}

async function byJob(round: number): Promise<number> {
  const { config, warehouse } = workplace(`job-${round}`);
  const worker = upstream.start('worker', '--quiet', '--config', config);
  while (!isDone(warehouse)) await sleep(100);
  worker.process.kill('SIGTERM');
  await worker.finished;
  return rateOf(warehouse, 'fetch-entities');
}

/** A configuration with a fresh copy of the warehouse that lists all companies. */
function workplace(name: string): { config: string; warehouse: string } {
  const warehouse = join(upstream.folder, `${name}.db`);
  copyFileSync(listed, warehouse);
  const config = upstream.configure(
    {
      warehouse,
      source: { name },
      ledger: join(upstream.folder, `${name}-ledger.db`),
      schedule: { stats: NEVER, sweep: NEVER, entities: NEVER },
      worker: { redis_url: redis.url, prefix: name, health_port: 0, job_time: '1h' },
    },
    `${name}.yaml`,
  );
  return { config, warehouse };
}

function isDone(warehouse: string): boolean {
  return (
    read(warehouse, "SELECT count(*) FROM _run WHERE command = 'fetch-entities' AND ended = 'done'") === 1
  );
}

/** Returns the calls per second during the run, according to `_run`. */
function rateOf(warehouse: string, command: string): number {
  const seconds = '(julianday(ended_at) - julianday(started_at)) * 86400';
  return Math.round(read(warehouse, `SELECT calls / (${seconds}) FROM _run WHERE command = '${command}'`));
}

function read(warehouse: string, sql: string): number {
  const db = new Sqlite(warehouse, { readonly: true });
  try {
    return Number(db.prepare(sql).pluck().get());
  } finally {
    db.close();
  }
}
