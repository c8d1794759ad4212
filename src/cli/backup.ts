import { resolve } from 'node:path';
import { Command } from 'commander';
import { systemClock } from '../clock.ts';
import { byteSize } from '../report/figures.ts';
import { backUp } from '../warehouse/backup.ts';
import { openWarehouse } from '../warehouse/warehouse.ts';
import { openContext, type SharedFlags, withSharedOptions } from './context.ts';

/** `backup FILE`: a sound copy of the warehouse, while it is in use. */
export function backupCommand(): Command {
  const command = new Command('backup')
    .summary('copy the warehouse while it is in use; spends nothing')
    .description(
      'Writes one checked file that holds the warehouse as it is at this moment; runs and readers go on. The ledger is ' +
        'left out on purpose: it counts what the account has spent, and an older count would spend it again.',
    )
    .argument('<file>', 'where to; must not exist yet')
    .addHelpText('after', EXAMPLES)
    .action((file: string, flags: SharedFlags) => backup(file, flags));
  return withSharedOptions(command);
}

const EXAMPLES = `
Examples:
  $ registry-mirror backup backups/$(date +%F).db
  $ cp backups/2027-01-31.db data/warehouse.db      (restores it: no run may be going on; see docs/reliability.md)`;

async function backup(file: string, flags: SharedFlags): Promise<void> {
  const { config, output } = openContext(flags);
  const warehouse = openWarehouse({ path: config.warehouse, readonly: true, nowMs: systemClock.now() });
  try {
    const { path, bytes } = await backUp(warehouse, resolve(file));
    output.result({
      command: 'backup',
      ok: true,
      data: { file: path, bytes },
      text: `${path}  ${byteSize(bytes)}`,
      attention: null,
    });
  } finally {
    warehouse.close();
  }
}
