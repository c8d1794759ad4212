import { expect, test } from 'vitest';
import { discover, START_MS } from '../../support/simulation/discover.ts';
import { MemoryMirror } from '../../support/simulation/memory_knowledge.ts';
import { PLAIN, Registry } from '../../support/simulation/registry.ts';
import { syntheticCompanies } from '../../support/simulation/synthetic_registries.ts';

/** A mirror that knows how many of its companies are gone. */
class MirrorWithGone extends MemoryMirror {
  gone = 0;

  override existingCount(): number {
    return super.existingCount() - this.gone;
  }
}

test('a count that falls by the companies known as gone starts no search', () => {
  const companies = syntheticCompanies(300);
  const mirror = new MirrorWithGone(START_MS);
  const settings = { ...PLAIN, semantics: 'token_prefix' as const, window: 100 };
  const all = { mirror, mostCalls: 1000, enough: Number.POSITIVE_INFINITY };
  discover(new Registry(companies, settings), all);
  expect(mirror.knownCount()).toBe(companies.length);

  mirror.gone = 1;
  mirror.nowMs += 8 * 86_400_000;
  const { calls } = discover(new Registry(companies.slice(1), settings), all);
  expect(calls.map(({ kind }) => kind)).toEqual(['stats']);
});
