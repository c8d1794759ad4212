// npm run bench yields [-- --data FOLDER --companies 1000 --seed 20 --run-calls 100]
// Compares what searches were expected to find with what they found: for all searches, for each kind of search, and for
// the last third of all searches. A figure above 1 means that too much was expected. Each run makes 100 calls.
import { join } from 'node:path';
import { generateRegistry } from '../../data/generate.ts';
import { argumentsOf, say } from '../support/script.ts';
import { readCompanies, shuffle } from '../support/simulation/companies.ts';
import { discover, START_MS } from '../support/simulation/discover.ts';
import { MemoryMirror } from '../support/simulation/memory_knowledge.ts';
import { PLAIN, Registry } from '../support/simulation/registry.ts';

const values = argumentsOf({ data: null, companies: 1000, seed: 20, runCalls: 100 });
const count = values.companies;
const sources = {
  generated: [...generateRegistry({ companies: count, seed: values.seed })],
  ...(values.data !== null && {
    'Isle of Man': shuffle(readCompanies(join(values.data, 'isle_of_man.csv')), values.seed).slice(0, count),
  }),
};

interface Search {
  readonly kind: string;
  readonly expected: number;
  readonly found: number;
}

const everything: Search[] = [];
const lastThirds: Search[] = [];
say('| names | query rule | window | searches | expected / found | last third |');
say('|---|---|---|---|---|---|');
for (const [source, companies] of Object.entries(sources))
  for (const semantics of ['prefix', 'token_prefix', 'token', 'substring'] as const)
    for (const window of [null, 100]) {
      const registry = new Registry(companies, { ...PLAIN, semantics, window, order: 'given' });
      const mirror = new MemoryMirror(START_MS);
      const searches: Search[] = [];
      while (searches.length < 4 * count) {
        const before = mirror.knownCount();
        const { calls, known } = discover(registry, {
          mirror,
          mostCalls: values.runCalls,
          enough: companies.length,
        });
        for (const [at, { kind, expected, reason }] of calls.entries()) {
          const found = (known[at] ?? 0) - (known[at - 1] ?? before);
          if (kind === 'search') searches.push({ kind: kindOf(reason), expected, found });
        }
        if (calls.length < values.runCalls) break;
      }
      everything.push(...searches);
      const lastThird = searches.slice(Math.floor((2 * searches.length) / 3));
      lastThirds.push(...lastThird);
      const cells = [
        source,
        semantics,
        window ?? 'none',
        searches.length,
        ratioOf(searches),
        ratioOf(lastThird),
      ];
      say(`| ${cells.join(' | ')} |`);
    }
say('\n| kind of search | searches | expected / found |');
say('|---|---|---|');
for (const [kind, searches] of Object.entries(Object.groupBy(everything, (search) => search.kind)))
  if (searches !== undefined) say(`| ${kind} | ${searches.length} | ${ratioOf(searches)} |`);
say(`| the last third of each run | ${lastThirds.length} | ${ratioOf(lastThirds)} |`);

function kindOf(reason: string): string {
  return reason.replace(/splits .+?(?= without|$)/, 'splits a query').replace(/to .*/, 'to a query');
}

function ratioOf(searches: readonly Search[]): string {
  const sum = (of: 'expected' | 'found') => searches.reduce((total, search) => total + search[of], 0);
  return `${sum('expected').toFixed(0)} / ${sum('found')} = ${(sum('expected') / sum('found')).toFixed(2)}`;
}
