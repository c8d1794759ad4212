import type { Config } from '../../config/config.ts';
import { proposeVolatile } from '../../load/volatile_proposals.ts';
import { percent } from '../../report/figures.ts';
import { readWarehouse } from './files.ts';
import { type Finding, note } from './finding.ts';

/** Reports fields that differ in nearly every response and are not in `dialect.volatile`. */
export function checkVolatileFields(config: Pick<Config, 'warehouse' | 'dialect'>, nowMs: number): Finding[] {
  const { dialect } = config;
  if (dialect === undefined) return [];
  const proposals = readWarehouse(config, nowMs, (warehouse) => proposeVolatile(warehouse, dialect)) ?? [];
  return proposals.map(({ pointer, refreshes, share }) =>
    note(
      'volatile field',
      `${pointer} differed in ${percent(share)} of ${refreshes} refreshes, so each of them counts as a change`,
      'If the field shows only when the response was made, add it to `dialect.volatile`, then run `registry-mirror reprocess`.',
    ),
  );
}
