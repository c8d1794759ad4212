import { type Presets, readPresets } from '../../src/sandbox/profile_file.ts';

const { common, uncommon } = readPresets();

/** The sandbox's profiles of common kinds of APIs. */
export const PROFILE_PRESETS: Presets = named(common);

/** The sandbox's profiles that need uncommon dialect features. */
export const REGISTRY_PRESETS: Presets = named(uncommon);

function named(presets: Presets): Presets {
  return Object.fromEntries(Object.entries(presets).map(([name, preset]) => [name, { name, ...preset }]));
}

/** The default paging of the sandbox, with another max page size or a cap. */
export function pagesOf(size: number, window: number | null = null) {
  return { style: 'page', param: 'page', first: 1, size_param: 'per_page', size, window } as const;
}
