import { segmentsOf } from '../json/pointer.ts';
import type { Beliefs, SearchBeliefs } from './beliefs.ts';
import { broadest } from './broad.ts';
import type { Param } from './exchange.ts';
import { queryParams, type SearchExperiment } from './experiment.ts';
import { asksForCursors, FAR, FIRST_CURSOR, isTruncated, type SearchPage } from './pages.ts';
import {
  candidatesOf,
  cursorsOf,
  cursorTrials,
  distinctShifts,
  groupSize,
  isPossibleCursor,
  pagesWithCursors,
  thirdsOfValues,
} from './paging.ts';
import { fittingUrl, namesFor, ownNames } from './params.ts';
import { MANY_ROWS, smallSize, unseenSizes } from './size_experiments.ts';
import { likelyHalf } from './trials.ts';
import { isPagingParam, roleOfParam, wordsOfKey } from './words.ts';

/** Searches that find how the next page is requested. */

export function pagingExperiments(beliefs: Beliefs, search: SearchBeliefs): SearchExperiment[] {
  const { params } = beliefs;
  const { paging, pages } = search;
  const base = broadest(search);
  if (base === null || paging.certainty === 'sure') return [];
  const query = queryParams(beliefs, base.query);
  // A parameter that moves the rows shows that there are more.
  const truncated = paging.moves.length > 0 ? 'yes' : isTruncated(base, pages);
  const scale = truncated === 'yes' ? 1 : truncated === 'maybe' ? 0.7 : 0.3;
  const experiments =
    paging.link?.is === 'cursor'
      ? cursorExperiments(beliefs, search, base)
      : paging.isOrderUnstable
        ? farMoves(beliefs, query, search)
        : paging.moves.length > 1
          ? separatingMoves(query, base, search, params.isLenient)
          : [
              ...firstMoves(beliefs, query, base, search),
              ...(params.isLenient && beliefs.query.value === null
                ? cursorExperiments(beliefs, search, base, true)
                : []),
            ];
  return experiments.map((one) => ({
    ...one,
    separates: { ...one.separates, paging: (one.separates.paging ?? 0) * scale },
  }));
}

function cursorExperiments(
  beliefs: Beliefs,
  { pages: all, paging }: SearchBeliefs,
  base: SearchPage,
  areIds = false,
): SearchExperiment[] {
  const { params } = beliefs;
  const pages = pagesWithCursors(all);
  const queries = [base.query, ...pages.map(({ query }) => query)];
  const [text = base.query] = queries.filter((one) => cursorsOf(one, pages, areIds).length > 0);
  // An API can write another cursor to the same rows into each response.
  const known = [...new Map(cursorsOf(text, pages, areIds).map((one) => [one.rows, one])).values()];
  const key = segmentsOf(paging.link?.at ?? '').at(-1) ?? '';
  const trials = cursorTrials(pages, areIds);
  const possible = [
    ...new Set([...cursorNames(key), ...ownNames('page', params), ...namesFor('cursor', params)]),
  ].filter(
    (name) =>
      isPossibleCursor(name, trials) &&
      !params.refusedAlone.has(name) &&
      !(params.namesAll && params.refused.has(name)) &&
      (!areIds || roleOfParam(name) === 'cursor'),
  );
  const [first] = known;
  const isOwn = possible.some((name) => params.known.has(name));
  const withCursors = (names: readonly string[], cursors: readonly string[]) =>
    names.map((name, index): Param => [name, cursors[index % cursors.length] ?? '']);
  const suspects = possible.map((name, rank) => ({ param: [name, ''] as const, weight: 1 / (rank + 2) }));
  const half = likelyHalf(suspects).map(([name]) => name);
  const isGroupEffective = trials.some(({ effective }) => effective.length > 0);
  const sent =
    first === undefined
      ? withCursors(possible.slice(0, 1), [FIRST_CURSOR])
      : !params.isLenient
        ? // An error that names all unknown parameters leaves those that the API has.
          withCursors(possible.slice(0, params.namesAll && !isOwn ? MAX_CURSOR_NAMES : 1), [first.value])
        : trials.length === 0 && !areIds
          ? withCursors(
              possible.slice(0, known.length),
              known.map(({ value }) => value),
            )
          : withCursors(isGroupEffective ? half : possible.slice(0, MAX_CURSOR_NAMES), [first.value]);
  if (sent.length === 0) return [];
  const named = sent.slice(0, 3).map(([name]) => name);
  const why = `does ${named.join(', or ')} take the ${areIds ? 'last id' : 'cursor'}?`;
  const tries = [...params.refusedAlone].filter((name) => roleOfParam(name) === 'cursor').length;
  // Page numbers and offsets are more usual than ids.
  const wereOthersTried = beliefs.evidence.searches.some(
    ({ request }) => request.params.filter(([name]) => isPagingParam(name)).length > 8,
  );
  const separation = (!areIds ? 0.6 : wereOthersTried ? 0.8 : 0.4) * 0.9 ** tries;
  return [{ params: [...queryParams(beliefs, text), ...sent], why, separates: { paging: separation } }];
}

