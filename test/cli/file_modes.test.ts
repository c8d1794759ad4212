import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openUpstream } from '../support/upstream.ts';

test('only the owner can read the ledger, the accounts and a new configuration, and the warehouse follows the umask', async () => {
  const umask = process.umask(0o027);
  onTestFinished(() => void process.umask(umask));
  const upstream = await openUpstream();
  onTestFinished(() => upstream.close());
  const written = join(upstream.folder, 'new.yaml');
  const answers = ['--base-url', upstream.sandbox.url, '--per-day', '50'];
  const { code, stderr } = await upstream.cli('init', '--yes', ...answers, '--config', written);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  await upstream.cli('keys', 'create', 'reports');
  await upstream.cli('sync', '--max-calls', '1');

  const modes = Object.fromEntries(
    ['new.yaml', 'ledger.db', 'accounts.db', 'warehouse.db'].map((name) => [
      name,
      (statSync(join(upstream.folder, name)).mode & 0o777).toString(8),
    ]),
  );
  expect(modes).toEqual({
    'new.yaml': '600',
    'ledger.db': '600',
    'accounts.db': '600',
    'warehouse.db': '640',
  });
});
