import { Command } from 'commander';
import { systemClock } from '../clock.ts';
import { requireDialect } from '../config/config.ts';
import { reprocess } from '../load/reprocess.ts';
import { exclusively } from '../operations/exclusive.ts';
import { count, counted } from '../report/figures.ts';
import { openWarehouse } from '../warehouse/warehouse.ts';
import { interruptible, openContext, type SharedFlags, withSharedOptions } from './context.ts';

/** `reprocess`: rebuilds every table from the stored responses with the current dialect and mapping. */
export function reprocessCommand(): Command {
  const command = new Command('reprocess')
    .description(
      'Rebuilds every table from the stored responses, with the dialect and mapping in the configuration. Readers ' +
        'see the old tables until the new ones are complete. After an interruption, run the command again to ' +
        'continue.',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  $ registry-mirror reprocess            after changing the dialect or the mapping',
    )
    .action((flags: SharedFlags) => rebuild(flags));
  return withSharedOptions(command);
}

async function rebuild(flags: SharedFlags): Promise<void> {
  const { config, output } = await openContext(flags);
  const dialect = requireDialect(config);
  const clock = systemClock;
  const warehouse = openWarehouse({ path: config.warehouse, nowMs: clock.now() });
  const interruption = interruptible(() => output.note('Stopping after the current batch …'));
  try {
    const { calls, isWhole } = await exclusively({ warehouse, clock, command: 'reprocess' }, async () => {
      const done = await reprocess({
        warehouse,
        dialect,
        mapping: config.mapping,
        signal: interruption.signal,
        onProgress: (progress) => output.progress(`${count(progress.done)} responses processed`),
      });
      return { ...done, ended: done.isWhole ? 'done' : 'interrupted' };
    });
    const text = isWhole
      ? `Rebuilt all tables from ${counted(calls, 'stored response')}; no call was sent.`
      : `Stopped after ${counted(calls, 'stored response')}. Readers still see the old tables. To continue, run the command again.`;
    output.result({
      command: 'reprocess',
      error: isWhole ? null : { message: text, hint: null },
      data: { ended: isWhole ? 'done' : 'interrupted', calls },
      text,
      attention: isWhole ? null : text,
    });
    process.exitCode = isWhole ? 0 : 130;
  } finally {
    interruption.done();
    warehouse.close();
  }
}
