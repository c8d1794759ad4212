import { Command } from 'commander';
import { addScheduledJob, type QueueState, removeQueue, setPaused } from '../../../jobs/queue_control.ts';
import { JOB_SCHEDULES } from '../../../jobs/schedules.ts';
import { type Context, openContext, type SharedFlags, withSharedOptions } from '../context.ts';
import type { Output } from '../output.ts';

/** `worker run JOB`: adds a scheduled job to the queue now. */
export function runCommand(): Command {
  const command = new Command('run')
    .summary('add a scheduled job to the queue now')
    .argument('<job>', JOB_SCHEDULES.map(({ name }) => name).join(', '))
    .addHelpText('after', '\nExamples:\n  $ registry-mirror worker run sweep-search')
    .action(async (name: string, _flags: SharedFlags, self: Command) => {
      const { config, output } = await contextOf(self);
      const { job, ...state } = await addScheduledJob(config, name);
      print(output, 'worker run', state, `${name} was added to the queue ${state.queue} as job ${job}.`, {
        job,
      });
    });
  return withSharedOptions(command);
}

/** `worker pause`: pauses the queue. No job starts until `worker resume` is run. */
export function pauseCommand(): Command {
  return pausingCommand('pause', 'start no jobs until `worker resume`; a running job continues');
}

export function resumeCommand(): Command {
  return pausingCommand('resume', 'start jobs again after `worker pause`');
}

/** `worker remove QUEUE`: removes the queue of a registry that is no longer configured. */
export function removeCommand(): Command {
  const command = new Command('remove')
    .summary('remove the queue of a registry that is no longer configured from Redis')
    .argument('<queue>', 'the queue name, as in the log of `worker`')
    .addHelpText('after', '\nExamples:\n  $ registry-mirror worker remove isle-of-man.main')
    .action(async (queue: string, _flags: SharedFlags, self: Command) => {
      const { config, output } = await contextOf(self);
      await removeQueue(config, queue);
      const text = `Removed the queue ${queue} with its schedules and jobs. The warehouse and the ledger are unchanged.`;
      output.result({ command: 'worker remove', data: { queue }, text });
    });
  return withSharedOptions(command);
}

function pausingCommand(name: 'pause' | 'resume', summary: string): Command {
  const command = new Command(name)
    .summary(summary)
    .addHelpText('after', `\nExamples:\n  $ registry-mirror worker ${name}`)
    .action(async (_flags: SharedFlags, self: Command) => {
      const { config, output } = await contextOf(self);
      const state = await setPaused(config, name === 'pause');
      const text = state.isPaused ? '' : `The queue ${state.queue} is active.`;
      print(output, `worker ${name}`, state, text, {});
    });
  return withSharedOptions(command);
}

/**
 * Merges the options given to `worker` and to its subcommand, because users can write them before or after the
 * subcommand's name.
 */
function contextOf(command: Command): Promise<Context> {
  const { config, ...flags } = command.optsWithGlobals<
    Omit<SharedFlags, 'config'> & { config?: string | string[] }
  >();
  const [path] = [config].flat();
  return openContext({ ...flags, ...(path !== undefined && { config: path }) });
}

function print(
  output: Output,
  command: string,
  { queue, isPaused, isServed }: QueueState,
  text: string,
  data: object,
): void {
  const lines = [
    text,
    isPaused ? `The queue ${queue} is paused: no job starts until \`registry-mirror worker resume\`.` : '',
    isServed ? '' : 'No worker serves the queue. Start one: registry-mirror worker',
  ];
  output.result({
    command,
    data: { queue, ...data, paused: isPaused, served: isServed },
    text: lines.filter((line) => line !== '').join('\n'),
  });
}
