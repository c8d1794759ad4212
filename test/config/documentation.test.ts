import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { VARIABLES } from '../../src/config/environment.ts';
import { configSchema, type Leaf, leaves } from '../../src/config/key_paths.ts';
import { parseConfig } from '../../src/config/load_config.ts';

const page = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8');
const rows = new Map(
  [...page.matchAll(/^\| `([^`]+)` \|(.*)\|$/gm)].map(([, key = '', rest = '']) => [
    key,
    rest.split('|').map((cell) => cell.trim()),
  ]),
);
const keys = leaves(configSchema());

describe('docs/configuration.md', () => {
  const documented = keys.filter((leaf) => leaf.path[0] !== 'version' && !isSection(leaf));

  it.each(documented.map((leaf) => [leaf.path.join('.'), leaf] as const))('documents %s', (key, leaf) => {
    const [meaning = '', byDefault = ''] = rows.get(key) ?? [];
    expect(meaning.length).toBeGreaterThan(10);
    // The number of the first page depends on the paging style, so its row has several defaults.
    if (leaf.node.default !== undefined && key !== 'dialect.search.paging.first')
      expect(byDefault).toBe(`\`${shown(leaf.node.default)}\``);
  });

  it('docs/configuration.md documents no key that does not exist', () => {
    const known = new Set(keys.map(({ path }) => path.join('.')));
    const rowKeys = [...rows.keys()].filter((key) => !key.startsWith('REGISTRY_MIRROR_'));
    expect(rowKeys.filter((key) => !known.has(key))).toEqual([]);
  });

  it('docs/configuration.md lists the environment variables', () => {
    const listed = [...rows].filter(([key]) => key.startsWith('REGISTRY_MIRROR_'));
    const expected = Object.entries(VARIABLES).map(([name, key]) => [name, [`\`${key}\``]]);
    const others = ['REGISTRY_MIRROR_CONFIG', 'REGISTRY_MIRROR_PIPE'];
    expect(listed.slice(0, 2).map(([name]) => name)).toEqual(others);
    expect(listed.slice(2)).toEqual(expected);
  });

  it('docs/configuration.md contains a valid minimal file and a valid dialect', () => {
    const [least = '', dialect = ''] = [...page.matchAll(/```yaml\n(.*?)```/gs)].map(([, text]) => text);
    const env = { REGISTRY_API_KEY: 'k' };
    const config = parseConfig({ path: 'c.yaml', text: `${least}${dialect}`, env });
    expect(config.dialect?.search.item).toBe('/company');
  });
});

/** A section whose keys are documented needs no entry of its own. */
function isSection({ path, node }: Leaf): boolean {
  const key = path.join('.');
  return (
    (node.type === 'object' && keys.some((leaf) => leaf.path.join('.').startsWith(`${key}.`))) ||
    key === 'dialect.search.paging'
  );
}

function shown(value: unknown): string {
  if (value === '') return "''";
  return typeof value === 'string' ? value : JSON.stringify(value);
}
