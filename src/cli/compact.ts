import { statSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { Command } from '@commander-js/extra-typings';
import { FailedError } from '../errors.ts';
import { exclusively } from '../operations/locked_run.ts';
import { spaceText } from '../report/fact_table.ts';
import { byteSize, counted } from '../report/figures.ts';
import { answerTable } from '../warehouse/answer.ts';
import { spaceUse } from '../warehouse/file_facts.ts';
import { pruneAnswers, replacedBytes, vacuum } from '../warehouse/retention.ts';
import { define } from './command.ts';
import { lines } from './output.ts';

/** `compact`: deletes responses that exceed the retention limits, and shrinks the file. */
export default () =>
  define(
    'writer',
    new Command('compact').description(
      'Deletes replaced response bodies that exceed the limits in `retention:` (default: no limits), then ' +
        'rewrites the file without free pages. This needs as much free disk space as the file occupies. Readers are ' +
        'not blocked.',
    ),
    async ({ config, clock, output, warehouse, db }) => {
      const sizeBefore = statSync(config.warehouse).size;
      const { answers: maxAge, versions } = config.retention;
      const { deleted } = await exclusively({ warehouse, clock, command: 'compact' }, async (_, lost) => {
        output.note('Rewriting the file …');
        const pruned =
          maxAge === null ? null : pruneAnswers(db, { maxAgeMs: maxAge.ms, versions }, clock.now());
        const answers = answerTable(db);
        // Between two blocks, the lock is renewed.
        for (const _ of config.responses.compress ? answers.packAll() : answers.unpackAll()) {
          await setImmediate();
          if (lost.aborted) throw new FailedError('another run has taken the lock', { hint: RETRY });
        }
        vacuum(db);
        return { ended: 'done', deleted: pruned?.answers ?? 0 };
      });
      const sizeAfter = statSync(config.warehouse).size;
      const space = spaceUse(db);
      const replaced = replacedBytes(db);
      return {
        data: {
          answers_deleted: deleted,
          bytes_before: sizeBefore,
          bytes_after: sizeAfter,
          space,
          replaced_bytes: replaced,
        },
        text: lines(
          `${counted(deleted, 'response')} deleted. File size: ${byteSize(sizeBefore)} before, ${byteSize(sizeAfter)} after.`,
          `Space: ${spaceText(space)}.`,
          `Replaced responses: ${byteSize(replaced)}. The key \`retention.answers\` sets when compact deletes them.`,
        ),
      };
    },
  );

const RETRY = 'No response is lost. Run `compact` again when that run has ended.';
