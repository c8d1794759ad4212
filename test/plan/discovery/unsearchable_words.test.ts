import { expect, test } from 'vitest';
import { seededRandom } from '../../../src/random.ts';
import { discover } from '../../support/simulation/discover.ts';
import { MemoryMirror } from '../../support/simulation/memory_knowledge.ts';
import { type Company, PLAIN, Registry } from '../../support/simulation/registry.ts';

const PLACES = ['Leeds', 'York', 'Hull', 'Derby', 'Bath'];
const KINDS = ['Partners', 'Pharmacy', 'Surgery', 'Clinic', 'Opticians', 'Hotel', 'Bakery'];

function companies(count: number): Company[] {
  const random = seededRandom(7);
  return Array.from({ length: count }, (_, at) => ({
    id: String(100_000 + at * 1913),
    name: `${random.pick(PLACES)} ${random.pick(KINDS)} ${String.fromCharCode(97 + random.below(26))}${at}`,
  }));
}

/** A registry whose rows add a postcode to the name, which no search finds. */
class WithPostcodes extends Registry {
  override company(at: number): Company {
    const { id, name } = super.company(at);
    return { id, name: `${name} (Postcode: LS${1 + (at % 9)} 4AB)` };
  }
}

const SIZE = 400;
const withPostcodes = () =>
  new WithPostcodes(companies(SIZE), { ...PLAIN, semantics: 'token_prefix', order: 'per_query' });
const OPTIONS = { enough: SIZE, isCounted: false };

test('a listing continues if known names only seem to cover its total, because they have words that no search finds', () => {
  expect(discover(withPostcodes(), { ...OPTIONS, mostCalls: 600 }).known.at(-1)).toBe(SIZE);
});

test('a listing with such names continues in the next run', () => {
  const mirror = new MemoryMirror(Date.UTC(2026, 0, 1));
  for (let run = 0; run < 60 && mirror.knownCount() < SIZE; run++)
    discover(withPostcodes(), { ...OPTIONS, mostCalls: 10, mirror });
  expect(mirror.knownCount()).toBe(SIZE);
});
