import { Command } from 'commander';
import { systemClock } from '../clock.ts';
import { requireDialect } from '../config/config.ts';
import { UsageError } from '../errors.ts';
import { forget } from '../load/forget.ts';
import { exclusively } from '../operations/exclusive.ts';
import { counted } from '../report/figures.ts';
import { openWarehouse } from '../warehouse/warehouse.ts';
import { openContext, type SharedFlags, withSharedOptions } from './context.ts';
import { standardStreams } from './output.ts';
import { openAsker } from './questions.ts';

interface ForgetFlags extends SharedFlags {
  readonly yes?: boolean;
}

/** `forget ID`: erases entities permanently. */
export function forgetCommand(): Command {
  const command = new Command('forget')
    .argument('<id...>', 'ids of entities')
    .description(
      'Erases all data of these entities, also inside stored responses. Only their ids stay, so that they are not ' +
        'loaded again. This cannot be undone. Existing exports are not changed.',
    )
    .option('--yes', 'do not ask for confirmation')
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
            ? `${entity_id} was not in the mirror and will not be loaded.`
            : `${entity_id} is erased: ${counted(rows, 'row')} deleted, removed from ${counted(answers, 'search page')}.`,
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
    throw new UsageError('erasing cannot be undone and needs a confirmation', { hint: 'Add --yes.' });
  const asker = openAsker(process.stdin, standardStreams());
  const isSure = await asker.yes(`Erase all data of ${ids.join(', ')} permanently?`, false);
  asker.close();
  if (!isSure) throw new UsageError('not confirmed; nothing was erased');
}
