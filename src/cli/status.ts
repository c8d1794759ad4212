import { Command } from 'commander';
import { readWorkerStatus, type WorkerStatus } from '../../jobs/status.ts';
import { openHouse } from '../assemble.ts';
import { isoTime } from '../clock.ts';
import { readCoverage } from '../warehouse/coverage.ts';
import { recentRuns } from '../warehouse/run.ts';
import { openContext, type SharedFlags, withSharedOptions } from './context.ts';
import { count, counted, localTime, percent } from './format.ts';

/** `status`: what the mirror holds, what is left to spend, and how the last runs went. */
export function statusCommand(): Command {
  const command = new Command('status')
    .summary('coverage, allowance and the last runs; spends nothing')
    .addHelpText(
      'after',
      '\nExamples:\n  $ registry-mirror status\n  $ registry-mirror status --json | jq .data.coverage',
    )
    .action((flags: SharedFlags) => status(flags));
  return withSharedOptions(command);
}

async function status(flags: SharedFlags): Promise<void> {
  const { config, output } = openContext(flags);
  const house = openHouse(config);
  try {
    const worker = await readWorkerStatus(config, house.warehouse, house.clock.now());
    const coverage = readCoverage(house.warehouse.db);
    const state = house.ledger.state(house.clock.now());
    const runs = recentRuns(house.warehouse.db, 5);
    const share =
      coverage.knownShare === null
        ? ''
        : ` (${percent(Math.min(1, coverage.knownShare))} of ${count(coverage.registryTotal ?? 0)})`;
    const text = [
      output.style('bold', config.source.name),
      `  coverage   ${counted(coverage.known, 'company', 'companies')}${share}, ${counted(coverage.fetched, 'record')}, ${count(coverage.gone)} gone`,
      ...state.windows.map(
        ({ name, limit, spent, left, resetsAtMs }) =>
          `  allowance  ${count(spent)} of ${count(limit)} spent (${name}), ${count(left)} left${resetsAtMs === null ? '' : `, resets ${localTime(resetsAtMs)}`}`,
      ),
      ...runs.map(
        (row) =>
          `  run        ${row.startedAt}  ${row.command}  ${row.ended ?? 'running, or killed'}  ${counted(row.calls, 'call')}`,
      ),
      ...describeWorker(worker),
    ].join('\n');
    const data = {
      coverage,
      allowance: {
        left: state.left === Infinity ? null : state.left,
        resumes_at: state.resumesAtMs === null ? null : isoTime(state.resumesAtMs),
        windows: state.windows.map(({ name, limit, spent, left, resetsAtMs }) => ({
          name,
          limit,
          spent,
          left,
          resets_at: resetsAtMs === null ? null : isoTime(resetsAtMs),
        })),
      },
      runs,
      worker,
    };
    output.result({ command: 'status', ok: true, data, text, attention: null });
  } finally {
    house.close();
  }
}

function describeWorker(worker: WorkerStatus | null): string[] {
  if (worker === null) return [];
  const { leader, schedules } = worker;
  const who = leader === null ? 'none runs' : `${leader.worker} since ${leader.since}`;
  return [
    `  worker     ${who}`,
    ...schedules.map(
      ({ name, pattern, timezone, last_at, next_at }) =>
        `  schedule   ${name}  ${pattern} ${timezone}  last ${last_at ?? 'never'}  next ${localTime(Date.parse(next_at))}`,
    ),
  ];
}
