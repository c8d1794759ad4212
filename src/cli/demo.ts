import { rmSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { Command } from 'commander';
import { configFrom } from '../config/config.ts';
import { openWorkspace } from '../operations/assemble.ts';
import { ALL_KINDS, run } from '../operations/run.ts';
import { type RunReport, reportData } from '../operations/run_report.ts';
import { counted, duration } from '../report/figures.ts';
import { type Sandbox, startSandbox } from '../sandbox/sandbox.ts';
import { makeFolder } from '../sqlite/database_file.ts';
import { interruptible, type SharedFlags } from './context.ts';
import { type Output, openOutput, standardStreams } from './output.ts';
import { showProgress } from './progress.ts';
import { describeReport, exitCodeOf, yieldOfCalls } from './run_report.ts';

/** `demo`: mirrors the sample registry completely, from a sandbox on this machine. */
export function demoCommand(): Command {
  return new Command('demo')
    .description(
      'Starts the sandbox with the sample registry on loopback and mirrors it completely into data/demo.db. Its paid ' +
        'account has a high rate and a daily allowance.',
    )
    .option('--json', 'print one JSON document, also on a terminal')
    .addHelpText('after', '\nExamples:\n  $ registry-mirror demo')
    .action((flags: SharedFlags) => demo(flags));
}

async function demo(flags: SharedFlags): Promise<void> {
  const output = openOutput(flags, standardStreams());
  const folder = resolve('data');
  const paths = { warehouse: join(folder, 'demo.db'), ledger: join(folder, 'demo-ledger.db') };
  makeFolder(folder);
  for (const path of Object.values(paths))
    for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true });

  const sandbox = await startSandbox({
    accounts: [{ id: 'main', tier: 'paid', perMinute: PER_MINUTE, perDay: PER_DAY }],
  });
  try {
    await mirrorSandbox(sandbox, paths, output);
  } finally {
    await sandbox.close();
  }
}

async function mirrorSandbox(sandbox: Sandbox, paths: { warehouse: string; ledger: string }, output: Output) {
  const config = configFrom({
    version: 1,
    source: { name: 'Sample registry', licence: 'CC0-1.0', attribution: 'Synthetic companies' },
    upstream: { base_url: sandbox.baseUrl, api_key: sandbox.keyOf('main'), concurrency: 16 },
    account: { tier: 'paid' },
    allowance: { per_minute: PER_MINUTE, per_day: PER_DAY, day_starts: '00:00 UTC' },
    dialect: sandbox.dialect,
    ...paths,
  });
  output.note(
    `The sandbox serves ${counted(sandbox.companies.count(), 'company', 'companies')} at ${sandbox.baseUrl}.`,
  );
  const workspace = openWorkspace(config);
  const interruption = interruptible(() => output.note('Finishing the in-flight calls …'));
  const startedMs = workspace.clock.now();
  try {
    const state = workspace.ledger.state(startedMs);
    output.note(yieldOfCalls(state, config, Infinity));
    const report = await run(workspace, {
      command: 'demo',
      purpose: 'scheduled',
      kinds: ALL_KINDS,
      focus: 'coverage',
      maxCalls: Infinity,
      maxMinutes: Infinity,
      signal: interruption.signal,
      onProgress: showProgress(output, {
        startedMs,
        maxCalls: state.left,
        now: () => workspace.clock.now(),
      }),
    });
    printReport(report, output, relative(process.cwd(), paths.warehouse), workspace.clock.now() - startedMs);
  } finally {
    interruption.done();
    workspace.close();
  }
}

function printReport(report: RunReport, output: Output, warehouse: string, elapsedMs: number): void {
  const exitCode = exitCodeOf(report, false);
  const query = 'SELECT entity_id, name, state, fetched_at FROM entity_overview ORDER BY name LIMIT 5';
  const tryIt = `sqlite3 -box ${warehouse} "${query}"`;
  output.result({
    command: 'demo',
    ok: exitCode === 0,
    data: { ...reportData(report), elapsed_ms: Math.round(elapsedMs), warehouse, try: tryIt },
    text: [
      describeReport(report, output),
      `  time    ${duration(elapsedMs)}`,
      '',
      `The mirror is ${warehouse}. Query it with any SQLite tool:`,
      `  ${tryIt}`,
    ].join('\n'),
    attention: null,
  });
  process.exitCode = exitCode;
}

const PER_MINUTE = 60_000;
const PER_DAY = 20_000;
