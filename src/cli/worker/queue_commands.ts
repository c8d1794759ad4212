import { Command } from '@commander-js/extra-typings';
import { addScheduledJob, type QueueState, removeQueue, setPaused } from '../../../jobs/queue_control.ts';
import { JOB_SCHEDULES } from '../../../jobs/schedules.ts';
import { define } from '../command.ts';
import { lines, type Result } from '../output.ts';

/** `worker run JOB`: adds a scheduled job to the queue now. */
export function runCommand(): Command {
  return define(
    'config',
    new Command('run')
      .summary('add a scheduled job to the queue now')
      .argument('<job>', JOB_SCHEDULES.map(({ name }) => name).join(', ')),
    async ({ config }, name) => {
      const { job, ...state } = await addScheduledJob(config, name);
      return stateResult(state, `${name} was added to the queue ${state.queue} as job ${job}.`, { job });
    },
  );
}

/** `worker pause` and `worker resume`: while the queue is paused, no job starts. */
export function pausingCommand(name: 'pause' | 'resume', summary: string): Command {
  return define('config', new Command(name).summary(summary), async ({ config }) => {
    const state = await setPaused(config, name === 'pause');
    return stateResult(state, state.isPaused ? null : `The queue ${state.queue} is active.`);
  });
}

/** `worker remove QUEUE`: removes the queue of a registry that is no longer configured. */
export function removeCommand(): Command {
  return define(
    'config',
    new Command('remove')
      .summary('remove the queue of a registry that is no longer configured from Redis')
      .argument('<queue>', 'the queue name, as in the log of `worker`'),
    async ({ config }, queue) => {
      await removeQueue(config, queue);
      const text = `Removed the queue ${queue} with its schedules and jobs. The warehouse and the ledger are unchanged.`;
      return { data: { queue }, text };
    },
  );
}

function stateResult(
  { queue, isPaused, isServed }: QueueState,
  text: string | null,
  data: object = {},
): Result {
  return {
    data: { queue, ...data, paused: isPaused, served: isServed },
    text: lines(
      text,
      isPaused && `The queue ${queue} is paused: no job starts until \`registry-mirror worker resume\`.`,
      !isServed && 'No worker serves the queue. Start one: registry-mirror worker',
    ),
  };
}
