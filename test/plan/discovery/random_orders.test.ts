import { expect, test } from 'vitest';
import { seededRandom } from '../../../src/random.ts';
import { companiesFor } from '../../support/probe_companies.ts';
import { discover } from '../../support/simulation/discover.ts';
import { PLAIN, Registry } from '../../support/simulation/registry.ts';

// Names in seven scripts, and one page for each query. The statistics report how many companies are missing, and no query
// reports how many it finds.
const SETTINGS = { ...PLAIN, semantics: 'substring', minLength: 2, totals: 'none', window: 20 } as const;

test('in whatever order responses arrive, discovery finds every company that queries of two characters can find', async () => {
  const registry = new Registry(await companiesFor({}, 100), SETTINGS);
  for (let seed = 1; seed <= 2; seed++) {
    const random = seededRandom(seed);
    const connections = 1 + random.below(8);
    const { mirror, calls } = discover(registry, {
      mostCalls: Infinity,
      enough: Infinity,
      focus: 'balanced',
      connections,
      random,
    });
    expect(mirror.knownCount(), `seed ${seed}`).toBe(registry.size);
    expect(calls.length, `seed ${seed}`).toBeLessThanOrEqual(MOST_CALLS);
  }
}, 180_000);

const MOST_CALLS = 300;
