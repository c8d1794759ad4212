import { join } from 'node:path';
import type { ConfigInput } from '../../src/config/config.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';

/** A configuration without limits that mirrors the sandbox into a folder. */
export function sandboxConfiguration(sandbox: Sandbox, folder: string, account = 'main'): ConfigInput {
  return {
    version: 1,
    source: { name: 'Sandbox' },
    upstream: {
      base_url: sandbox.baseUrl,
      api_key: sandbox.keyOf(account),
      key_header: sandbox.profile.key_header,
      ...(sandbox.paths === null ? {} : { paths: sandbox.paths }),
    },
    account: { tier: 'paid' },
    allowance: { per_minute: 'unlimited', unlimited: true },
    dialect: sandbox.dialect,
    warehouse: join(folder, 'warehouse.db'),
    ledger: join(folder, 'ledger.db'),
  };
}
