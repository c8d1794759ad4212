import { queryKey, type SearchQuery } from './call.ts';
import { folded } from './folding.ts';
import type { BackfillPlanner } from './plan/backfill.ts';
import type { WantedListing } from './plan/listings.ts';
import type { Settled, Wish, WishRow } from './warehouse/backfill.ts';

/** What came of a wanted name; null: nothing yet. */
export function settledName({ position }: WishRow, planner: BackfillPlanner, at: number): Settled | null {
  const finding = planner.finding(at);
  const nothing = { position, entityId: null, name: null, candidates: null, note: null };
  switch (finding.is) {
    case 'open':
      return null;
    case 'not_found':
      return { ...nothing, state: 'not_found' };
    case 'found': {
      const { entityId, name } = finding.company;
      return { ...nothing, state: 'found', entityId, name };
    }
    case 'ambiguous': {
      const candidates = finding.candidates.map(({ entityId, name, score }) => ({
        entity_id: entityId,
        name,
        score: Math.round(score * 1000) / 1000,
      }));
      const same = finding.candidates.filter(({ score }) => score === 1).length;
      const note =
        same === 0
          ? 'only similar names'
          : same === 1
            ? 'there may be others of this name'
            : `${same} companies have this name`;
      return { ...nothing, state: 'ambiguous', candidates: JSON.stringify(candidates), note };
    }
  }
}

/** What came of a query or prefix; null: nothing yet. */
export function settledListing(
  { position, given }: WishRow,
  planner: BackfillPlanner,
  at: number,
): Settled | null {
  const { isDone, found, total } = planner.listing(at);
  if (!isDone) return null;
  const isCut = total !== null && found < total;
  const note = isCut
    ? `${found} companies of the ${total} that match: the registry shows no more of \`${given}\``
    : `${found} companies`;
  const state = found > 0 ? 'found' : 'not_found';
  return { position, state, entityId: null, name: null, candidates: null, note };
}

/** At the end: why a search brought nothing. */
export function failedSearch(
  wish: WishRow,
  failed: ReadonlyMap<string, string>,
  isOver: boolean,
): Settled | null {
  if (!isOver) return null;
  const note = failed.get(queryKey(queryOf(wish))) ?? 'the searches for it failed';
  return { position: wish.position, state: 'failed', entityId: null, name: null, candidates: null, note };
}

export function listingOf(wish: Wish): WantedListing {
  return { query: queryOf(wish), splits: wish.kind === 'prefix' };
}

function queryOf({ searchedBy, given }: Wish): SearchQuery {
  return searchedBy === 'identifier'
    ? { by: 'identifier', text: given }
    : { by: 'name', text: folded(given) };
}
