import type { SearchQuery } from '../../../src/call.ts';
import type { Registry } from '../../support/simulation/registry.ts';
import { type Bound, Caller } from './caller.ts';

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz0123456789'];

/** Sends a query for each pair of Latin letters or digits, and lists its results up to the cap. */
export function twoLetterSweep(registry: Registry, bound: Bound): readonly number[] {
  const caller = new Caller(registry, bound);
  for (const first of LETTERS) {
    for (const second of LETTERS) {
      if (caller.isOver) return caller.known;
      caller.list(first + second);
    }
  }
  return caller.known;
}

/**
 * Lists queries that are not truncated, and extends each truncated query by letters and by the characters known to
 * follow. The query with the highest total comes first. This baseline predicts nothing.
 */
export function plainTree(
  registry: Registry,
  bound: Bound,
  by: SearchQuery['by'] = 'name',
): readonly number[] {
  const caller = new Caller(registry, bound, by);
  const { window } = registry.settings;
  let level = new Map<string, number>([['', Number.POSITIVE_INFINITY]]);
  while (level.size > 0 && !caller.isOver) {
    const deeper = new Map<string, number>();
    for (const [text] of [...level].sort((a, b) => b[1] - a[1])) {
      for (const next of new Set([...LETTERS, ...caller.charactersAfter(text)])) {
        if (caller.isOver) return caller.known;
        const total = caller.first(text + next);
        if (total > (window ?? total)) deeper.set(text + next, total);
        else caller.listOn(text + next);
      }
    }
    level = deeper;
  }
  return caller.known;
}
