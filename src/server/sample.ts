import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { FailedError } from '../errors.ts';
import { readCompanies } from './company_file.ts';
import type { Company } from './company_store.ts';

/** The sample registry that comes with the package: invented companies. */
export function sampleCompanies(): Promise<Company[]> {
  return readCompanies(samplePath());
}

export function samplePath(): string {
  const manifest = findPackageJSON(import.meta.url);
  if (manifest === undefined) throw new FailedError('The sample registry is missing: this is no package.');
  return join(dirname(manifest), 'data', 'sample-registry.jsonl');
}
