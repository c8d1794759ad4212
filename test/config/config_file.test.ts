import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { configPath } from '../../src/config/config.ts';
import { temporaryFolder } from '../support/loader.ts';

/** Creates a folder with `folder/a/b`, a home folder, and configuration files at the given paths. */
function placed(...files: readonly string[]) {
  const folder = temporaryFolder();
  const workingDirectory = join(folder, 'a/b');
  mkdirSync(workingDirectory, { recursive: true });
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), '');
  }
  const find = (env = {}, path?: string) =>
    configPath({ workingDirectory, env: { HOME: join(folder, 'home'), ...env }, path });
  return { folder, find };
}

const OWN = 'home/.config/registry-mirror/registry-mirror.yaml';

test('a configuration in the working directory takes precedence over those in the folders above', () => {
  expect(placed('a/b/registry-mirror.yaml', 'a/registry-mirror.yaml').find()).toBe('registry-mirror.yaml');
});

test("a configuration in the nearest folder above takes precedence over the user's", () => {
  const { folder, find } = placed('registry-mirror.yaml', 'a/registry-mirror.yaml', OWN);
  expect(find()).toBe(join(folder, 'a/registry-mirror.yaml'));
});

test("the user's configuration is found in ~/.config and in XDG_CONFIG_HOME", () => {
  const { folder, find } = placed(OWN, 'xdg/registry-mirror/registry-mirror.yaml');
  expect(find()).toBe(join(folder, OWN));
  expect(find({ XDG_CONFIG_HOME: join(folder, 'xdg') })).toBe(
    join(folder, 'xdg/registry-mirror/registry-mirror.yaml'),
  );
});

test('--config and REGISTRY_MIRROR_CONFIG take precedence over any configuration file that is found', () => {
  const { find } = placed('a/b/registry-mirror.yaml');
  expect(find({ REGISTRY_MIRROR_CONFIG: 'other.yaml' })).toBe('other.yaml');
  expect(find({ REGISTRY_MIRROR_CONFIG: 'other.yaml' }, 'given.yaml')).toBe('given.yaml');
});

test('without a configuration file, the default path is in the working directory', () => {
  expect(placed().find()).toBe('registry-mirror.yaml');
});

test('a home folder or a folder above that cannot be entered is skipped', () => {
  const { folder, find } = placed();
  // A link that leads to itself fails like a folder without permission, also for root.
  symlinkSync(join(folder, 'home'), join(folder, 'home'));
  symlinkSync('registry-mirror.yaml', join(folder, 'a/registry-mirror.yaml'));
  expect(find()).toBe('registry-mirror.yaml');
});
