import { Command } from '@commander-js/extra-typings';
import { requireDialect } from '../config/config.ts';
import { reprocess } from '../load/reprocess.ts';
import { exclusively } from '../operations/locked_run.ts';
import { count, counted } from '../report/figures.ts';
import { define } from './command.ts';
import { checkMapping } from './doctor/mapping.ts';
import { lines } from './output.ts';

/** `reprocess`: rebuilds every table from the stored responses with the current dialect and mapping. */
export default () =>
  define(
    'writer',
    new Command('reprocess')
      .description(
        'Rebuilds every table from the stored responses, with the dialect and mapping in the configuration. Readers ' +
          'see the old tables until the new ones are complete. After an interruption, run the command again to ' +
          'continue.',
      )
      .addHelpText(
        'after',
        '\nExamples:\n  $ registry-mirror reprocess            after changing the dialect or the mapping',
      ),
    async ({ config, clock, output, warehouse, untilInterrupted }) => {
      const dialect = requireDialect(config);
      const signal = untilInterrupted('Stopping after the current batch …');
      const { calls, ended } = await exclusively({ warehouse, clock, command: 'reprocess' }, async () => {
        const onProgress = ({ done }: { done: number }) =>
          output.progress(`${count(done)} responses processed`);
        const done = await reprocess({ warehouse, dialect, mapping: config.mapping, signal, onProgress });
        return { ...done, ended: done.isWhole ? 'done' : 'interrupted' };
      });
      if (ended === 'done') {
        const rebuilt = `Rebuilt all tables from ${counted(calls, 'stored response')}; no call was sent.`;
        const misses = checkMapping(warehouse.db, config.mapping)
          .filter(({ status }) => status === 'warning')
          .map(({ message, remedy }) => `Warning: ${message}. ${remedy}`);
        return { data: { ended, calls }, text: lines(rebuilt, ...misses) };
      }
      const text = `Stopped after ${counted(calls, 'stored response')}. Readers still see the old tables. To continue, run the command again.`;
      const error = { message: text, hint: null };
      return { error, data: { ended, calls }, text, attention: text, exitCode: 130 };
    },
  );
