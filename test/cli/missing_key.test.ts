import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { runCommand } from '../support/command.ts';
import { bench, temporaryFolder } from '../support/loader.ts';
import { DIALECT } from '../support/loader_dialect.ts';

/** A mirror that takes its key from an environment variable that is not set. */
function withoutKey() {
  const folder = temporaryFolder();
  const { record, warehouse } = bench();
  record('C1', { id: 'C1', name: 'Acme' });
  const path = join(folder, 'registry-mirror.yaml');
  const config = {
    version: 1,
    upstream: { base_url: 'http://127.0.0.1:9/api', api_key: `\${env:KEY_THAT_IS_NOT_SET}` },
    allowance: { unlimited: true },
    dialect: DIALECT,
    warehouse: warehouse.path,
    ledger: join(folder, 'ledger.db'),
  };
  writeFileSync(path, stringify(config), { mode: 0o600 });
  return (...args: string[]) => runCommand([...args, '--config', path]);
}

describe('without a key for the upstream', () => {
  it.each([['status'], ['history', 'C1'], ['quarantine', 'list'], ['plan'], ['sync', '--dry-run']])(
    '`%s` works without a key',
    async (...args) => {
      expect(await withoutKey()(...args)).toMatchObject({ code: 0 });
    },
  );

  it.each([['sync'], ['config', 'validate']])(
    '`%s` fails without a key and names the environment variable',
    async (...args) => {
      const { code, stdout, stderr } = await withoutKey()(...args);
      expect(code).toBe(2);
      expect(stdout + stderr).toContain('the environment variable KEY_THAT_IS_NOT_SET is not set');
    },
  );
});