const MAX_CURSOR_NAMES = 24;

/** Returns names for the parameter that takes the cursor at a key. For `next_page_token`, one of them is `pagetoken`. */
function cursorNames(key: string): string[] {
  const words = wordsOfKey(key);
  const parts = [words.slice(1), words.slice(0, -1)].filter((part) => isPagingParam(part.join('_')));
  const camelOf = (part: readonly string[]) =>
    part.map((word, at) => (at === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1))).join('');
  const spelled = parts.flatMap((part) => {
    const joins = [part.join('_'), camelOf(part), part.join('')];
    return key.includes('_') ? joins : [...joins.slice(1), ...joins.slice(0, 1)];
  });
  const names = [...spelled.filter((name) => !/next/i.test(name)), key, camelOf(words)];
  return [...new Set(names)].filter(isPagingParam);
}

/** Requests while no parameter is known to have an effect: all candidates together, then each alone. */
function firstMoves(
  beliefs: Beliefs,
  query: Param[],
  base: SearchPage,
  search: SearchBeliefs,
): SearchExperiment[] {
  const { params } = beliefs;
  const { unmoving } = search.paging;
  const untriedFor = (role: 'page' | 'offset') =>
    namesFor(role, params).filter((name) => !unmoving.has(name));
  const [pages, offsets] = [untriedFor('page'), untriedFor('offset')];
  // If the API refused a name, names with the other role come first.
  const refusedAs = (style: 'page' | 'offset') =>
    [...params.refused].filter((name) => roleOfParam(name) === style).length;
  const ranked = (names: readonly string[], style: 'page' | 'offset') =>
    names.map((param, index) => ({ param, style, firsts: [0, 1], rank: index + refusedAs(style) }));
  const candidates = [...ranked(pages, 'page'), ...ranked(offsets, 'offset')].sort((a, b) => a.rank - b.rank);
  const small = smallSize(search);
  const pageSize = small[0]?.[1] ?? String(Math.max(2, base.ids.length));
  const isEchoed = (name: string) => params.ofEnvelope.includes(name) || params.known.has(name);
  const ordered = [
    ...candidates.filter(({ param }) => isEchoed(param)),
    ...candidates.filter(({ param }) => !isEchoed(param)),
  ];
  const alone = ordered
    .filter(({ param }) => !params.refusedAlone.has(param))
    .slice(0, params.mayBeStrict ? 6 : 3)
    .map(
      ({ param, style }, index): SearchExperiment => ({
        // Some APIs accept only offsets at which a page begins.
        params: [...query, ...small, [param, style === 'offset' ? pageSize : '2']],
        why: `does ${param} request the next page?`,
        separates: {
          paging:
            (params.known.has(param) ? 0.8 : isEchoed(param) || /^page$/i.test(param) ? 0.5 : 0.25) *
            0.9 ** index,
        },
      }),
    );
  if (params.mayBeStrict) {
    const untested = [...pages, ...offsets, ...namesFor('cursor', params)].filter(
      (name) => !params.known.has(name),
    );
    const sweep: SearchExperiment[] =
      params.namesAll && !params.isListed && untested.length >= 8
        ? [
            {
              params: [...query, ...untested.map((name): Param => [name, '1'])],
              why: 'which of these parameters does the API have?',
              separates: { paging: 0.7, size: 0.1 },
            },
          ]
        : [];
    if (params.isStrict) return [...sweep, ...alone];
  }
  const names = namesFor('size', params).filter((name) => !search.size.ignored.has(name));
  const sizes = small.length > 0 ? small : unseenSizes(names.slice(0, 24), search, 2);
  // If no size parameter has an effect, every move leads beyond the known rows.
  const isFixed =
    small.length === 0 &&
    search.size.param.certainty === 'likely' &&
    base.ids.length === search.size.byDefault;
  const steps = isFixed ? [search.size.byDefault ?? 1] : sizes.map(([, value]) => Number(value));
  const batch = fittingUrl([...sizes, ...ordered.map(({ param }): Param => [param, '100'])]);
  const inBatch = new Set(batch.map(([name]) => name));
  const values = distinctShifts(
    ordered.filter(({ param }) => inBatch.has(param)),
    steps,
    rowsKnown(base),
  );
  if (values.length === 0) return [];
  const together: SearchExperiment = {
    params: [...query, ...sizes, ...values],
    why: 'which parameter requests the next page? (each moves the rows by a different number)',
    separates: {
      paging:
        unmoving.size > 0
          ? isTruncated(base, search.pages) === 'yes'
            ? 0.45
            : 0.2
          : small.length > 0
            ? base.ids.length >= MANY_ROWS
              ? 0.8
              : 0.6
            : 0.48,
      size: small.length > 0 ? 0 : 0.4,
    },
  };
  const all = [together, ...(unmoving.size > 0 ? [] : alone)];
  if (beliefs.evidence.searches.some((one) => one.reading === 'refused' && asksForCursors(one))) return all;
  // An API with cursors returns one, so that its listing does not end where its page numbers do.
  const cursors = namesFor('cursor', params)
    .filter((name) => /^(?!next).*cur(sor|seur)/i.test(name))
    .map((name): Param => [name, FIRST_CURSOR]);
  return all.map((one) => ({ ...one, params: [...one.params, ...cursors] }));
}

