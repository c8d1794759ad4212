import { expect, test } from 'vitest';
import { generateRegistry } from '../../../data/generate.ts';
import { discover } from '../../support/simulation/discover.ts';
import { PLAIN, Registry, type RegistrySettings } from '../../support/simulation/registry.ts';

const COMPANIES = [...generateRegistry({ companies: 400, seed: 21 })];
const DAY_MS = 86_400_000;

/** Each row needs other parts of the planner. */
const REGISTRIES: Readonly<Record<string, Partial<RegistrySettings>>> = {
  'prefixes of names, no cap': {},
  'prefixes of names': { window: 60 },
  'prefixes of at least two characters': { window: 60, minLength: 2 },
  'prefixes of words, no cap': { semantics: 'token_prefix' },
  'prefixes of words': { semantics: 'token_prefix', window: 60 },
  'prefixes of words, no totals': { semantics: 'token_prefix', window: 60, totals: 'none' },
  'prefixes of words of at least three characters': { semantics: 'token_prefix', window: 60, minLength: 3 },
  'whole words': { semantics: 'token', window: 60 },
  'parts of names': { semantics: 'substring', window: 60 },
  'parts of at least three characters': { semantics: 'substring', window: 60, minLength: 3 },
  'all companies by the empty query': { minLength: 0, totals: { clampedAt: 100 } },
  'prefixes of identifiers': { identifiers: 'prefix', window: 60 },
  'prefixes of names, broad queries rejected': { refusesAbove: 30 },
  'prefixes of names, another order for each query': { window: 60, order: 'per_query' },
};

// These figures change with almost every change of the planner's choices. Higher figures need a reason.

test('the planner lists a registry in few calls, whatever its query rule', () => {
  const table = Object.entries(REGISTRIES).map(
    ([title, settings]) =>
      `${title}: ${callsOf(discover(registryOf(settings), { mostCalls: 150, enough: 400 }))}`,
  );
  expect(table.join('\n')).toMatchInlineSnapshot(`
    "prefixes of names, no cap: 17, 63, – (392 companies in 150 calls)
    prefixes of names: 17, 63, – (392 companies in 150 calls)
    prefixes of at least two characters: 88, –, – (255 companies in 150 calls)
    prefixes of words, no cap: 14, 69, – (388 companies in 150 calls)
    prefixes of words: 17, 68, – (386 companies in 150 calls)
    prefixes of words, no totals: 22, 139, – (370 companies in 150 calls)
    prefixes of words of at least three characters: 21, –, – (312 companies in 150 calls)
    whole words: 23, –, – (300 companies in 150 calls)
    parts of names: 23, 138, – (392 companies in 150 calls)
    parts of at least three characters: 29, –, – (339 companies in 150 calls)
    all companies by the empty query: 11, 19, 21 (400 companies in 21 calls)
    prefixes of identifiers: 25, 66, 68 (400 companies in 68 calls)
    prefixes of names, broad queries rejected: 21, 94, – (385 companies in 150 calls)
    prefixes of names, another order for each query: 17, 63, – (392 companies in 150 calls)"
  `);
});

test('the planner lists a registry without statistics in few calls', () => {
  const table = (['prefix', 'token_prefix'] as const).map((semantics) => {
    const registry = registryOf({ semantics, window: 60 });
    return `${semantics}: ${callsOf(discover(registry, { mostCalls: 150, enough: 400, isCounted: false }))}`;
  });
  expect(table.join('\n')).toMatchInlineSnapshot(`
    "prefix: 15, 78, – (399 companies in 150 calls)
    token_prefix: 16, 83, – (387 companies in 150 calls)"
  `);
});

test('the planner finds the companies that joined since the last run in few calls', () => {
  const table = (['prefix', 'token_prefix'] as const).map((semantics) => {
    const settings = { semantics, window: 60 };
    const { mirror } = discover(registryOf(settings, COMPANIES.slice(0, 375)), {
      mostCalls: 300,
      enough: 373,
    });
    mirror.nowMs += 8 * DAY_MS;
    const { known } = discover(registryOf(settings), { mostCalls: 100, enough: 400, mirror });
    return `${semantics}: ${[10, 20, 30, 40, 60, 100].map((calls) => known[calls - 1]).join(', ')}`;
  });
  expect(table.join('\n')).toMatchInlineSnapshot(`
    "prefix: 382, 389, 394, 395, 396, 396
    token_prefix: 376, 379, 382, 385, 391, 398"
  `);
});

/** Companies in an order that no query can predict. */
function registryOf(settings: Partial<RegistrySettings>, companies = COMPANIES): Registry {
  return new Registry(companies, { ...PLAIN, order: 'given', ...settings });
}

/** The number of calls until half, 90% and all of the companies are known. */
function callsOf({ known }: { readonly known: readonly number[] }): string {
  const callsTo = (share: number) => known.findIndex((count) => count >= share * COMPANIES.length) + 1;
  const [half, most, all] = [0.5, 0.9, 1].map((share) => callsTo(share) || '–');
  return `${half}, ${most}, ${all} (${known.at(-1)} companies in ${known.length} calls)`;
}
