import { Command, InvalidArgumentError } from 'commander';
import { readWorkerStatus } from '../../jobs/worker_status.ts';
import { systemClock } from '../clock.ts';
import type { Config } from '../config/config.ts';
import { readStatus } from '../report/status_snapshot.ts';
import {
  interruptible,
  openContext,
  type SharedFlags,
  standardStreams,
  wholeNumber,
  withSharedOptions,
} from './context.ts';
import type { Output } from './output.ts';
import { statusData } from './status/status_data.ts';
import { describeStatus } from './status/status_text.ts';

interface StatusFlags extends SharedFlags {
  readonly runs?: number;
  readonly watch?: true | number;
}

/** `status`: what the mirror holds, what is left to spend, what is waiting, and how the last runs went. */
export function statusCommand(): Command {
  const command = new Command('status')
    .summary('coverage, freshness, allowance, schedules, runs and what needs attention; spends nothing')
    .option('--runs <n>', 'show so many of the last runs', wholeNumber, 5)
    .option('--watch [seconds]', 'show it again every so many seconds (2), until Ctrl-C', seconds)
    .addHelpText('after', EXAMPLES)
    .action((flags: StatusFlags) => status(flags));
  return withSharedOptions(command);
}

async function status(flags: StatusFlags): Promise<void> {
  const { config, output } = openContext(flags);
  if (flags.watch === undefined) return await show(config, output, flags);
  const everyMs = 1000 * (flags.watch === true ? 2 : flags.watch);
  const interruption = interruptible(() => {});
  try {
    while (!interruption.signal.aborted) {
      if (output.mode === 'text') standardStreams().stdout.write(CLEAR);
      await show(config, output, flags);
      await systemClock.sleep(everyMs, interruption.signal);
    }
  } finally {
    interruption.done();
  }
}

async function show(config: Config, output: Output, { runs = 5 }: StatusFlags): Promise<void> {
  const facts = await readStatus(config, {
    nowMs: systemClock.now(),
    runs,
    readWorker: readWorkerStatus,
  });
  output.result({
    command: 'status',
    ok: true,
    data: statusData(facts),
    text: describeStatus(facts, output),
    attention: null,
  });
}

// To the upper left corner, and all below away.
const CLEAR = '\x1b[H\x1b[J';

function seconds(text: string): number {
  const value = Number(text);
  if (!(value >= 0.5)) throw new InvalidArgumentError('It must be a number of seconds, at least 0.5.');
  return value;
}

const EXAMPLES = `
Examples:
  $ registry-mirror status
  $ registry-mirror status --watch
  $ registry-mirror status --runs 50                          the history of runs
  $ registry-mirror status --json | jq .data.coverage`;
