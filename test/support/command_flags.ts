import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Manifest {
  readonly scripts: { readonly 'registry-mirror': string };
}

const manifest = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'),
) as Manifest;

/** The Node flags that the command uses. Benchmarks and tests that start another program instead use the same flags. */
export const COMMAND_FLAGS = manifest.scripts['registry-mirror']
  .split(' ')
  .filter((word) => word.startsWith('--'));
