// npm run bench focus [-- --companies 4000 --calls 400 --focus balanced --seed 20]
// Spends a small total of calls on a registry in memory, and counts what the calls brought. A search is hopeless if it
// is expected to find less than half a company while records are due.
import { parseArgs } from 'node:util';
import { generateRegistry } from '../../data/generate.ts';
import type { CallKind } from '../../src/call.ts';
import type { Focus } from '../../src/planner.ts';
import { discover } from '../support/simulation/discover.ts';
import { PLAIN, Registry, type RegistrySettings } from '../support/simulation/registry.ts';

const { values } = parseArgs({
  options: {
    companies: { type: 'string', default: '4000' },
    calls: { type: 'string', default: '400' },
    focus: { type: 'string', default: 'balanced' },
    seed: { type: 'string', default: '20' },
  },
});
const KINDS: ReadonlySet<CallKind> = new Set(['stats', 'search', 'entity']);
const SHAPES: Readonly<Record<string, Partial<RegistrySettings>>> = {
  'page 100, window 10,000': { pageSize: 100, window: 10_000 },
  'page 100, window 1,000': { pageSize: 100, window: 1_000 },
  'page 200': { pageSize: 200 },
  'page 80': { pageSize: 80 },
  'page 50': { pageSize: 50 },
};
const companies = [...generateRegistry({ companies: Number(values.companies), seed: Number(values.seed) })];
const mostCalls = Number(values.calls);

print(`${companies.length} companies, ${mostCalls} calls in total, focus ${values.focus}\n`);
print('| shape | query rule | searches | hopeless | records | names |');
print('|---|---|---|---|---|---|');
for (const [shape, settings] of Object.entries(SHAPES))
  for (const semantics of ['prefix', 'token_prefix'] as const) {
    const registry = new Registry(companies, { ...PLAIN, order: 'given', ...settings, semantics });
    const { calls, mirror } = discover(registry, {
      ...{ mostCalls, enough: Number.POSITIVE_INFINITY, kinds: KINDS, focus: values.focus as Focus },
    });
    const searches = calls.filter(({ kind }) => kind === 'search');
    const hopeless = searches.filter(({ expected }) => expected < 0.5).length;
    const records = calls.filter(({ kind }) => kind === 'entity').length;
    const names = `${((100 * mirror.knownCount()) / companies.length).toFixed(1)} %`;
    print(`| ${shape} | ${semantics} | ${searches.length} | ${hopeless} | ${records} | ${names} |`);
  }

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
