import { expect, it } from 'vitest';
import { configSchema, leaves, nearest } from '../../src/config/key_paths.ts';

it('the schema matches the published JSON Schema (vitest --update writes it)', async () => {
  const text = `${JSON.stringify(configSchema(), null, 2)}\n`;
  await expect(text).toMatchFileSnapshot('../../docs/configuration.schema.json');
});

it('the JSON Schema describes every key', () => {
  const undescribed = leaves(configSchema()).filter(({ node }) => node.description === undefined);
  expect(undescribed.map(({ path }) => path.join('.'))).toEqual([]);
});

it.each([
  ['base_urll', 'base_url'],
  ['per-day', 'per_day'],
  ['x', null],
  ['something', null],
])('the suggestion for the unknown key %s is %s', (word, suggestion) => {
  expect(nearest(word, ['base_url', 'per_day', 'api_key'])).toBe(suggestion);
});
