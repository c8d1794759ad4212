import { statSync } from 'node:fs';
import { Command } from 'commander';
import { systemClock } from '../clock.ts';
import { exclusively } from '../operations/exclusive.ts';
import { byteSize, counted } from '../report/figures.ts';
import { pruneAnswers, vacuum } from '../warehouse/retention.ts';
import { openWarehouse } from '../warehouse/warehouse.ts';
import { openContext, type SharedFlags, withSharedOptions } from './context.ts';

/** `compact`: deletes what the retention allows, and gives the space back. */
export function compactCommand(): Command {
  const command = new Command('compact')
    .summary('delete answers past their retention, and give the space back')
    .description(
      'Deletes bodies that were replaced by later ones and are past `retention:` (none by default), and rewrites the ' +
        'file without its free pages. Needs as much free disk as the file is large; readers keep reading.',
    )
    .addHelpText('after', '\nExamples:\n  $ registry-mirror compact')
    .action((flags: SharedFlags) => compact(flags));
  return withSharedOptions(command);
}

async function compact(flags: SharedFlags): Promise<void> {
  const { config, output } = openContext(flags);
  const clock = systemClock;
  const warehouse = openWarehouse({ path: config.warehouse, nowMs: clock.now() });
  const sizeBefore = statSync(config.warehouse).size;
  const { answers: maxAge, versions } = config.retention;
  try {
    const { pruned } = await exclusively({ warehouse, clock, command: 'compact' }, () => {
      output.note('Rewriting the file …');
      const done =
        maxAge === null
          ? { answers: 0, bytes: 0 }
          : pruneAnswers(warehouse.db, { maxAgeMs: maxAge.ms, versions }, clock.now());
      vacuum(warehouse.db);
      return { ended: 'done', pruned: done };
    });
    const sizeAfter = statSync(config.warehouse).size;
    output.result({
      command: 'compact',
      ok: true,
      data: { answers_deleted: pruned.answers, bytes_before: sizeBefore, bytes_after: sizeAfter },
      text: `${counted(pruned.answers, 'answer')} deleted; the file went from ${byteSize(sizeBefore)} to ${byteSize(sizeAfter)}.`,
      attention: null,
    });
  } finally {
    warehouse.close();
  }
}
