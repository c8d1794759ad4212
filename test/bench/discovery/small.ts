import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { wordsOf } from '../../../src/names/folding.ts';
import { FIRST_WORDS } from '../../../src/plan/discovery/seeds.ts';
import { readCompanies, shuffle } from '../../support/simulation/companies.ts';
import { dialectOf, discover } from '../../support/simulation/discover.ts';
import {
  type Company,
  foldedName,
  PLAIN,
  Registry,
  type RegistrySettings,
} from '../../support/simulation/registry.ts';
import { syntheticCompanies } from '../../support/simulation/synthetic_registries.ts';
import { mean } from './figures.ts';

/**
 * Measures how completely discovery finds small registries. It searches registries of sampled names until the planner
 * has no more calls. A cell shows the found companies, the reachable companies and the calls. For several samples, it
 * shows the sums of the companies and the mean number of calls.
 *
 *   node test/bench/discovery/small.ts [--data FOLDER] [--samples 3] [--sizes 300,1000,5000] [--rows TEXT] [--uncounted]
 *
 * FOLDER contains `isle_of_man.csv` and `japan_edinet.csv`. Without it, the names are synthetic. With `--uncounted`,
 * the registry reports no count.
 */
const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    samples: { type: 'string', default: '3' },
    sizes: { type: 'string', default: '300,1000,5000' },
    rows: { type: 'string', default: '' },
    uncounted: { type: 'boolean', default: false },
  },
});

/** `rule` is the registry's query rule. `isKnown` is true if the dialect defines this rule. */
interface Search {
  readonly title: string;
  readonly rule: RegistrySettings['semantics'];
  readonly isKnown: boolean;
}

const SEARCHES: readonly Search[] = [
  { title: 'name prefix', rule: 'prefix', isKnown: true },
  { title: 'word prefix', rule: 'token_prefix', isKnown: true },
  { title: 'substring', rule: 'substring', isKnown: true },
  { title: 'whole word', rule: 'token', isKnown: true },
  { title: 'unknown (name prefix)', rule: 'prefix', isKnown: false },
  { title: 'unknown (word prefix)', rule: 'token_prefix', isKnown: false },
  { title: 'unknown (substring)', rule: 'substring', isKnown: false },
];
const LIMITS = [
  { window: null, pageSize: 20 },
  { window: null, pageSize: 100 },
  { window: 1000, pageSize: 20 },
  { window: 100, pageSize: 20 },
  { window: 100, pageSize: 100 },
];
const MOST_CALLS = 30_000;
const samples = Array.from({ length: Number(values.samples) }, (_, at) => at + 1);
const sizes = values.sizes.split(',').map(Number);

for (const [title, companies] of sources()) {
  print(
    `\n${title}, ${samples.length} sample(s)${values.uncounted ? ', no count' : ''}: found / reachable / calls\n`,
  );
  print(`| search | cap | page | ${sizes.map((size) => `${size.toLocaleString('en')} names`).join(' | ')} |`);
  print(`|---|---|---|${sizes.map(() => '---').join('|')}|`);
  for (const search of SEARCHES)
    for (const limits of LIMITS) {
      const row = `${search.title} | ${limits.window ?? 'none'} | ${limits.pageSize}`;
      if (!row.includes(values.rows)) continue;
      const cells = sizes.map((size) => cell(companies, size, search, { ...PLAIN, ...limits }));
      print(`| ${row} | ${cells.join(' | ')} |`);
    }
}

function sources(): (readonly [string, readonly Company[]])[] {
  const { data } = values;
  if (data === undefined) return [['Synthetic names', syntheticCompanies(20_000)]];
  return [
    ['Isle of Man', readCompanies(join(data, 'isle_of_man.csv'))],
    ['EDINET filers (Japanese)', readCompanies(join(data, 'japan_edinet.csv'))],
  ];
}

function cell(companies: readonly Company[], size: number, search: Search, limits: RegistrySettings): string {
  const runs = samples.map((seed) => {
    const sample = shuffle(companies, seed).slice(0, size);
    const registry = new Registry(sample, { ...limits, semantics: search.rule, order: 'given' });
    const dialect = dialectOf(registry.settings);
    const { mirror, calls } = discover(registry, {
      ...{ mostCalls: MOST_CALLS, enough: sample.length, isCounted: !values.uncounted },
      dialect: search.isKnown ? dialect : { ...dialect, search: { ...dialect.search, matches: 'unknown' } },
    });
    return { found: mirror.knownCount(), reachable: reachableOf(sample, registry), calls: calls.length };
  });
  const sum = (of: 'found' | 'reachable') => runs.reduce((all, run) => all + run[of], 0);
  const isIncomplete = sum('found') < sum('reachable');
  const text = `${sum('found')} / ${sum('reachable')} / ${Math.round(mean(runs.map(({ calls }) => calls)))}`;
  return isIncomplete ? `**${text}**` : text;
}

/** Returns the companies that a search for their whole names would list. For whole words, see `reachableByWords`. */
function reachableOf(companies: readonly Company[], registry: Registry): number {
  if (registry.settings.semantics === 'token') return reachableByWords(companies);
  const { window } = registry.settings;
  const isReachable = (company: Company) => {
    const found = registry.matches({ by: 'name', text: foldedName(company.name).trim() });
    const listed = window === null ? found : found.slice(0, window);
    return listed.some((at) => registry.company(at).id === company.id);
  };
  return companies.filter(isReachable).length;
}

/**
 * The companies that a chain of word searches would reach without a cap. The chain starts with common words, and
 * continues with the words of each company found.
 */
function reachableByWords(companies: readonly Company[]): number {
  const known = new Set([...FIRST_WORDS.map(({ text }) => text), ...'0123456789']);
  let rest = companies.map(({ name }) => wordsOf(foldedName(name)));
  for (let before = -1; before !== rest.length; ) {
    before = rest.length;
    const isFound = (words: readonly string[]) => words.some((word) => known.has(word));
    const found = rest.filter(isFound);
    rest = rest.filter((words) => !isFound(words));
    for (const word of found.flat()) known.add(word);
  }
  return companies.length - rest.length;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
