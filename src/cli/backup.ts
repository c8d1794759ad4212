import { resolve } from 'node:path';
import { Command } from '@commander-js/extra-typings';
import { printable } from '../printable.ts';
import { byteSize } from '../report/figures.ts';
import { backUp } from '../warehouse/backup.ts';
import { define } from './command.ts';

/** `backup FILE`: writes a consistent copy of the warehouse, even while it is in use. */
export default () =>
  define(
    'reader',
    new Command('backup')
      .description(
        'Writes a verified copy of the warehouse to one file while runs and readers continue. The copy does not ' +
          'include the ledger, because an older ledger would allow calls to be spent twice.',
      )
      .argument('<file>', 'path for the copy; the file must not exist yet')
      .addHelpText('after', EXAMPLES),
    ({ warehouse }, file) => {
      const { path, bytes } = backUp(warehouse, resolve(file));
      return { data: { file: path, bytes }, text: `${printable(path)}  ${byteSize(bytes)}` };
    },
  );

const EXAMPLES = `
Examples:
  $ registry-mirror backup backups/$(date +%F).db
  $ registry-mirror restore backups/2027-01-31.db`;
