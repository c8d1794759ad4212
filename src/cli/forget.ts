import { Command } from 'commander';
import { systemClock } from '../clock.ts';
import { requireDialect } from '../config/config.ts';
import { UsageError } from '../errors.ts';
import { forget } from '../load/forget.ts';
import { exclusively } from '../operations/exclusive.ts';
import { counted } from '../report/figures.ts';
import { openWarehouse } from '../warehouse/warehouse.ts';
import { openContext, type SharedFlags, standardStreams, withSharedOptions } from './context.ts';
import { openAsker } from './questions.ts';

interface ForgetFlags extends SharedFlags {
  readonly yes?: boolean;
}

/** `forget ID`: erases entities for good. */
export function forgetCommand(): Command {
  const command = new Command('forget')
    .argument('<id...>', 'ids of entities')
    .summary('erase entities from answers, history, search and exports to come')
    .description(
      'Erases everything that the mirror holds of these entities, also inside stored answers. Their ids alone ' +
        'stay, so that they are not taken in again. It cannot be undone, and exports already made are not changed.',
    )
    .option('--yes', 'do not ask')
    .addHelpText(
      'after',
      '\nExamples:\n  $ registry-mirror forget 09876543\n  $ registry-mirror forget --yes A1 B2',
    )
    .action((ids: string[], flags: ForgetFlags) => forgetAll(ids, flags));
  return withSharedOptions(command);
}

async function forgetAll(ids: readonly string[], flags: ForgetFlags): Promise<void> {
  const { config, output } = openContext(flags);
  const dialect = requireDialect(config);
  if (!flags.yes) await confirm(ids);
  const clock = systemClock;
  const warehouse = openWarehouse({ path: config.warehouse, nowMs: clock.now() });
  try {
    const { forgotten } = await exclusively({ warehouse, clock, command: 'forget' }, () => ({
      ended: 'done',
      forgotten: ids.map((entityId) => ({
        entity_id: entityId,
        ...forget({ warehouse, dialect, entityId, nowMs: clock.now() }),
      })),
    }));
    output.result({
      command: 'forget',
      ok: true,
      data: { forgotten },
      text: forgotten
        .map(({ entity_id, rows, answers }) =>
          rows === 0
            ? `${entity_id} was not in the mirror, and will not be taken in.`
            : `${entity_id} is forgotten: ${counted(rows, 'row')} deleted, taken out of ${counted(answers, 'page')} of searches.`,
        )
        .join('\n'),
      attention: null,
    });
  } finally {
    warehouse.close();
  }
}

async function confirm(ids: readonly string[]): Promise<void> {
  if (!process.stdin.isTTY)
    throw new UsageError('forgetting cannot be undone', { hint: 'Add --yes where nobody can be asked.' });
  const asker = openAsker(process.stdin, standardStreams());
  const isSure = await asker.yes(`Erase everything about ${ids.join(', ')}, for good?`, false);
  asker.close();
  if (!isSure) throw new UsageError('nothing was forgotten');
}
