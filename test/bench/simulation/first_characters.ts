import type { Company } from '../../support/simulation/registry.ts';
import { syntheticCompanies } from '../../support/simulation/synthetic_registries.ts';

/** Companies with Latin names. `firsts` gives the names at the end of the list their first characters. */
export function latinCompanies(count: number, firsts: readonly string[]): Company[] {
  const usual = syntheticCompanies(2 * count)
    .filter(({ name }) => /^[A-Z][\x20-\x7e]+$/.test(name))
    .slice(0, count);
  const odd = usual.length - firsts.length;
  return usual.map(({ id, name }, at) => ({ id, name: `${firsts[at - odd] ?? ''}${name}` }));
}
