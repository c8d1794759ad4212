import { Command } from '@commander-js/extra-typings';
import { UsageError } from '../errors.ts';
import { deliverDue, registerReceivers, sendSample } from '../notify/notify.ts';
import { Deliveries, type ReceiverStatus } from '../warehouse/deliveries.ts';
import { define, type WithWarehouse } from './command.ts';
import { lines, type Result, snakeKeys } from './output.ts';

/** `notify`: commands for the receivers under `notify:` in the configuration. */
export default () =>
  new Command('notify')
    .description(
      'Each run ends by sending one digest to each receiver under `notify:` in the configuration. The digest ' +
        'lists new, changed and gone companies, and reports when the mirror fails or works again.',
    )
    .addHelpText('after', EXAMPLES)
    .addCommand(
      define(
        'writer',
        new Command('test')
          .summary('send a sample to one or all receivers, and re-enable those that accept it')
          .argument('[name]'),
        (opened, name) => sendSamples(opened, name),
      ),
    )
    .addCommand(
      define('writer', new Command('send').summary('attempt due deliveries without starting a run'), sendDue),
    )
    .addCommand(
      define('writer', new Command('status').summary('list the receivers and their deliveries'), list),
    );

const EXAMPLES = `
Examples:
  $ registry-mirror notify test
  $ registry-mirror notify status
  */5 * * * *  cd /srv/mirror && registry-mirror notify send --quiet      (in a crontab; retries failed deliveries)

Documentation:
  docs/notifications.md`;

/** Returns the configured receivers, and stores new ones in the warehouse. */
function receiversOf({ config, warehouse }: WithWarehouse) {
  if (config.notify.length === 0)
    throw new UsageError('the configuration has no receivers', {
      hint: 'Add them under `notify:` (docs/notifications.md).',
    });
  registerReceivers({ warehouse, config });
  return config.notify;
}

async function sendSamples(opened: WithWarehouse, name: string | undefined): Promise<Result> {
  const receivers = receiversOf(opened);
  const chosen = receivers.filter((receiver) => name === undefined || receiver.name === name);
  if (chosen.length === 0)
    throw new UsageError(`there is no receiver ${name}`, {
      hint: `Receivers: ${receivers.map((receiver) => receiver.name).join(', ')}.`,
    });
  const results = await Promise.all(
    chosen.map(async (receiver) => ({ receiver, sent: await sendSample(opened, receiver) })),
  );
  const text = lines(
    ...results.map(({ receiver, sent }) =>
      sent.is === 'delivered'
        ? `${receiver.name} accepted the sample.`
        : `${receiver.name} did not accept the sample: ${sent.why}.`,
    ),
  );
  const hasFailed = results.some(({ sent }) => sent.is === 'failed');
  return {
    error: hasFailed ? { message: text, hint: null } : null,
    data: {
      results: results.map(({ receiver, sent }) => ({
        receiver: receiver.name,
        delivered: sent.is === 'delivered',
        ...('why' in sent && { why: sent.why }),
      })),
    },
    text,
    attention: hasFailed ? text : null,
  };
}

async function sendDue(opened: WithWarehouse): Promise<Result> {
  receiversOf(opened);
  const { delivered, failed } = await deliverDue(opened);
  const text = `Delivered ${delivered}, failed ${failed}. Failed deliveries are retried.`;
  return { data: { delivered, failed }, text, attention: failed === 0 ? null : text };
}

function list(opened: WithWarehouse): Result {
  const table = new Deliveries(opened.db);
  const receivers = receiversOf(opened).flatMap(({ name }) => table.status(name) ?? []);
  const disabled = receivers.filter(({ disabledAt }) => disabledAt !== null);
  const attention = disabled.map(
    ({ name, why }) =>
      `The receiver ${name} is disabled: ${why}. Test it: registry-mirror notify test ${name}`,
  );
  return {
    data: {
      receivers: receivers.map(({ name, disabledAt, why, delivered, waiting, error }) =>
        snakeKeys({ name, disabledAt, delivered, waiting, error: why ?? error }),
      ),
    },
    text: lines(...receivers.map(lineOf)),
    attention: attention.length === 0 ? null : lines(...attention),
  };
}

function lineOf({ name, disabledAt, delivered, waiting, why, error }: ReceiverStatus): string {
  const state = disabledAt === null ? 'enabled' : `disabled since ${disabledAt}`;
  const last = why ?? error;
  return `${name}  ${state}, ${delivered} delivered, ${waiting} waiting${last === null ? '' : `; last error: ${last}`}`;
}
