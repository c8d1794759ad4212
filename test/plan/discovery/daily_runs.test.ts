import { expect, test } from 'vitest';
import { discover, START_MS } from '../../support/simulation/discover.ts';
import { MemoryMirror } from '../../support/simulation/memory_knowledge.ts';
import { PLAIN, Registry } from '../../support/simulation/registry.ts';
import { syntheticCompanies } from '../../support/simulation/synthetic_registries.ts';

const COMPANIES = syntheticCompanies(6000);
const CALLS = 120;

test.each([20, 100])(
  'runs on several days find almost as many companies as one long run: page size %i',
  (pageSize) => {
    const registry = new Registry(COMPANIES, { ...PLAIN, window: 100, pageSize });
    const inOneRun = discover(registry, { mostCalls: CALLS, enough: COMPANIES.length }).mirror.knownCount();

    const mirror = new MemoryMirror(START_MS);
    for (let day = 0; day < 6; day++) {
      discover(registry, { mostCalls: CALLS / 6, enough: COMPANIES.length, mirror });
      // The next run fetches the statistics again and reads a newer registry count.
      mirror.nowMs += 8 * 86_400_000;
    }
    expect(mirror.knownCount()).toBeGreaterThan(0.9 * inOneRun);
  },
);
