import { expect, test } from 'vitest';
import { generalModel, NameModel } from '../../../src/plan/discovery/name_model.ts';
import { CHARACTER_SEEDS } from '../../../src/plan/discovery/seeds.ts';

test('common characters stay likely after a text that is too short for a query, although no known name has them', () => {
  const model = new NameModel(CHARACTER_SEEDS, true, generalModel());
  for (let at = 0; at < 300; at++) model.learn(`kelham ${at}`);
  const [sent, unsent] = [true, false].map((canBeSent) => model.following('k', canBeSent).get('i') ?? 0);
  expect(sent).toBeLessThan(0.002);
  expect(unsent).toBeGreaterThan(0.01);
  expect(model.following('k', false).get('e')).toBeGreaterThan(0.85);
});
