// npm run bench focus [-- --companies 4000 --calls 400 --focus balanced --seed 20]
// Spends a small total of calls on a registry in memory, and counts what the calls brought. A search is hopeless if it
// is expected to find less than half a company while records are due.
import { generateRegistry } from '../../data/generate.ts';
import type { CallKind } from '../../src/call.ts';
import type { Focus } from '../../src/planner.ts';
import { argumentsOf, say } from '../support/script.ts';
import { discover } from '../support/simulation/discover.ts';
import { PLAIN, Registry, type RegistrySettings } from '../support/simulation/registry.ts';

const values = argumentsOf({ companies: 4000, calls: 400, focus: 'balanced', seed: 20 });
const KINDS: ReadonlySet<CallKind> = new Set(['stats', 'search', 'entity']);
const SHAPES: Readonly<Record<string, Partial<RegistrySettings>>> = {
  'page 100, window 10,000': { pageSize: 100, window: 10_000 },
  'page 100, window 1,000': { pageSize: 100, window: 1_000 },
  'page 200': { pageSize: 200 },
  'page 80': { pageSize: 80 },
  'page 50': { pageSize: 50 },
};
const companies = [...generateRegistry({ companies: values.companies, seed: values.seed })];
const mostCalls = values.calls;

say(`${companies.length} companies, ${mostCalls} calls in total, focus ${values.focus}\n`);
say('| shape | query rule | searches | hopeless | records | names |');
say('|---|---|---|---|---|---|');
for (const [shape, settings] of Object.entries(SHAPES))
  for (const semantics of ['prefix', 'token_prefix'] as const) {
    const registry = new Registry(companies, { ...PLAIN, order: 'given', ...settings, semantics });
    const { calls, mirror } = discover(registry, {
      mostCalls,
      enough: Number.POSITIVE_INFINITY,
      kinds: KINDS,
      focus: values.focus as Focus,
    });
    const searches = calls.filter(({ kind }) => kind === 'search');
    const hopeless = searches.filter(({ expected }) => expected < 0.5).length;
    const records = calls.filter(({ kind }) => kind === 'entity').length;
    const names = `${((100 * mirror.knownCount()) / companies.length).toFixed(1)} %`;
    say(`| ${shape} | ${semantics} | ${searches.length} | ${hopeless} | ${records} | ${names} |`);
  }
