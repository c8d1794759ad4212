import { rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { Command } from '@commander-js/extra-typings';
import { stringify } from 'yaml';
import { type Clock, systemClock } from '../clock.ts';
import type { ConfigInput } from '../config/config.ts';
import { configFrom } from '../config/load_config.ts';
import { DAY_MS, HOUR_MS } from '../durations.ts';
import { openWorkspace, type Workspace } from '../operations/assemble.ts';
import { type BackfillReport, keepBackfill, runBackfill } from '../operations/backfill.ts';
import { updateStoredEstimate } from '../operations/estimate.ts';
import { type RunReport, reportData, runEngine } from '../operations/run.ts';
import { count, counted, duration } from '../report/figures.ts';
import { changingRegistry } from '../sandbox/changing_registry.ts';
import { sampleCompanies } from '../sandbox/company_file.ts';
import { type Sandbox, startSandbox } from '../sandbox/sandbox.ts';
import { makeFolder } from '../sqlite/database_file.ts';
import { rows } from '../sqlite/statements.ts';
import { define } from './command.ts';
import type { Output, Result } from './output.ts';
import { showProgress } from './progress.ts';
import { describeReport, errorOf, exitCodeOf } from './run_report_text.ts';
import { labelled, tableLines } from './text_layout.ts';

/** `demo`: mirrors the sample registry completely, from a sandbox on this machine. */
export default () =>
  define(
    'alone',
    new Command('demo')
      .description(
        'Starts a sandbox with 1,000 sample companies on loopback and mirrors it completely into data/demo.db, as if ' +
          'it were yesterday. Then the registry changes, a second run at the current time updates the mirror, and a ' +
          'backfill asks for the deleted companies. The demo uses a paid account with a high rate and a daily allowance. ' +
          'It also writes data/demo.yaml, with which other commands can use the mirror.',
      )
      .option('--json', 'print one JSON document, even on a terminal')
      .option('-v, --verbose', 'also print each call'),
    async ({ output, untilInterrupted }) => {
      const folder = resolve('data');
      const paths = { warehouse: join(folder, 'demo.db'), ledger: join(folder, 'demo-ledger.db') };
      makeFolder(folder);
      for (const path of Object.values(paths))
        for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true });

      const clock = demoClock();
      const sandbox = await startSandbox({
        now: clock.now,
        companies: everyFourth(sampleCompanies()),
        profile: { summary: { fields: ['status', 'legal_form', 'registered_on', 'officers'] } },
        accounts: [{ id: 'main', tier: 'paid', perMinute: PER_MINUTE, perDay: PER_DAY }],
      });
      const configuration = { ...demoConfiguration(paths), dialect: sandbox.dialect };
      writeFileSync(join(folder, 'demo.yaml'), stringify(configuration), { mode: 0o600 });
      try {
        return await mirrorSandbox(
          sandbox,
          paths,
          clock,
          output,
          untilInterrupted('Finishing the in-flight calls …'),
        );
      } finally {
        await sandbox.close();
      }
    },
  );

/** The demo mirrors a part of the sample registry, so that it takes seconds. */
async function* everyFourth<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  let index = 0;
  for await (const item of items) if (index++ % 4 === 0) yield item;
}

/** The demo's clock, which shows a time in the past until `toPresent` is called. */
interface DemoClock extends Clock {
  toPresent(): void;
}

function demoClock(): DemoClock {
  let shiftMs = DAY_MS;
  return {
    ...systemClock,
    now: () => systemClock.now() - shiftMs,
    // Without a boot time, the ledger does not treat the step to the present as a clock error.
    boot: () => null,
    toPresent: () => {
      shiftMs = 0;
    },
  };
}

async function mirrorSandbox(
  sandbox: Sandbox,
  paths: { warehouse: string; ledger: string },
  clock: DemoClock,
  output: Output,
  signal: AbortSignal,
): Promise<Result> {
  const config = configFrom({
    ...demoConfiguration(paths),
    upstream: { base_url: sandbox.baseUrl, api_key: sandbox.keyOf('main'), concurrency: 64 },
    dialect: sandbox.dialect,
  });
  output.note(
    `The sandbox serves ${counted(sandbox.companies.count(), 'company', 'companies')} at ${sandbox.baseUrl}.`,
  );
  using workspace = openWorkspace(config, clock);
  const startedMs = systemClock.now();
  const mirror = () => {
    const { left } = workspace.ledger.state(clock.now());
    return runEngine(workspace, {
      command: 'demo',
      signal,
      onProgress: showProgress(output, clock, left),
    });
  };
  const first = await mirror();
  clock.toPresent();
  const registry = changingRegistry(sandbox.companies, CHANGES);
  const changes = registry.advance(HOUR_MS, clock.now());
  output.note('A day later, the registry has changed.');
  const second = await mirror();
  const deleted = changes.filter(({ kind }) => kind === 'deleted').map(({ id }) => id);
  const { run: third } = await refetch(workspace, deleted, signal);
  updateStoredEstimate(workspace, third);
  const elapsedMs = systemClock.now() - startedMs;
  const warehouse = relative(process.cwd(), paths.warehouse);
  const directors = rows<NewDirector>(workspace.warehouse.db, NEW_DIRECTORS);
  return resultOf([first, second, third], { output, warehouse, directors, elapsedMs });
}

