import { Command } from 'commander';
import { openLogger } from '../../jobs/logger.ts';
import { STOP_WITHIN_MS, startWorker } from '../../jobs/worker.ts';
import { type Config, loadConfig } from '../config/config.ts';
import { standardStreams, wholeNumber } from './context.ts';
import { type Output, openOutput } from './output.ts';

interface WorkerFlags {
  readonly config?: readonly string[];
  readonly healthPort?: number;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** `worker`: scheduled jobs over Redis, until it is told to stop. */
export function workerCommand(): Command {
  return new Command('worker')
    .summary('keep the mirror up to date for good, by scheduled jobs (needs Redis)')
    .description(
      'Polls statistics, sweeps searches and fetches records at the times of `schedule:`, within the allowance. ' +
        'Several registries: give --config once for each. A second worker of the same registry stands by and takes ' +
        'over when the first dies. Logs go to standard error as JSON lines.',
    )
    .option('--config <file>', 'configuration file, once for each registry', collected)
    .option(
      '--health-port <n>',
      'port of /health, /ready, /metrics and /queues (default: worker.health_port)',
      wholeNumber,
    )
    .option('--json', 'print one JSON document at the end, also on a terminal')
    .option('--quiet', 'log warnings and errors only')
    .addHelpText('after', EXAMPLES)
    .action((flags: WorkerFlags) => work(flags));
}

async function work(flags: WorkerFlags): Promise<void> {
  const output = openOutput(flags, standardStreams());
  const configs = loadAll(flags);
  const log = openLogger(flags.quiet ? 'warn' : configs[0].worker.log_level);
  const ended = untilTold();
  const worker = await startWorker({ configs, log, onFatal: ended.fatal });
  for (const { name } of worker.registries) output.note(`Works on ${name}. Stop it with Ctrl-C or SIGTERM.`);
  if (worker.url !== null) output.note(`Dashboard: ${worker.url}/queues   Metrics: ${worker.url}/metrics`);

  const why = await ended.promise;
  if ('signal' in why) output.note(`Finishing what is in flight, at most ${STOP_WITHIN_MS / 1000} s …`);
  await worker.stop();
  if ('error' in why) throw why.error;
  printEnd(output, why.signal);
  // A connection that Redis never answered, or a call that was given up, must not keep the process.
  setImmediate(() => process.exit(0));
}

function loadAll({ config: paths, healthPort }: WorkerFlags): [Config, ...Config[]] {
  const flags = healthPort === undefined ? {} : { worker: { health_port: healthPort } };
  const [first, ...others] = paths ?? [undefined];
  return [loadConfig({ path: first, flags }), ...others.map((path) => loadConfig({ path, flags }))];
}

type Why = { readonly signal: NodeJS.Signals } | { readonly error: unknown };

/** Settles at the first SIGTERM or Ctrl-C, or when the worker cannot go on. A second signal ends the process at once. */
function untilTold(): { readonly promise: Promise<Why>; fatal(error: unknown): void } {
  const { promise, resolve } = Promise.withResolvers<Why>();
  let isTold = false;
  const hints = (signal: NodeJS.Signals) => {
    if (isTold) process.exit(130);
    isTold = true;
    resolve({ signal });
  };
  process.on('SIGINT', hints);
  process.on('SIGTERM', hints);
  return { promise, fatal: (error) => resolve({ error }) };
}

function printEnd(output: Output, signal: NodeJS.Signals): void {
  output.result({
    command: 'worker',
    ok: true,
    data: { ended: 'stopped', signal },
    text: 'Stopped. What was in flight is loaded; the next worker goes on from there.',
    attention: null,
  });
}

function collected(path: string, paths: readonly string[] | undefined): readonly string[] {
  return [...(paths ?? []), path];
}

const EXAMPLES = `
Examples:
  $ registry-mirror worker
  $ registry-mirror worker --config norway.yaml --config denmark.yaml --health-port 9000
  $ docker compose up -d                 Redis, worker and page together

Redis 7 or newer is needed: under worker.redis_url, with an append-only file and maxmemory-policy noeviction.
Without Redis, \`registry-mirror sync\` from cron does the same work; both together are safe.

Exit codes: 0 stopped by a signal; 1 failed; 2 usage, configuration, or no Redis at the start.`;
