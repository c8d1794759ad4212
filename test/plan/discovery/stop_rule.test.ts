import { expect, test } from 'vitest';
import { StopRule } from '../../../src/plan/discovery/stop_rule.ts';
import { START_MS } from '../../support/simulation/discover.ts';
import { MemoryMirror } from '../../support/simulation/memory_knowledge.ts';
import { searchesThatFound } from '../../support/simulation/searches_that_found.ts';

test('the stop rule permits more empty searches if more companies are missing', () => {
  const stopRule = newStopRule();
  for (let at = 0; at < 150; at++) stopRule.record({ found: 0, expected: 1 });
  expect(stopRule.isOver({ missing: 1 })).toBe(true);
  expect(stopRule.isOver({ missing: 16 })).toBe(false);
});

test('a new registry count restores the full limit', () => {
  const stopRule = newStopRule();
  for (let at = 0; at < 300; at++) stopRule.record({ found: 0, expected: 1 });
  stopRule.reset();
  expect(searchesUntilOver(stopRule, 100)).toBe(120 + 10 * 10);
});

function newStopRule(): StopRule {
  return new StopRule(new MemoryMirror(START_MS));
}

function searchesUntilOver(stopRule: StopRule, missing: number): number {
  let searches = 0;
  for (; !stopRule.isOver({ missing }); searches++) stopRule.record({ found: 0, expected: 1 });
  return searches;
}

test.each([
  [0.0099, true],
  [0.01, false],
])(
  'the limit is 100 searches if together they were expected to find less than one company: %s each',
  (expected, isOver) => {
    const stopRule = newStopRule();
    for (let at = 0; at < 20; at++) stopRule.record({ found: 0, expected: 1 });
    for (let at = 0; at < 99; at++) stopRule.record({ found: 0, expected });
    expect(stopRule.isOver({ missing: 1 })).toBe(false);
    stopRule.record({ found: 0, expected });
    expect(stopRule.isOver({ missing: 1 })).toBe(isOver);
  },
);

test('discovery makes at least the minimum number of searches before it stops', () => {
  const stopRule = newStopRule();
  for (let at = 0; at < 130; at++) stopRule.record({ found: 0, expected: 1 });
  expect([
    stopRule.isOver({ missing: 1 }),
    stopRule.isOver({ missing: 1, minSearches: 131 }),
    stopRule.isOver({ missing: 1, minSearches: 130 }),
  ]).toEqual([true, false, true]);
  expect(stopRule.emptySearches).toBe(130);
});

test('the stop rule counts the searches of earlier runs in the order in which they were sent', () => {
  const mirror = new MemoryMirror(START_MS);
  mirror.latestSearches = () => searchesThatFound([...Array(20).fill(0), 3, ...Array(2_000).fill(0)]);
  const stopRule = new StopRule(mirror);
  expect(stopRule.emptySearches).toBe(20);
  expect(searchesUntilOver(stopRule, 400)).toBe(120 + 10 * 20 - 20);
});

test('a reached count is trusted after ten searches without a new company, and after 60 if one had found a company', () => {
  const stopRule = newStopRule();
  const searchesUntilTrusted = () => {
    let searches = 0;
    for (; !stopRule.isCountChecked(100); searches++)
      stopRule.record({ found: 0, expected: 1, isReached: true });
    return searches;
  };
  stopRule.record({ found: 50, expected: 1 });
  for (let at = 0; at < 20; at++) stopRule.record({ found: 0, expected: 1 });
  expect(stopRule.isCountChecked(100)).toBe(false);
  expect(searchesUntilTrusted()).toBe(10);
  stopRule.record({ found: 2, expected: 1, isReached: true });
  expect(searchesUntilTrusted()).toBe(0);
  stopRule.record({ found: 1, expected: 1, isReached: true });
  expect(searchesUntilTrusted()).toBe(60);
});
