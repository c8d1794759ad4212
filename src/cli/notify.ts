import { Command } from 'commander';
import { systemClock } from '../clock.ts';
import type { Config } from '../config/config.ts';
import type { Receiver } from '../config/receiver.ts';
import { UsageError } from '../errors.ts';
import { deliverDue, registerReceivers, sendSample } from '../notify/notify.ts';
import { notifyOptions } from '../operations/run.ts';
import { deliveryTable, type ReceiverStatus } from '../warehouse/deliveries.ts';
import { openWarehouse, type Warehouse } from '../warehouse/warehouse.ts';
import { openContext, type SharedFlags, withSharedOptions } from './context.ts';
import type { Result } from './output.ts';

/** `notify`: commands for the receivers under `notify:` in the configuration. */
export function notifyCommand(): Command {
  const command = new Command('notify')
    .description(
      'Each run ends by sending one digest to each receiver under `notify:` in the configuration. The digest ' +
        'lists new, changed and gone companies, and reports when the mirror fails or works again.',
    )
    .addHelpText('after', EXAMPLES);
  const add = (name: string, summary: string) => withSharedOptions(command.command(name)).summary(summary);
  add('test [name]', 'send a sample to one or all receivers, and re-enable those that accept it').action(
    (name: string | undefined, flags: SharedFlags) =>
      perform('test', flags, (context) => sendSamples(context, name)),
  );
  add('send', 'attempt due deliveries without starting a run').action((flags: SharedFlags) =>
    perform('send', flags, sendDue),
  );
  add('status', 'list the receivers and their deliveries').action((flags: SharedFlags) =>
    perform('status', flags, list),
  );
  return command;
}

const EXAMPLES = `
Examples:
  $ registry-mirror notify test
  $ registry-mirror notify status
  */5 * * * *  cd /srv/mirror && registry-mirror notify send --quiet      (in a crontab; retries failed deliveries)

Documentation:
  docs/notifications.md`;

interface ActionContext {
  readonly config: Config;
  readonly warehouse: Warehouse;
}

type ActionResult = Omit<Result, 'command'>;

async function perform(
  name: string,
  flags: SharedFlags,
  action: (context: ActionContext) => Promise<ActionResult> | ActionResult,
): Promise<void> {
  const { config, output } = await openContext(flags);
  if (config.notify.length === 0)
    throw new UsageError('the configuration has no receivers', {
      hint: 'Add them under `notify:` (docs/notifications.md).',
    });
  const warehouse = openWarehouse({ path: config.warehouse, nowMs: systemClock.now() });
  try {
    registerReceivers({ warehouse, receivers: config.notify });
    const result = await action({ config, warehouse });
    output.result({ command: `notify ${name}`, ...result });
    process.exitCode = result.error == null ? 0 : 1;
  } finally {
    warehouse.close();
  }
}

async function sendSamples(
  { config, warehouse }: ActionContext,
  name: string | undefined,
): Promise<ActionResult> {
  const options = notifyOptions({ config, warehouse, clock: systemClock });
  const results = await Promise.all(
    chosen(config.notify, name).map(async (receiver) => ({
      receiver: receiver.name,
      ...(await sendSample(options, receiver)),
    })),
  );
  const failed = results.filter(({ is }) => is === 'failed');
  const lines = results.map((result) =>
    result.is === 'delivered'
      ? `${result.receiver} accepted the sample.`
      : `${result.receiver} did not accept the sample: ${result.why}.`,
  );
  return {
    error: failed.length === 0 ? null : { message: lines.join('\n'), hint: null },
    data: {
      results: results.map(({ receiver, is, ...rest }) => ({
        receiver,
        delivered: is === 'delivered',
        ...('why' in rest && { why: rest.why }),
      })),
    },
    text: lines.join('\n'),
    attention: failed.length === 0 ? null : lines.join('\n'),
  };
}

function chosen(receivers: readonly Receiver[], name: string | undefined): readonly Receiver[] {
  const found = name === undefined ? receivers : receivers.filter((receiver) => receiver.name === name);
  if (found.length === 0)
    throw new UsageError(`there is no receiver ${name}`, {
      hint: `Receivers: ${receivers.map((receiver) => receiver.name).join(', ')}.`,
    });
  return found;
}

async function sendDue({ config, warehouse }: ActionContext): Promise<ActionResult> {
  const { delivered, failed } = await deliverDue(notifyOptions({ config, warehouse, clock: systemClock }));
  const text = `Delivered ${delivered}, failed ${failed}. Failed deliveries are retried.`;
  return { data: { delivered, failed }, text, attention: failed === 0 ? null : text };
}

function list({ config, warehouse }: ActionContext): ActionResult {
  const table = deliveryTable(warehouse.db);
  const receivers = config.notify.flatMap(({ name }) => table.status(name) ?? []);
  const disabled = receivers.filter(({ disabledAt }) => disabledAt !== null);
  return {
    data: {
      receivers: receivers.map(({ name, disabledAt, why, delivered, waiting, error }) => ({
        name,
        disabled_at: disabledAt,
        delivered,
        waiting,
        error: why ?? error,
      })),
    },
    text: receivers.map(lineOf).join('\n'),
    attention:
      disabled.length === 0
        ? null
        : disabled
            .map(
              ({ name, why }) =>
                `The receiver ${name} is disabled: ${why}. Test it: registry-mirror notify test ${name}`,
            )
            .join('\n'),
  };
}

function lineOf({ name, disabledAt, delivered, waiting, why, error }: ReceiverStatus): string {
  const state = disabledAt === null ? 'enabled' : `disabled since ${disabledAt}`;
  const last = why ?? error;
  return `${name}  ${state}, ${delivered} delivered, ${waiting} waiting${last === null ? '' : `; last error: ${last}`}`;
}
