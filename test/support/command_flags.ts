import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Manifest {
  readonly scripts: { readonly 'registry-mirror': string };
}

const manifest = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'),
) as Manifest;

/** What Node is told when the command is run: what is measured in its place is to run so, too. */
export const COMMAND_FLAGS = manifest.scripts['registry-mirror']
  .split(' ')
  .filter((word) => word.startsWith('--'));
