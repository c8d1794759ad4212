import { Command } from 'commander';
import { systemClock } from '../clock.ts';
import { configPath } from '../config/config.ts';
import { describeUpgrade, upgradeWarehouse } from '../warehouse/upgrade.ts';
import { openWarehouse } from '../warehouse/warehouse.ts';
import { type SharedFlags, withSharedOptions } from './context.ts';
import { openOutput, standardStreams } from './output.ts';

/** `migrate`: migrates a warehouse that an older version wrote. */
export function migrateCommand(): Command {
  const command = new Command('migrate')
    .description(
      'Migrates a warehouse that an older version wrote, after a backup beside it. Every other command that uses the ' +
        'warehouse does the same when it starts. Sends no calls.',
    )
    .addHelpText('after', '\nExamples:\n  $ registry-mirror migrate\n\nDocumentation:\n  docs/operations.md')
    .action((flags: SharedFlags) => migrate(flags));
  return withSharedOptions(command);
}

async function migrate(flags: SharedFlags): Promise<void> {
  const { loadConfig } = await import('../config/load_config.ts');
  const { warehouse: path } = loadConfig({ path: configPath({ path: flags.config }) });
  const nowMs = systemClock.now();
  const upgrade = upgradeWarehouse(path, nowMs);
  // Explains why the file cannot be migrated, for example because it is missing or a newer version wrote it.
  if (upgrade === null) openWarehouse({ path, readonly: true, nowMs }).close();
  openOutput(flags, standardStreams()).result({
    command: 'migrate',
    data: { warehouse: path, migrated: upgrade !== null, backup: upgrade?.backup ?? null },
    text: upgrade === null ? `${path} is up to date.` : describeUpgrade(upgrade),
  });
}
