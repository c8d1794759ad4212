import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { FailedError } from '../errors.ts';

/** Returns the path of a file or folder in this package, such as `docs/configuration.md`. */
export function packagedFile(name: string): string {
  const manifest = findPackageJSON(import.meta.url);
  if (manifest === undefined) throw new FailedError(`The file ${name} is missing: no package.json found.`);
  return join(dirname(manifest), name);
}
