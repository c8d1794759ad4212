import type { Knowledge, MadeSearch } from '../../knowledge.ts';

/** Returns at most `most` of the searches made since the registry count last changed, most recent search first. */
export function searchesSinceCount(knowledge: Pick<Knowledge, 'latestSearches'>, most: number): MadeSearch[] {
  const latest: MadeSearch[] = [];
  for (const search of knowledge.latestSearches()) {
    if (!search.isSinceCount || latest.length === most) break;
    latest.push(search);
  }
  return latest;
}
