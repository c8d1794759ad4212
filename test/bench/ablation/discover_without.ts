// Discovers each registry in the fixed set with some parts switched off, and prints the results as JSON. A part is
// switched off by a replacement in the sources when they are loaded.
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { PARTS, type Part } from './parts.ts';

const [names = '', data = '', sizes = ''] = process.argv.slice(2);
const without = names.split(',').flatMap((name): Part[] => {
  const part = PARTS.find((one) => one.name === name);
  if (part === undefined && name !== '') throw new Error(`there is no part ${name}`);
  return part === undefined ? [] : [part];
});

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    let source = String(loaded.source ?? '');
    for (const { file, from, to } of without.flatMap(({ changes }) => changes)) {
      if (!url.endsWith(`/src/plan/discovery/${file}`)) continue;
      if (!source.includes(from)) throw new Error(`${file} no longer contains ${from}`);
      source = source.replace(from, to);
    }
    return source === String(loaded.source ?? '') ? loaded : { ...loaded, source };
  },
});

const { generateRegistry } = await import('../../../data/generate.ts');
const { readCompanies, shuffle } = await import('../../support/simulation/companies.ts');
const { discover } = await import('../../support/simulation/discover.ts');
const { PLAIN, Registry } = await import('../../support/simulation/registry.ts');
const { syntheticCompanies } = await import('../../support/simulation/synthetic_registries.ts');

const SEARCHES = [
  ['prefix', 1],
  ['prefix', 2],
  ['token_prefix', 1],
  ['token_prefix', 3],
  ['token', 1],
  ['substring', 1],
] as const;
const WINDOWS = [null, 1000, 100];

const read = (file: string, most: number, seed: number) =>
  data === '' ? [] : shuffle(readCompanies(join(data, file)), seed).slice(0, most);
const SOURCES = {
  generated: (most: number, seed: number) => [...generateRegistry({ companies: most, seed: 20 + seed })],
  synthetic: syntheticCompanies,
  'Isle of Man': (most: number, seed: number) => read('isle_of_man.csv', most, seed),
  EDINET: (most: number, seed: number) => read('japan_edinet.csv', Math.ceil(most / 3), seed),
};

const rows = [];
for (const [source, companiesOf] of Object.entries(SOURCES))
  for (const [size, seeds] of sizes.split(',').map((one) => one.split(':').map(Number)))
    for (let seed = 1; seed <= (seeds ?? 1); seed++) {
      const companies = companiesOf(size as number, seed);
      for (const [semantics, minLength] of SEARCHES)
        for (const window of WINDOWS) {
          // A window that no query can exceed shows nothing.
          // Names of which most words have fewer characters cannot be found.
          if (source === 'EDINET' && minLength > 1) continue;
          if (companies.length === 0 || (window !== null && 2 * window > companies.length)) continue;
          const pageSize = window === 1000 ? 100 : 20;
          const registry = new Registry(companies, {
            ...PLAIN,
            semantics,
            minLength,
            window,
            pageSize,
            order: 'given',
          });
          const { known } = discover(registry, { mostCalls: 3 * companies.length, enough: companies.length });
          const callsTo = (share: number) =>
            known.findIndex((one) => one >= share * companies.length) + 1 || null;
          rows.push({
            row: `${source}, ${semantics}${minLength > 1 ? ` from ${minLength} characters` : ''}, window ${window ?? 'none'}`,
            size,
            calls: [callsTo(0.9), callsTo(0.99), callsTo(1)],
            found: known.at(-1) ?? 0,
            all: known.length,
          });
        }
    }
process.stdout.write(JSON.stringify({ rows, cpuSeconds: process.cpuUsage().user / 1e6 }));
