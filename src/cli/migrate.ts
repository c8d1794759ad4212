import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../config/load_config.ts';
import { describeUpgrade, upgradeWarehouse } from '../warehouse/upgrade.ts';
import { openWarehouse } from '../warehouse/warehouse.ts';
import { define } from './command.ts';

/** `migrate`: migrates a warehouse that an older version wrote. */
export default () =>
  define(
    'basics',
    new Command('migrate')
      .description(
        'Migrates a warehouse that an older version wrote, after a backup beside it. Every other command that uses the ' +
          'warehouse does the same when it starts. Sends no calls.',
      )
      .addHelpText('after', '\nDocumentation:\n  docs/operations.md'),
    ({ path: configPath, clock }) => {
      const { warehouse: path } = loadConfig({ path: configPath });
      const nowMs = clock.now();
      const upgrade = upgradeWarehouse(path, nowMs);
      // Explains why the file cannot be migrated, for example because it is missing or a newer version wrote it.
      if (upgrade === null) openWarehouse({ path, readonly: true, nowMs }).close();
      return {
        data: { warehouse: path, migrated: upgrade !== null, backup: upgrade?.backup ?? null },
        text: upgrade === null ? `${path} is up to date.` : describeUpgrade(upgrade),
      };
    },
  );
