import { once } from 'node:events';
import { Writable } from 'node:stream';
import { Command } from '@commander-js/extra-typings';
import { addScheduledJob, type QueueState, removeQueue, setPaused } from '../../jobs/queue_control.ts';
import { STOP_WITHIN_MS, startWorker } from '../../jobs/worker.ts';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load_config.ts';
import { JOB_SCHEDULES } from '../report/schedules.ts';
import { describeUpgrade, upgradeWarehouse } from '../warehouse/upgrade.ts';
import { type Basics, define, portNumber, repeated } from './command.ts';
import { captureConsole, openLogger } from './log.ts';
import { lines, printError, type Result, standardStreams } from './output.ts';

/** `worker`: runs scheduled jobs from a queue in Redis until a signal stops it. */
export default () =>
  define(
    'alone',
    new Command('worker')
      .description(
        'Polls statistics, sweeps searches and fetches records at the times set in `schedule:`, within the allowance. ' +
          'For several registries, repeat --config. A second worker for the same registry is on standby and takes ' +
          'over when the first one stops. Logs go to standard error: as text on a terminal, and otherwise as JSON lines.',
      )
      // Options after a subcommand's name belong to the subcommand.
      .enablePositionalOptions()
      .option('--config <file>', 'configuration file; repeat for each registry', repeated)
      .option(
        '--health-port <n>',
        'port for /health, /ready, /metrics and /queues (default: worker.health_port)',
        portNumber,
      )
      .option('--json', 'print one JSON document at the end, and log JSON lines even on a terminal')
      .option('--quiet', 'log warnings and errors only')
      .option('-v, --verbose', 'log every call')
      .addCommand(runCommand())
      .addCommand(pausingCommand('pause', 'start no jobs until `worker resume`; a running job continues'))
      .addCommand(pausingCommand('resume', 'start jobs again after `worker pause`'))
      .addCommand(removeCommand())
      .addHelpText('after', EXAMPLES),
    (basics, flags) => work(flags as WorkerFlags, basics),
  );

const EXAMPLES = `
Examples:
  $ registry-mirror worker
  $ registry-mirror worker --config norway.yaml --config denmark.yaml --health-port 9000
  $ registry-mirror worker run sweep-search
  $ registry-mirror worker pause

Redis 6 or newer, preferably 7, is required at worker.redis_url, with an append-only file and maxmemory-policy noeviction.
Without Redis, run \`registry-mirror sync\` from cron. Use one of them for each registry.

Exit codes: 0 stopped by a signal; 1 failed; 2 usage, configuration, or no Redis at the start.`;

interface WorkerFlags {
  readonly config?: string | readonly string[];
  readonly healthPort?: number;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
}

async function work(flags: WorkerFlags, basics: Basics): Promise<void> {
  const { output, print } = basics;
  try {
    print({
      data: { ended: 'stopped', signal: await serve(flags, basics) },
      text: 'Stopped: all received responses are loaded. The next worker continues.',
    });
    // Exit explicitly, because a hanging Redis connection or an abandoned call could keep the process alive.
    setImmediate(() => process.exit(0));
  } catch (error) {
    const streams = standardStreams();
    process.exitCode = printError(error, 'worker', output, { ...streams, stderr: logLines(streams.stderr) });
    setImmediate(() => process.exit());
  }
}

/** Returns a stream that logs each text, because standard error contains only JSON lines without a terminal. */
function logLines(stderr: NodeJS.WriteStream): NodeJS.WriteStream {
  if (stderr.isTTY) return stderr;
  const log = openLogger('error');
  return new Writable({
    write: (text, _encoding, done) => {
      log.fatal(String(text).trim());
      done();
    },
  }) as NodeJS.WriteStream;
}

/** Serves the queues until a signal, and returns its name. */
async function serve(flags: WorkerFlags, { output, clock, untilInterrupted }: Basics): Promise<string> {
  const configs = loadAll(flags);
  const level = flags.quiet ? 'warn' : flags.verbose ? 'debug' : configs[0].worker.log_level;
  const log = openLogger(level, output.mode !== 'json' && process.stderr.isTTY);
  captureConsole(log);
  for (const { warehouse } of configs) {
    const upgrade = upgradeWarehouse(warehouse, clock.now());
    if (upgrade !== null) log.info(describeUpgrade(upgrade));
  }
  const signal = untilInterrupted(`Finishing the in-flight calls, at most ${STOP_WITHIN_MS / 1000} s …`);
  const { promise: failed, reject: onFatal } = Promise.withResolvers<never>();
  const worker = await startWorker({ configs, log, onFatal });
  for (const { name } of worker.registries)
    output.note(`Serving the queue for ${name}. Stop with Ctrl-C or SIGTERM.`);
  if (worker.url !== null) output.note(`Dashboard: ${worker.url}/queues   Metrics: ${worker.url}/metrics`);
  try {
    if (!signal.aborted) await Promise.race([once(signal, 'abort'), failed]);
  } finally {
    await worker.stop();
  }
  return signal.reason;
}

function loadAll({ config: paths, healthPort }: WorkerFlags): [Config, ...Config[]] {
  const load = (path: string | undefined): Config => {
    const config = loadConfig({ path });
    return { ...config, worker: { ...config.worker, health_port: healthPort ?? config.worker.health_port } };
  };
  const [first, ...others] = [paths].flat();
  return [load(first), ...others.map(load)];
}

/** `worker run JOB`: adds a scheduled job to the queue now. */
function runCommand(): Command {
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
function pausingCommand(name: 'pause' | 'resume', summary: string): Command {
  return define('config', new Command(name).summary(summary), async ({ config }) => {
    const state = await setPaused(config, name === 'pause');
    return stateResult(state, state.isPaused ? null : `The queue ${state.queue} is active.`);
  });
}

/** `worker remove QUEUE`: removes the queue of a registry that is no longer configured. */
function removeCommand(): Command {
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
