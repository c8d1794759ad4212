import { expect, test } from 'vitest';
import { StopRule } from '../../../src/plan/discovery/stop_rule.ts';
import { START_MS } from '../../support/simulation/discover.ts';
import { MemoryMirror } from '../../support/simulation/memory_knowledge.ts';

test('the stop rule permits more empty searches if more companies are missing', () => {
  const stopRule = newStopRule();
  for (let at = 0; at < 70; at++) stopRule.record(0);
  expect(stopRule.isOver({ missing: 1 })).toBe(true);
  expect(stopRule.isOver({ missing: 16 })).toBe(false);
});

test('a search with a new company, or a new registry count, restores the limit', () => {
  const stopRule = newStopRule();
  for (let at = 0; at < 300; at++) stopRule.record(0);
  stopRule.record(1);
  expect(searchesUntilOver(stopRule, 100)).toBe(60 + 8 * 10);
  stopRule.reset();
  expect(searchesUntilOver(stopRule, 100)).toBe(60 + 8 * 10);
});

function newStopRule(): StopRule {
  return new StopRule(new MemoryMirror(START_MS));
}

function searchesUntilOver(stopRule: StopRule, missing: number): number {
  let searches = 0;
  for (; !stopRule.isOver({ missing }); searches++) stopRule.record(0);
  return searches;
}

test('the limit is half as high again if the registry count proves that companies are missing', () => {
  const stopRule = newStopRule();
  for (let at = 0; at < 101; at++) stopRule.record(0);
  expect(stopRule.isOver({ missing: 1 })).toBe(true);
  expect(stopRule.isOver({ missing: 1, isProven: true })).toBe(false);
  stopRule.record(0);
  expect(stopRule.isOver({ missing: 1, isProven: true })).toBe(true);
});

test('discovery makes at least the minimum number of searches before it stops', () => {
  const stopRule = newStopRule();
  for (let at = 0; at < 130; at++) stopRule.record(0);
  expect([
    stopRule.isOver({ missing: 1 }),
    stopRule.isOver({ missing: 1, minSearches: 131 }),
    stopRule.isOver({ missing: 1, minSearches: 130 }),
  ]).toEqual([true, false, true]);
  expect(stopRule.emptySearches).toBe(130);
});

test('the stop rule counts the searches of earlier runs in the order in which they were sent', () => {
  const mirror = new MemoryMirror(START_MS);
  mirror.newBySearches = () => [...Array(20).fill(0), 3, ...Array(2_000).fill(0)];
  const stopRule = new StopRule(mirror);
  expect(stopRule.emptySearches).toBe(20);
  expect(searchesUntilOver(stopRule, 400)).toBe(60 + 8 * 20 - 20);
});
