import { existsSync } from 'node:fs';
import type { Config } from '../../config/config.ts';
import { MirrorError } from '../../errors.ts';
import { proposeVolatile } from '../../load/volatile_proposals.ts';
import { percent } from '../../report/figures.ts';
import { openWarehouse } from '../../warehouse/warehouse.ts';
import { type Finding, note } from './finding.ts';

/** Reports fields that differ in nearly every response and are not in `dialect.volatile`. */
export function checkVolatileFields(
  { warehouse: path, dialect }: Pick<Config, 'warehouse' | 'dialect'>,
  nowMs: number,
): Finding[] {
  if (dialect === undefined || !existsSync(path)) return [];
  try {
    const warehouse = openWarehouse({ path, readonly: true, nowMs });
    try {
      return proposeVolatile(warehouse, dialect).map(({ pointer, refreshes, share }) =>
        note(
          'volatile field',
          `${pointer} differed in ${percent(share)} of ${refreshes} refreshes, so each of them counts as a change`,
          'If the field shows only when the response was made, add it to `dialect.volatile`, then run `registry-mirror reprocess`.',
        ),
      );
    } finally {
      warehouse.close();
    }
  } catch (error) {
    // `checkFiles` reports a file that cannot be opened.
    if (error instanceof MirrorError) return [];
    throw error;
  }
}
