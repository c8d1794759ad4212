import { statSync } from 'node:fs';
import { Command } from 'commander';
import { systemClock } from '../clock.ts';
import { exclusively } from '../operations/exclusive.ts';
import { byteSize, counted } from '../report/figures.ts';
import { answerTable } from '../warehouse/answer.ts';
import { pruneAnswers, replacedBytes, vacuum } from '../warehouse/retention.ts';
import { type SpaceUse, spaceUse } from '../warehouse/space.ts';
import { openWarehouse } from '../warehouse/warehouse.ts';
import { openContext, type SharedFlags, withSharedOptions } from './context.ts';

/** `compact`: deletes responses that exceed the retention limits, and shrinks the file. */
export function compactCommand(): Command {
  const command = new Command('compact')
    .description(
      'Deletes replaced response bodies that exceed the limits in `retention:` (default: no limits), then ' +
        'rewrites the file without free pages. This needs as much free disk space as the file occupies. Readers are ' +
        'not blocked.',
    )
    .addHelpText('after', '\nExamples:\n  $ registry-mirror compact')
    .action((flags: SharedFlags) => compact(flags));
  return withSharedOptions(command);
}

const PURPOSES: readonly (readonly [keyof SpaceUse, string])[] = [
  ['responses', 'responses'],
  ['tables', 'tables for analysts'],
  ['companies', "companies' state"],
  ['search_index', 'search indexes'],
  ['other', 'calls and other'],
];

async function compact(flags: SharedFlags): Promise<void> {
  const { config, output } = await openContext(flags);
  const clock = systemClock;
  const warehouse = openWarehouse({ path: config.warehouse, nowMs: clock.now() });
  const sizeBefore = statSync(config.warehouse).size;
  const { answers: maxAge, versions } = config.retention;
  try {
    const { pruned, space, replaced } = await exclusively({ warehouse, clock, command: 'compact' }, () => {
      output.note('Rewriting the file …');
      const done =
        maxAge === null
          ? { answers: 0, bytes: 0 }
          : pruneAnswers(warehouse.db, { maxAgeMs: maxAge.ms, versions }, clock.now());
      const answers = answerTable(warehouse.db);
      if (config.responses.compress) answers.packAll();
      else answers.unpackAll();
      vacuum(warehouse.db);
      return {
        ended: 'done',
        pruned: done,
        space: spaceUse(warehouse.db),
        replaced: replacedBytes(warehouse.db),
      };
    });
    const sizeAfter = statSync(config.warehouse).size;
    output.result({
      command: 'compact',
      data: {
        answers_deleted: pruned.answers,
        bytes_before: sizeBefore,
        bytes_after: sizeAfter,
        space,
        replaced_bytes: replaced,
      },
      text: [
        `${counted(pruned.answers, 'response')} deleted. File size: ${byteSize(sizeBefore)} before, ${byteSize(sizeAfter)} after.`,
        `Space: ${PURPOSES.map(([purpose, label]) => `${label} ${byteSize(space[purpose])}`).join(', ')}.`,
        `Replaced responses: ${byteSize(replaced)}. The key \`retention.answers\` sets when compact deletes them.`,
      ].join('\n'),
    });
  } finally {
    warehouse.close();
  }
}
