import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { ApiProfile, type ApiProfileInput } from '../api/api_profile.ts';
import { packagedFile } from '../config/packaged_file.ts';
import { UsageError } from '../errors.ts';
import type { Folding } from '../names/folding.ts';
import type { IdentifierSearch, Semantics } from '../names/query_matching.ts';

/** Changes to a profile. Undefined values leave the profile's own values unchanged. */
interface ProfileChanges {
  readonly matches?: Semantics | undefined;
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
  return parse(readFileSync(packagedFile('data/sandbox-shapes.yaml'), 'utf8'));
}

export function presetNames(): string[] {
  const { common, uncommon } = readPresets();
  return [...Object.keys(common), ...Object.keys(uncommon)];
}

/** Reads a profile. `name` is a preset or the path of a YAML file. Throws UsageError if there is no valid profile. */
export async function readProfile(name: string): Promise<ApiProfile> {
  const { common, uncommon } = readPresets();
  const preset = new Map(Object.entries({ ...common, ...uncommon })).get(name);
  if (preset !== undefined) return parsed({ name, ...preset }, name);
  return parsed(await fileContent(name), name);
}

export function changedProfile(profile: ApiProfile, changes: ProfileChanges): ApiProfile {
  const { dialect, search } = profile;
  const { paging, matches, identifiers } = dialect.search;
  const changed = {
    ...dialect.search,
    matches: changes.matches ?? matches,
    identifiers: changes.identifiers ?? identifiers,
    paging: {
      ...paging,
      size: changes.maxPageSize ?? Math.max(paging.size, changes.pageSize ?? 0),
      window: changes.window ?? paging.window,
    },
  };
  const facts = {
    ...search,
    default_size: changes.pageSize ?? search.default_size,
    folding: changes.folding ?? search.folding,
  };
  const result = { ...profile, dialect: { ...dialect, search: changed }, search: facts };
  return parsed(result, 'The profile with these options');
}

async function fileContent(path: string): Promise<unknown> {
  try {
    return parse(await readFile(path, 'utf8'));
  } catch (cause) {
    throw new UsageError(`"${path}" is neither a preset nor a readable YAML file.`, {
      hint: `Presets: ${presetNames().join(', ')}`,
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
