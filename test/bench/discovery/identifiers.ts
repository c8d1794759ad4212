import { discover } from '../../support/simulation/discover.ts';
import { type Company, Registry, type RegistrySettings } from '../../support/simulation/registry.ts';
import { syntheticCompanies } from '../../support/simulation/synthetic_registries.ts';
import { plainTree } from './baselines.ts';
import { callsPerBest, fewestCalls } from './figures.ts';
import { settingsOf } from './rows.ts';

const FREE_CALLS = 100;
const DAY_MS = 86_400_000;
const MOST_CALLS_FOR_NEW = 2000;

/** Returns how many companies 100 calls find, as a share of the rows on 100 full pages. */
export function freeAccount(companies: readonly Company[], mostMs: number): string[] {
  const cases = [
    { title: 'names, no cap', settings: names(null, 20), of: companies },
    { title: 'names', settings: names(1000, 20), of: companies },
    { title: 'names', settings: names(1000, 100), of: companies },
    { title: 'identifiers', settings: byIdentifier(1000, 20), of: syntheticCompanies(companies.length) },
    { title: 'identifiers', settings: byIdentifier(100, 20), of: syntheticCompanies(companies.length) },
  ];
  const lines = cases.map(({ title, settings, of }) => {
    const registry = new Registry(of, settings);
    const { known } = discover(registry, { mostCalls: FREE_CALLS, enough: of.length, mostMs });
    const possible = Math.min(FREE_CALLS * settings.pageSize, of.length);
    const share = ((known.at(-1) ?? 0) / possible).toFixed(2);
    return `| ${title} | ${settings.window ?? 'none'} | ${settings.pageSize} | ${known.length} | ${share} |`;
  });
  return [
    '| 100 calls, by prefixes of | cap | page | calls | companies / rows |',
    '|---|---|---|---|---|',
    ...lines,
  ];
}

/** Discovers a registry by identifier prefix. */
export function identifierPrefixes(count: number, mostMs: number): string[] {
  const companies = syntheticCompanies(count);
  const lines = [
    byIdentifier(1000, 100),
    byIdentifier(1000, 20),
    byIdentifier(100, 100),
    byIdentifier(100, 20),
  ].map((settings) => {
    const { pageSize } = settings;
    const bound = {
      mostCalls: 12 * fewestCalls({ companies: count, pageSize }),
      enough: 0.99 * count,
      mostMs,
    };
    const runs = [
      plainTree(new Registry(companies, settings), bound, 'identifier'),
      discover(new Registry(companies, settings), bound).known,
    ];
    const cells = runs.map((known) => callsPerBest([{ known, companies: count, pageSize }]));
    return `| ${settings.window} | ${pageSize} | ${cells.join(' | ')} |`;
  });
  const title = `${count.toLocaleString('en')} synthetic companies by identifier prefix`;
  return [`| ${title}: cap | page | plain tree | planner |`, '|---|---|---|---|', ...lines];
}

/** Returns how many calls find 50 new companies in a registry whose other companies are known. */
export function newCompanies(count: number, mostMs: number): string[] {
  const old = syntheticCompanies(count);
  const others = syntheticCompanies(50, 2);
  const newCompaniesBy = {
    'at the top of the range': syntheticCompanies(count + 50).slice(count),
    scattered: scattered(old, others),
  };
  const lines = Object.entries(newCompaniesBy).map(([position, added]) => {
    // Sorted by id, the new companies lie between the old ones, not after them.
    const settings: RegistrySettings = { ...byIdentifier(1000, 100), order: 'id' };
    const bound = { mostCalls: count, enough: count, mostMs };
    const first = discover(new Registry(old, settings), bound);
    first.mirror.nowMs += 8 * DAY_MS;
    const mirror = first.mirror;
    const before = mirror.knownCount();
    const all = new Registry([...old, ...added], settings);
    const again = discover(all, {
      mostCalls: MOST_CALLS_FOR_NEW,
      enough: count + added.length,
      mostMs,
      mirror,
    });
    const found = mirror.knownCount() - before;
    return `| ${position} | ${added.length} | ${before} | ${found} | ${first.calls.length} | ${again.calls.length} |`;
  });
  const title = `| new in ${count.toLocaleString('en')}, by identifier prefix`;
  return [
    `${title} | new | known before | found | calls of the first sweep | calls |`,
    '|---|---|---|---|---|---|',
    ...lines,
  ];
}

/** Companies whose identifiers lie between those of old companies, over the whole range. */
function scattered(old: readonly Company[], others: readonly Company[]): Company[] {
  const step = Math.floor(old.length / others.length);
  return others.map(({ name }, at) => ({ id: String(Number(old[at * step]?.id) + 3), name }));
}

function names(window: number | null, pageSize: number): RegistrySettings {
  return settingsOf({ semantics: 'prefix', window, pageSize });
}

function byIdentifier(window: number, pageSize: number): RegistrySettings {
  return { ...names(window, pageSize), identifiers: 'prefix' };
}
