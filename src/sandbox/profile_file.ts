import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { ApiProfile, type ApiProfileInput } from '../api/api_profile.ts';
import type { IdentifierSearch, NameSearch } from '../api/catalogue.ts';
import { UsageError } from '../errors.ts';
import type { Folding } from '../names/folding.ts';
import { packagedFile } from './company_file.ts';
import { randomProfile } from './random_profile.ts';

/** Changes to a profile. Undefined values leave the profile's own values unchanged. */
export interface ProfileChanges {
  readonly matches?: NameSearch | undefined;
  readonly identifiers?: IdentifierSearch | undefined;
  readonly folding?: Folding | undefined;
  readonly pageSize?: number | undefined;
  readonly maxPageSize?: number | undefined;
  readonly window?: number | undefined;
}

/** Profiles by name. */
export type Presets = Readonly<Record<string, ApiProfileInput>>;

/** Reads the profiles that this package offers. Those in `uncommon` need uncommon dialect features. */
export function readPresets(): { readonly common: Presets; readonly uncommon: Presets } {
  return parse(readFileSync(packagedFile('sandbox-shapes.yaml'), 'utf8'));
}

export function presetNames(): string[] {
  const { common, uncommon } = readPresets();
  return [...Object.keys(common), ...Object.keys(uncommon)];
}

/**
 * Reads a profile. `name` is a preset, `random:<seed>`, or the path of a YAML file. Throws UsageError if there is no
 * valid profile.
 */
export async function readProfile(name: string): Promise<ApiProfile> {
  const { common, uncommon } = readPresets();
  const preset = new Map(Object.entries({ ...common, ...uncommon })).get(name);
  if (preset !== undefined) return parsed({ name, ...preset }, name);
  const seed = /^random:(\d{1,9})$/.exec(name)?.[1];
  return seed === undefined ? parsed(await fileContent(name), name) : randomProfile(Number(seed));
}

export function changedProfile(profile: ApiProfile, changes: ProfileChanges): ApiProfile {
  const { search } = profile;
  const max_size = changes.maxPageSize ?? Math.max(search.max_size, changes.pageSize ?? 0);
  const size = changes.pageSize ?? Math.min(search.paging.size, max_size);
  const changed = {
    ...search,
    matches: changes.matches ?? search.matches,
    identifiers: changes.identifiers ?? search.identifiers,
    folding: changes.folding ?? search.folding,
    max_size,
    window: changes.window === undefined ? search.window : { ...search.window, rows: changes.window },
    paging: { ...search.paging, size },
  };
  return parsed({ ...profile, search: changed }, 'The profile with these options');
}

async function fileContent(path: string): Promise<unknown> {
  try {
    return parse(await readFile(path, 'utf8'));
  } catch (cause) {
    throw new UsageError(`"${path}" is neither a preset nor a readable YAML file.`, {
      hint: `Presets: ${presetNames().join(', ')}, random:<seed>.`,
      cause,
    });
  }
}

function parsed(given: unknown, name: string): ApiProfile {
  const result = ApiProfile.safeParse(given);
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.join('.')}: ${message}`,
  );
  throw new UsageError(`${name} is not a valid API profile: ${problems.join('; ')}.`);
}
