import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { ContenderOrder } from '../contender.ts';

/** Writes the mirror's configuration for an order, and returns its path. */
export function writeConfiguration(order: ContenderOrder): string {
  const path = join(order.folder, 'mirror.yaml');
  const configuration = {
    version: 1,
    source: { name: 'Bench' },
    upstream: { base_url: order.baseUrl, api_key: order.key, concurrency: order.lanes },
    account: { tier: 'paid' },
    allowance: { per_minute: 'unlimited', unlimited: true },
    dialect: order.dialect,
    warehouse: join(order.folder, 'mirror.db'),
    ledger: join(order.folder, 'mirror-ledger.db'),
  };
  writeFileSync(path, stringify(configuration));
  return path;
}
