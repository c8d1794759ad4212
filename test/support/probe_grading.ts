import type { ApiProfile } from '../../src/api/api_profile.ts';
import type { Dialect } from '../../src/dialect/dialect.ts';
import type { Finding } from '../../src/probe/evidence.ts';
import { shortestAnswered } from '../../src/probe/full_listing.ts';
import type { Conclusions, SearchConclusions } from '../../src/probe/probe.ts';

/** right: found · open: not found, and said so · guessed wrong: called likely · wrong: called sure. */
export type Grade = 'right' | 'open' | 'guessed wrong' | 'wrong';

/** Every finding of a probe against what the shape is. */
export function gradesOf(conclusions: Conclusions, profile: ApiProfile, truth: Dialect): Map<string, Grade> {
  const { queryParam, registryTotal, search, fullListing: everything } = conclusions;
  return new Map([
    ['query parameter', grade(queryParam, (param) => param === truth.search.query_param)],
    ['registry total', grade(registryTotal, (place) => place === truth.stats.total)],
    ...(search === null ? [] : searchGrades(search, everything, profile, truth)),
  ]);
}

function searchGrades(
  search: SearchConclusions,
  everything: Finding<boolean>,
  profile: ApiProfile,
  truth: Dialect,
): [string, Grade][] {
  const {
    listing,
    item,
    id,
    name,
    total,
    clamp,
    size,
    paging: turning,
    record,
    semantics,
    identifiers,
    minQueryLength: least,
  } = search;
  const { search: spoken, entity } = truth;
  const isEmpty = { certainty: 'sure' as const, because: '' };
  return [
    ['list', grade({ value: listing.results, ...isEmpty }, (place) => place === spoken.results)],
    ['id', grade(id, (place) => item + place === spoken.item + spoken.id)],
    ['name', grade(name, (place) => item + place === spoken.item + spoken.name)],
    ['total', grade(total, (place) => place === spoken.total)],
    ...(spoken.total_clamped_at === null && clamp.value === null
      ? []
      : [['clamp', grade(clamp, (at) => at === spoken.total_clamped_at)] satisfies [string, Grade]]),
    ['size parameter', grade(size.param, (param) => param === spoken.paging.size_param)],
    [
      'largest page',
      grade(size.maxSize, ({ rows }) =>
        isLargest(rows, profile, size.param.value === null ? null : spoken.paging.size),
      ),
    ],
    ['next page', grade(turning, (way) => isSameWay(way, spoken.paging))],
    [
      'record',
      grade(
        record,
        (places) => places?.root === entity.root && places.id === entity.id && places.name === entity.name,
      ),
    ],
    ['semantics', grade(semantics, (how) => how === spoken.matches)],
    ['shortest text', grade(shortestAnswered(least, everything), (length) => length === spoken.min_length)],
    ['identifiers', grade(identifiers.matches, (how) => how === spoken.identifiers)],
    ['identifier parameter', grade(identifiers.param, (param) => isSameParam(param, truth))],
  ];
}

/** What is allowed on a page, or what can ever come: the reachable rows of a query are a limit too. */
function isLargest(rows: number, { search: { paging, window } }: ApiProfile, size: number | null): boolean {
  const allowed = size ?? paging.size;
  return rows === allowed || rows === Math.min(allowed, window?.rows ?? allowed);
}

function grade<T>({ value, certainty }: Finding<T>, isRight: (value: T) => boolean): Grade {
  if (certainty === 'open') return 'open';
  if (isRight(value)) return 'right';
  return certainty === 'sure' ? 'wrong' : 'guessed wrong';
}

function isSameWay(way: SearchConclusions['paging']['value'], paging: Dialect['search']['paging']): boolean {
  if (way === null) return paging.style === 'none';
  if (way.style !== paging.style) return false;
  const { size, size_param, window, ...rest } = { first: null, ...paging };
  return (
    JSON.stringify(Object.entries({ first: null, ...way }).sort()) ===
    JSON.stringify(Object.entries(rest).sort())
  );
}

/** Where identifiers cannot be searched for, their parameter cannot be found either. */
function isSameParam(param: string | null, { search }: Dialect): boolean {
  return (
    search.identifiers === 'none' ||
    (param ?? search.query_param) === (search.identifier_param ?? search.query_param)
  );
}
