import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { ApiProfile } from '../api/api_profile.ts';
import type { IdentifierSearch, NameSearch } from '../api/catalogue.ts';
import { UsageError } from '../errors.ts';
import type { Folding } from '../names/folding.ts';
import { PROFILE_PRESETS } from './profile_presets.ts';
import { randomProfile } from './random_profile.ts';
import { REGISTRY_PRESETS } from './registry_presets.ts';

/** Changes to a profile. Undefined values leave the profile's own values unchanged. */
export interface ProfileChanges {
  readonly matches?: NameSearch | undefined;
  readonly identifiers?: IdentifierSearch | undefined;
  readonly folding?: Folding | undefined;
  readonly pageSize?: number | undefined;
  readonly maxPageSize?: number | undefined;
  readonly window?: number | undefined;
}

const PRESETS = { ...PROFILE_PRESETS, ...REGISTRY_PRESETS };
export const PRESET_NAMES: readonly string[] = Object.keys(PRESETS);

/**
 * Reads a profile. `name` is a preset, `random:<seed>`, or the path of a YAML file. Throws UsageError if there is no
 * valid profile.
 */
export async function readProfile(name: string): Promise<ApiProfile> {
  if (Object.hasOwn(PRESETS, name)) return parsed(PRESETS[name], name);
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
      hint: `Presets: ${PRESET_NAMES.join(', ')}, random:<seed>.`,
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
