import { expect, test } from 'vitest';
import { Patience } from '../../../src/plan/discovery/patience.ts';
import { START_MS } from '../../bench/discovery/discover.ts';
import { MemoryMirror } from '../../bench/simulation/memory.ts';

test('what is missing is looked for the longer, the more it is', () => {
  const patience = openPatience();
  for (let at = 0; at < 150; at++) patience.answered(false);
  expect(patience.isOver(1)).toBe(true);
  expect(patience.isOver(16)).toBe(false);
});

test('one find after a long time does not begin it anew', () => {
  const patience = openPatience();
  for (const inVain of [200, 200]) {
    for (let at = 0; at < inVain; at++) patience.answered(false);
    expect(patience.isOver(400)).toBe(false);
    patience.answered(true);
  }
  expect(searchesUntilOver(patience, 400)).toBeLessThan(250);
});

test('many finds do, and so does another count of the registry', () => {
  const patience = openPatience();
  for (let at = 0; at < 300; at++) patience.answered(false);
  for (let at = 0; at < 10; at++) patience.answered(true);
  expect(searchesUntilOver(patience, 100)).toBe(120 + 10 * 10);
  patience.renew();
  expect(searchesUntilOver(patience, 100)).toBe(120 + 10 * 10);
});

function openPatience(): Patience {
  return new Patience(new MemoryMirror(START_MS));
}

function searchesUntilOver(patience: Patience, missing: number): number {
  let searches = 0;
  for (; !patience.isOver(missing); searches++) patience.answered(false);
  return searches;
}
