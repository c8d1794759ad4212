// npm run bench backfill [-- --companies 3000 --names 200 --seed 50]
// Counts the searches that backfills need: one for a list of names, and three for prefixes of decreasing length. For
// names, it also counts the right and wrong companies and the names that the user must decide. For prefixes, it counts
// the companies listed.
import { generateRegistry } from '../../data/generate.ts';
import type { BackfillKnowledge } from '../../src/knowledge.ts';
import { type Wanted, WantedPlanner } from '../../src/plan/wanted/wanted_planner.ts';
import { argumentsOf, say } from '../support/script.ts';
import { dialectOf, START_MS } from '../support/simulation/discover.ts';
import { answer, MemoryMirror } from '../support/simulation/memory_knowledge.ts';
import { PLAIN, Registry, type RegistrySettings } from '../support/simulation/registry.ts';
import { wantedNames } from './names/wanted_names.ts';

const values = argumentsOf({ companies: 3000, names: 200, seed: 50 });
const companies = [...generateRegistry({ companies: values.companies, seed: values.seed })];
const wanted = wantedNames(companies, values.names, values.seed);
const NOTHING: Wanted = { entityIds: [], names: [], listings: [], withRecords: false };
const PREFIXES = ['n', 'an', 'nor'];
const MOST_CALLS = 5_000;

say(`${companies.length} companies, ${wanted.length} names\n`);
say('| query rule | window | totals | names | right, wrong, undecided | prefixes | listed |');
say('|---|---|---|---|---|---|---|');
for (const semantics of ['prefix', 'token_prefix', 'token', 'substring'] as const)
  for (const window of [null, 100])
    for (const totals of ['exact', 'none'] as const) {
      const settings = { ...PLAIN, order: 'given' as const, semantics, window, totals };
      const hunt = backfill(settings, { ...NOTHING, names: wanted.map(({ text }) => text) });
      const judged = wanted.map(({ meantId }, at) => {
        const finding = hunt.planner.finding(at);
        if (finding.is !== 'found') return finding.is === 'ambiguous' ? 'undecided' : finding.is;
        return finding.company.entityId === meantId ? 'right' : 'wrong';
      });
      const count = (result: string) => judged.filter((one) => one === result).length;
      const listings = PREFIXES.map((text) =>
        backfill(settings, {
          ...NOTHING,
          listings: [{ query: { by: 'name', text }, splits: semantics !== 'token' }],
        }),
      );
      const cells = [
        semantics,
        window ?? 'none',
        totals,
        hunt.calls,
        `${count('right')}, ${count('wrong')}, ${count('undecided')}`,
        listings.map(({ calls }) => calls).join(', '),
        listings.map(({ planner }) => planner.listing(0).found.size).join(', '),
      ];
      say(`| ${cells.join(' | ')} |`);
    }

/** Runs a backfill over a registry in memory, one call at a time. The mirror is empty at its start. */
function backfill(settings: RegistrySettings, items: Wanted) {
  const registry = new Registry(companies, settings);
  const mirror = new MemoryMirror(START_MS);
  mirror.stats = { observedAtMs: START_MS, total: registry.size };
  const knowledge: BackfillKnowledge = {
    knownCount: () => mirror.knownCount(),
    existingCount: () => mirror.existingCount(),
    listedSince: (atMs) => mirror.listedSince(atMs),
    latestStats: () => mirror.latestStats(),
    registryCountAt: () => null,
    statsCallsMade: () => 1,
    hasSeveralRows: () => false,
    queries: () => mirror.queries(),
    latestSearches: () => mirror.latestSearches(),
    knownCompanies: () => mirror.knownCompanies(),
    sampleIds: (most) => mirror.sampleIds(most),
    textsInOrder: (by) => mirror.textsInOrder(by),
    wordsInOrder: () => null,
    recordsDue: () => [],
    changeEstimates: () => mirror.changeEstimates(),
    rateClasses: () => new Map(),
    recordsOlderThan: () => 0,
    failures: () => [],
    controlNeeded: () => false,
    isFresh: () => true,
    freshQueries: () => [],
    listed: () => [],
  };
  const planner = new WantedPlanner({
    knowledge,
    dialect: dialectOf(settings),
    wanted: items,
    statistics: null,
  });
  let calls = 0;
  for (; calls < MOST_CALLS; calls++) {
    const left = { calls: MOST_CALLS, lifetimeLimit: null };
    const [call] = planner.next({ nowMs: START_MS, left, most: 1 }).calls;
    if (call === undefined) break;
    planner.learn(answer(mirror, registry, call, START_MS));
  }
  return { calls, planner };
}
