import { expect, test } from 'vitest';
import { StopRule } from '../../../src/plan/discovery/stop_rule.ts';
import { START_MS } from '../../support/simulation/discover.ts';
import { MemoryMirror } from '../../support/simulation/memory_knowledge.ts';

test('the limit of empty searches increases with the number of missing companies', () => {
  const stopRule = newStopRule();
  for (let at = 0; at < 150; at++) stopRule.record(false);
  expect(stopRule.isOver(1)).toBe(true);
  expect(stopRule.isOver(16)).toBe(false);
});

test('one search with a new company does not restore the full limit after many empty searches', () => {
  const stopRule = newStopRule();
  for (const empty of [200, 200]) {
    for (let at = 0; at < empty; at++) stopRule.record(false);
    expect(stopRule.isOver(400)).toBe(false);
    stopRule.record(true);
  }
  expect(searchesUntilOver(stopRule, 400)).toBeLessThan(250);
});

test('many searches with new companies, or a new registry count, restore the full limit', () => {
  const stopRule = newStopRule();
  for (let at = 0; at < 300; at++) stopRule.record(false);
  for (let at = 0; at < 10; at++) stopRule.record(true);
  expect(searchesUntilOver(stopRule, 100)).toBe(120 + 10 * 10);
  stopRule.reset();
  expect(searchesUntilOver(stopRule, 100)).toBe(120 + 10 * 10);
});

function newStopRule(): StopRule {
  return new StopRule(new MemoryMirror(START_MS));
}

function searchesUntilOver(stopRule: StopRule, missing: number): number {
  let searches = 0;
  for (; !stopRule.isOver(missing); searches++) stopRule.record(false);
  return searches;
}
