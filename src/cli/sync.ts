import { Command } from 'commander';
import { openHouse } from '../assemble.ts';
import { requireDialect } from '../config.ts';
import { ALL_KINDS, type RunReport, reportData, run } from '../run.ts';
import {
  interruptible,
  openContext,
  type SharedFlags,
  withSharedOptions,
  withSpendingOptions,
} from './context.ts';
import type { Output } from './output.ts';
import { showProgress } from './progress.ts';
import { attentionOf, describeReport, exitCodeOf, whatCallsBuy } from './report.ts';

interface SyncFlags extends SharedFlags {
  readonly maxCalls?: number;
  readonly maxMinutes?: number;
  readonly focus?: 'coverage' | 'records' | 'freshness';
  readonly strict?: boolean;
}

/** `sync`: one run over everything that is due, for cron or by hand. */
export function syncCommand(): Command {
  const command = new Command('sync')
    .summary('bring the mirror up to date, within the allowance')
    .description(
      'Plans which calls are worth most, makes them within rate and allowance, and loads what they brought. ' +
        'Ends when nothing is due, the allowance is spent, or a bound is reached; the next run goes on from there.',
    )
    .option('--strict', 'exit 75 when paused by the allowance, and 1 when nothing could be loaded')
    .addHelpText('after', EXAMPLES)
    .action((flags: SyncFlags) => sync(flags));
  return withSpendingOptions(withSharedOptions(command));
}

async function sync(flags: SyncFlags): Promise<void> {
  const { config, output } = openContext(flags);
  requireDialect(config);
  const house = openHouse(config);
  const interruption = interruptible(() =>
    output.note('Finishing what is in flight (Ctrl-C again to stop at once) …'),
  );
  try {
    const state = house.ledger.state(house.clock.now());
    output.note(whatCallsBuy(state, config, flags.maxCalls ?? Infinity));
    const report = await run(house, {
      command: 'sync',
      purpose: 'scheduled',
      kinds: ALL_KINDS,
      focus: flags.focus ?? config.focus,
      maxCalls: flags.maxCalls ?? Infinity,
      maxMinutes: flags.maxMinutes ?? Infinity,
      signal: interruption.signal,
      onProgress: showProgress(output, {
        startedMs: house.clock.now(),
        callsLeft: state.left,
        now: () => house.clock.now(),
      }),
    });
    printReport(report, flags, output);
  } finally {
    interruption.done();
    house.close();
  }
}

function printReport(report: RunReport, flags: SyncFlags, output: Output): void {
  const exitCode = exitCodeOf(report, flags.strict ?? false);
  output.result({
    command: 'sync',
    ok: exitCode === 0 || exitCode === 3,
    data: reportData(report),
    text: describeReport(report, output),
    attention: attentionOf(report, exitCode),
  });
  process.exitCode = exitCode;
}

const EXAMPLES = `
Examples:
  $ registry-mirror sync
  $ registry-mirror sync --max-calls 20 --focus records
  17 * * * *  cd /srv/mirror && registry-mirror sync --quiet      (in a crontab: mails only what needs attention)

Exit codes: 0 done, or paused because the allowance is spent; 1 failed; 2 usage or configuration;
3 done, with answers in quarantine; 75 paused, under --strict; 130 interrupted.`;
