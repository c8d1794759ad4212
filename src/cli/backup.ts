import { resolve } from 'node:path';
import { Command } from 'commander';
import { byteSize } from '../report/figures.ts';
import { backUp } from '../warehouse/backup.ts';
import { type SharedFlags, withSharedOptions } from './context.ts';
import { withWarehouse } from './with_warehouse.ts';

/** `backup FILE`: writes a consistent copy of the warehouse, even while it is in use. */
export function backupCommand(): Command {
  const command = new Command('backup')
    .description(
      'Writes a verified copy of the warehouse to one file while runs and readers continue. The copy does not ' +
        'include the ledger, because an older ledger would allow calls to be spent twice.',
    )
    .argument('<file>', 'path for the copy; the file must not exist yet')
    .addHelpText('after', EXAMPLES)
    .action((file: string, flags: SharedFlags) => backup(file, flags));
  return withSharedOptions(command);
}

const EXAMPLES = `
Examples:
  $ registry-mirror backup backups/$(date +%F).db
  $ registry-mirror restore backups/2027-01-31.db`;

function backup(file: string, flags: SharedFlags): Promise<void> {
  return withWarehouse(flags, 'read', async (warehouse, { output }) => {
    const { path, bytes } = await backUp(warehouse, resolve(file));
    output.result({
      command: 'backup',
      data: { file: path, bytes },
      text: `${path}  ${byteSize(bytes)}`,
    });
  });
}
