import { expect, test } from 'vitest';
import { StopRule } from '../../../src/plan/discovery/stop_rule.ts';
import { START_MS } from '../../support/simulation/discover.ts';
import { MemoryMirror } from '../../support/simulation/memory_knowledge.ts';

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

function openPatience(): StopRule {
  return new StopRule(new MemoryMirror(START_MS));
}

function searchesUntilOver(patience: StopRule, missing: number): number {
  let searches = 0;
  for (; !patience.isOver(missing); searches++) patience.answered(false);
  return searches;
}