/** Fetches the records of these companies again, even though the stored records are still fresh. */
function refetch(workspace: Workspace, ids: readonly string[], signal: AbortSignal): Promise<BackfillReport> {
  const { backfill } = keepBackfill(workspace, {
    title: counted(ids.length, 'id'),
    items: ids.map((given) => ({ kind: 'entity', searchedBy: null, given })),
    identity: 'demo',
    withRecords: true,
    freshForMs: 0,
  });
  const { backfillId } = backfill;
  return runBackfill(workspace, { backfillId, signal });
}

function resultOf(
  reports: readonly [RunReport, RunReport, RunReport],
  demo: {
    readonly output: Output;
    readonly warehouse: string;
    readonly directors: readonly NewDirector[];
    readonly elapsedMs: number;
  },
): Result {
  const { output, warehouse, directors, elapsedMs } = demo;
  const [first, second, third] = reports;
  const failed = reports.find((report) => exitCodeOf(report, false) !== 0) ?? first;
  const exitCode = exitCodeOf(failed, false);
  const tryIt = `sqlite3 -box ${warehouse} "${NEW_DIRECTORS}"`;
  const heading = (text: string) => output.style('bold', text);
  return {
    error: errorOf(failed, exitCode),
    data: {
      ...reportData(first),
      refresh: reportData(second),
      backfill: reportData(third),
      elapsed_ms: Math.round(elapsedMs),
      warehouse,
      try: tryIt,
    },
    text: [
      heading(`The first run, with ${count(PER_DAY)} calls a day`),
      describeReport(first, output),
      '',
      heading(`A day later, with another ${count(PER_DAY)} calls, after changes in the registry`),
      describeReport(second, output),
      '',
      heading('A backfill of the companies that left the registry'),
      describeReport(third, output),
      '',
      heading('In short'),
      labelled(
        'Mirrored',
        `${counted(first.totals.listed, 'company', 'companies')} with their records for ${counted(first.totals.calls, 'call')}.`,
      ),
      labelled(
        'Found',
        `${count(second.totals.listed)} new, ${count(second.totals.changed)} changed and ${count(second.totals.gone + third.totals.gone)} gone for ${counted(second.totals.calls + third.totals.calls, 'call')}, a day later.`,
      ),
      labelled('Took', `${duration(elapsedMs)}.`),
      '',
      heading('Ask the mirror: who became a director?'),
      `  ${tryIt}`,
      ...tableLines(
        [
          { header: 'company', shrinks: true, cell: ({ company }) => company },
          { header: 'director', cell: ({ director }) => director },
          { header: 'since', cell: ({ since }) => since },
        ],
        directors,
        output.columns,
      ).map((line) => `  ${line}`),
      '',
      heading('See it in the browser'),
      `  ${PROGRAM} serve --config ${join(dirname(warehouse), 'demo.yaml')}`,
    ].join('\n'),
    exitCode,
  };
}

/** The demo's configuration, without the sandbox's address. */
function demoConfiguration(paths: { readonly warehouse: string; readonly ledger: string }): ConfigInput {
  return {
    version: 1,
    source: { name: 'Sample registry', licence: 'CC0-1.0', attribution: 'Synthetic companies' },
    upstream: { base_url: 'http://127.0.0.1:9/api', api_key: 'sandbox-has-ended' },
    account: { tier: 'paid' },
    allowance: { per_minute: PER_MINUTE, per_day: PER_DAY, day_starts: '00:00 UTC' },
    // The registry is checked for changes every day.
    max_age: { stats: '12h', summaries: '12h' },
    ...paths,
  };
}

/** In a checkout, the sources run unbuilt and no program is installed. */
const PROGRAM = import.meta.filename.endsWith('.ts') ? 'npm run -s registry-mirror --' : 'registry-mirror';
const PER_MINUTE = 60_000;
const PER_DAY = 20_000;
/** How the registry changes between the two runs. */
const CHANGES = { rates: { changed: 30, appearing: 6, deleted: 4 }, seed: 7, shown: 1, appointed: 0.3 };

/** The question that the demo answers. A new element of a list is JSON. */
const NEW_DIRECTORS =
  "SELECT c.name AS company, after ->> 'name' AS director, after ->> 'since' AS since " +
  'FROM entity_change JOIN company c USING (entity_id) ' +
  "WHERE path LIKE '/officers/%' AND column_name IS NULL AND after ->> 'role' = 'director' ORDER BY c.name";

interface NewDirector {
  readonly company: string;
  readonly director: string;
  readonly since: string;
}