/**
 * Requests for pages beyond the end. If the rows have another order in each response, only a page without rows shows that
 * a parameter moves them.
 */
function farMoves({ params }: Beliefs, query: Param[], { paging }: SearchBeliefs): SearchExperiment[] {
  const moving = candidatesOf(paging.moves);
  const [only, ...others] = moving;
  const names = moving.map(({ param }) => param);
  const untried = [...namesFor('page', params), ...namesFor('offset', params)].filter(
    (name) => !paging.unmoving.has(name) && !params.refused.has(name),
  );
  const suspects = (names.length > 0 ? names : untried).map((name, rank) => ({
    param: [name, FAR] as const,
    weight: 1 / (rank + 2),
  }));
  const half = likelyHalf(suspects);
  const sent: Param[] =
    only !== undefined && others.length === 0
      ? [[only.param, '0']]
      : names.length > 0 || !params.isLenient
        ? half.slice(0, params.isLenient ? undefined : 1)
        : suspects.map(({ param }) => param);
  return sent.length === 0
    ? []
    : [
        {
          params: [...query, ...sent],
          why: `do ${sent
            .slice(0, 3)
            .map(([name]) => name)
            .join(', or ')} request a page?`,
          separates: { paging: 0.8 },
        },
      ];
}

/** Requests that separate several possible moves. */
function separatingMoves(
  query: Param[],
  base: SearchPage,
  search: SearchBeliefs,
  isLenient: boolean,
): SearchExperiment[] {
  const { moves, positions } = search.paging;
  const candidates = candidatesOf(moves);
  const size = smallSize(search);
  const step = size.length > 0 ? Number(size[0]?.[1]) : (search.size.byDefault ?? base.ids.length);
  const rows = rowsKnown(base);
  const experiment = (params: readonly Param[], index: number): SearchExperiment => ({
    params: [...query, ...params],
    why: `does ${candidates
      .slice(0, 3)
      .map(({ param }) => param)
      .join(', or ')} request the next page?`,
    separates: { paging: 0.7 * 0.95 ** index },
  });
  const moved = candidates.map((one) => [...size, ...distinctShifts([one], [step], rows)]);
  // The value 1 requests the first page, or the second page if page numbers start at 0.
  const first = candidates.map(({ param }) => [...size, [param, '1'] as const]);
  const alone = candidates.length === 1 ? [...first, ...moved] : [...moved, ...first];
  if (!isLenient || candidates.length === 1) return alone.map(experiment);
  // A candidate that is left out moves nothing, so a page that starts elsewhere shows that it is one of the others.
  const values = distinctShifts(candidates, [step], rows, null);
  const together = values.length > 0 ? [[...size, ...values]] : [];
  const beyond = positions.filter(({ shift }) => shift === 'beyond');
  const far = beyond.find(({ page }) => page.ids.length > 0) ?? beyond[0];
  const repeated = far === undefined ? [] : [[...size, ...thirdsOfValues(candidates, far)]];
  const some = [...size, ...distinctShifts(candidates.slice(0, groupSize(candidates)), [step], rows)];
  const grouped =
    step * 2 < base.ids.length ? [...together, ...repeated, some] : [...repeated, ...together, some];
  return [...grouped, ...alone].map(experiment);
}

function rowsKnown({ ids, total }: SearchPage) {
  return { count: ids.length, total: total ?? Number.POSITIVE_INFINITY };
}
