// Discovers each registry in the fixed set with one part switched off, and prints the results as JSON. The part is
// switched off by a replacement in the sources when they are loaded.
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { PARTS, type Part } from './parts.ts';

const [name = '', data = '', size = '1000'] = process.argv.slice(2);
const without: Part | undefined = PARTS.find((part) => part.name === name);
const used = new Set<string>();

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    let source = String(loaded.source ?? '');
    for (const { file, from, to } of without?.changes ?? []) {
      if (!url.endsWith(`/src/plan/discovery/${file}`)) continue;
      if (!source.includes(from)) throw new Error(`${file} no longer contains ${from}`);
      source = source.replace(from, to);
      used.add(file);
    }
    return source === String(loaded.source ?? '') ? loaded : { ...loaded, source };
  },
});

const { generateRegistry } = await import('../../../data/generate.ts');
const { readCompanies, shuffle } = await import('../../support/simulation/companies.ts');
const { discover } = await import('../../support/simulation/discover.ts');
const { PLAIN, Registry } = await import('../../support/simulation/registry.ts');

const count = Number(size);
const read = (file: string, most: number) => shuffle(readCompanies(join(data, file)), 1).slice(0, most);
const sources = {
  generated: [...generateRegistry({ companies: count, seed: 20 })],
  ...(data !== '' && {
    'Isle of Man': read('isle_of_man.csv', count),
    EDINET: read('japan_edinet.csv', Math.ceil(count / 3)),
  }),
};
const SEARCHES = [
  ['prefix', null],
  ['prefix', 100],
  ['token_prefix', null],
  ['token_prefix', 100],
  ['token', null],
  ['substring', 100],
] as const;

const rows = Object.entries(sources).flatMap(([source, companies]) =>
  SEARCHES.map(([semantics, window]) => {
    const registry = new Registry(companies, { ...PLAIN, semantics, window, order: 'given' });
    const { known } = discover(registry, { mostCalls: 4 * companies.length, enough: companies.length });
    const callsTo = (share: number) => known.findIndex((one) => one >= share * companies.length) + 1 || null;
    return {
      row: `${source}, ${semantics}, ${window ?? 'no window'}`,
      calls: [callsTo(0.9), callsTo(0.99), callsTo(1)],
      found: known.at(-1) ?? 0,
      all: known.length,
    };
  }),
);
process.stdout.write(JSON.stringify({ rows, cpuSeconds: process.cpuUsage().user / 1e6 }));
