import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import Sqlite from 'better-sqlite3';
import { stringify } from 'yaml';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { busiestMinute } from '../bench/worker/busiest_minute.ts';
import { sandboxConfiguration } from '../support/sandbox_configuration.ts';
import { earlyRecords, type SentCall, soonerThanRate } from './rate_checks.ts';
import { accountOf, PER_DAY, type Trial } from './rate_upstream.ts';

/** The result of one run, from the upstream's counts and the run's warehouse. */
export interface TrialResult {
  readonly trial: Trial;
  /** `max_calls`, or why the run failed. */
  readonly ended: string;
  readonly calls: Readonly<Record<SentCall['kind'], number>>;
  readonly listed: number;
  readonly fetched: number;
  /** The highest number of arrivals in any 60 seconds. */
  readonly peakMinute: number;
  /** How many arrivals exceeded the run's call limit, plus how many requests the upstream rejected. */
  readonly overAllowance: number;
  /** How many calls arrived before their slot. */
  readonly tooSoon: number;
  /** How many record calls were sent although a search was expected to find companies. */
  readonly earlyRecords: number;
  /** How many of them were sent while a search waited for its response. */
  readonly duringSearch: number;
  /** The highest expected yield of any search when one of them was sent. */
  readonly bestSearch: number;
}

/** Runs `sync` in its own process with an empty warehouse. */
export async function runTrial(trial: Trial, sandbox: Sandbox, parent: string): Promise<TrialResult> {
  const folder = join(parent, `${trial.rule.replaceAll(' ', '-')}-${accountOf(trial)}`);
  mkdirSync(folder);
  const ended = await sync(trial, writeConfiguration(trial, sandbox, folder));
  const arrivals = sandbox.arrivals().filter(({ account }) => account === accountOf(trial));
  const timesMs = arrivals.map(({ at }) => at);
  const rejected = arrivals.filter(({ status }) => status !== null && status >= 400).length;
  const { calls, listed, fetched } = readWarehouse(join(folder, 'warehouse.db'));
  const early = earlyRecords(calls, { listed, companies: sandbox.companies.count() });
  const count = (kind: SentCall['kind']) => calls.filter((call) => call.kind === kind).length;
  return {
    trial,
    ended,
    calls: { stats: count('stats'), search: count('search'), entity: count('entity') },
    listed,
    fetched,
    peakMinute: busiestMinute(timesMs),
    overAllowance: Math.max(0, arrivals.length - trial.maxCalls) + rejected,
    tooSoon: soonerThanRate(timesMs, trial.perMinute),
    earlyRecords: early.length,
    duringSearch: early.filter((record) => record.isDuringSearch).length,
    bestSearch: Math.max(0, ...early.map((record) => record.bestSearch)),
  };
}

function writeConfiguration(trial: Trial, sandbox: Sandbox, folder: string): string {
  const configuration = sandboxConfiguration(sandbox, folder, accountOf(trial));
  const path = join(folder, 'registry-mirror.yaml');
  writeFileSync(
    path,
    stringify({
      ...configuration,
      upstream: { ...configuration.upstream, concurrency: trial.connections },
      allowance: { per_minute: trial.perMinute, per_day: PER_DAY },
      focus: 'coverage',
    }),
  );
  return path;
}

async function sync({ maxCalls }: Trial, config: string): Promise<string> {
  const args = ['sync', '--json', '--max-calls', String(maxCalls), '--config', config];
  const child = spawn(process.execPath, ['src/cli/bin.js', ...args], {
    cwd: resolve(import.meta.dirname, '../..'),
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const code = await new Promise<number | null>((closed) => child.once('close', closed));
  if (code !== 0) return `exit ${code}: ${stderr.trim().split('\n').at(-1)}`;
  return (JSON.parse(stdout) as { data: { ended: string } }).data.ended;
}

function readWarehouse(path: string) {
  const db = new Sqlite(path, { readonly: true });
  try {
    const calls = db
      .prepare<[], Omit<SentCall, 'sentAtMs'> & { sentAt: string }>(
        `SELECT kind, reason, expected, new, ms, sent_at AS sentAt FROM _call
         WHERE outcome <> 'unsent' ORDER BY sent_at, call_id`,
      )
      .all()
      .map(({ sentAt, ...call }) => ({ ...call, sentAtMs: Date.parse(sentAt) }));
    const count = (table: string) => db.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number;
    return { calls, listed: count('search_result'), fetched: count('entity') };
  } finally {
    db.close();
  }
}
