import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { withWorkingLinks } from '../../src/cli/setting.ts';
import { runCommand } from '../support/command.ts';

const HINT = 'Run `registry-mirror sync --quiet` first (docs/reliability.md). registry-mirror/0.1.0';

it.each([
  [
    'a checkout',
    { npm_lifecycle_event: 'registry-mirror', npm_package_name: 'registry-mirror' },
    'npm run -s registry-mirror -- sync',
  ],
  [
    'npx',
    { npm_lifecycle_event: 'npx', npm_lifecycle_script: "'registry-mirror' 'sync'" },
    'npx registry-mirror sync',
  ],
  [
    'npx with a package file',
    {
      npm_lifecycle_event: 'npx',
      npm_lifecycle_script: "'registry-mirror' 'sync'",
      npm_config_package: './registry-mirror-0.1.0.tgz',
    },
    'npx --package ./registry-mirror-0.1.0.tgz registry-mirror sync',
  ],
  ['an installation', {}, 'registry-mirror sync'],
  [
    'a script in another package',
    { npm_lifecycle_event: 'demo', npm_package_name: 'other' },
    'registry-mirror sync',
  ],
])('in %s, a hint names a command that works and a file that exists', (_, env, command) => {
  const hint = withWorkingLinks(HINT, env);
  expect(hint.startsWith(`Run \`${command} --quiet\` first (/`)).toBe(true);
  expect(hint.endsWith('registry-mirror/0.1.0')).toBe(true);
  expect(existsSync(/\((.*)\)/.exec(hint)?.[1] ?? '')).toBe(true);
});

it("each command's help names a document that exists", async () => {
  const { stdout } = await runCommand(['notify', '--help']);
  expect(existsSync(/^ {2}(\/.*notifications\.md)$/m.exec(stdout)?.[1] ?? '')).toBe(true);
});
