import type { SearchCall, SearchQuery } from '../../call.ts';
import type { Dialect } from '../../dialect/dialect.ts';
import { folded, wordsOf } from '../../folding.ts';
import type { KnownCompany, News, NewsRow, QueryState } from '../knowledge.ts';
import { findsName, foldedIdentifier, semanticsOf } from '../matching.ts';

/** A registry that answers searches as its dialect says, over companies that are known or imagined. */
export interface ImaginedRegistry {
  /** What one search would bring; `before`: how far the query was listed, and whom it has shown. */
  search(call: SearchCall, before: QueryState | undefined, isKnown: (entityId: string) => boolean): News;
}

export function imaginedRegistry(
  companies: readonly KnownCompany[],
  dialect: Dialect,
  nowMs: number,
): ImaginedRegistry {
  const { search } = dialect;
  const { paging } = search;
  const window =
    paging.style === 'none'
      ? Math.min(paging.size, paging.window ?? paging.size)
      : (paging.window ?? Infinity);
  const semantics = semanticsOf(dialect);
  const indexed = companies.map(({ entityId, name }) => ({
    ...{ entityId, name },
    foldedName: folded(name ?? ''),
    foldedId: foldedIdentifier(entityId),
  }));
  const byWord = new Map<string, typeof indexed>();
  if (semantics === 'token')
    for (const one of indexed)
      for (const word of new Set(wordsOf(one.foldedName))) {
        const bucket = byWord.get(word);
        if (bucket === undefined) byWord.set(word, [one]);
        else bucket.push(one);
      }
  const found = new Map<string, typeof indexed>();

  const matching = ({ by, text }: SearchQuery): typeof indexed => {
    const key = `${by}:${text}`;
    const already = found.get(key);
    if (already !== undefined) return already;
    const wanted = by === 'name' ? text : foldedIdentifier(text);
    const now = candidates({ by, text }).filter(({ foldedName, foldedId }) =>
      by === 'name' ? findsName(semantics, wanted, foldedName) : foldedId.startsWith(wanted),
    );
    found.set(key, now);
    return now;
  };

  /** What a text finds is among what it finds without its last character, or, for whole words, by one of them. */
  const candidates = ({ by, text }: SearchQuery): typeof indexed => {
    if (by === 'name' && semantics === 'token') return byWord.get(wordsOf(folded(text))[0] ?? '') ?? [];
    const shorter = [...text].slice(0, -1).join('');
    return shorter === '' ? indexed : matching({ by, text: shorter });
  };

  return {
    search: (call, before, isKnown) => {
      const { query, page } = call;
      if ([...query.text].length < search.min_length) return news(call, [], refused(query, nowMs));
      const all = matching(query);
      // What a listing has shown so far is known; what it will show stands after that.
      const listing =
        before === undefined || page.index === 0 ? all : all.toSorted((a, b) => rank(a) - rank(b));
      const reachable = Math.min(all.length, window);
      const from = page.index * paging.size;
      const shown = listing.slice(from, Math.min(from + paging.size, reachable));
      const rows = shown.map(({ entityId, name }) => ({
        ...{ entityId, name },
        isNew: !isKnown(entityId),
        changed: false,
      }));
      const isOpen = from + paging.size < reachable;
      const isCut = reachable < all.length;
      const total = search.total === null ? null : Math.min(all.length, search.total_clamped_at ?? Infinity);
      return news(call, rows, {
        ...{ query, total, pages: page.index + 1, rows: Math.min(from + paging.size, reachable) },
        ...{ next: isOpen ? 'more' : null, listedAtMs: before?.listedAtMs ?? nowMs },
        status: isOpen ? 'open' : isCut ? 'capped' : 'complete',
      });

      function rank({ entityId }: KnownCompany): number {
        return isKnown(entityId) ? 0 : 1;
      }
    },
  };
}

function refused(query: SearchQuery, listedAtMs: number): QueryState {
  return { query, total: null, pages: 0, rows: 0, next: null, status: 'refused', listedAtMs };
}

function news(call: SearchCall, rows: readonly NewsRow[], query: QueryState): News {
  return {
    ...{ call, rows, query, verdict: query.status === 'refused' ? 'refused' : 'ok' },
    ...{ record: null, missing: false, gone: false, quarantined: 0, failure: null },
  };
}
