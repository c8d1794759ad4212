import type { ApiProfile } from '../../src/api/api_profile.ts';
import type { Dialect } from '../../src/dialect/dialect.ts';
import type { Beliefs, SearchBeliefs } from '../../src/probe/beliefs.ts';
import type { Finding } from '../../src/probe/exchange.ts';
import { minLengthWithEmptyQuery } from '../../src/probe/lengths.ts';

/** right: correct · open: certainty `open` · guessed wrong: incorrect with certainty `likely` · wrong: incorrect and `sure`. */
export type Grade = 'right' | 'open' | 'guessed wrong' | 'wrong';

/** Compares a probe's findings with the upstream's true dialect. */
export function gradesOf(beliefs: Beliefs, profile: ApiProfile, truth: Dialect): Map<string, Grade> {
  const { query, registryTotal, search, fullListing } = beliefs;
  return new Map([
    ['query parameter', grade(query, (found) => found?.param === truth.search.query_param)],
    ['registry total', grade(registryTotal, (path) => path === truth.stats.total)],
    ...(search === null ? [] : searchGrades(search, fullListing, profile, truth)),
  ]);
}

function searchGrades(
  search: SearchBeliefs,
  fullListing: Finding<boolean>,
  profile: ApiProfile,
  { search: truth, entity }: Dialect,
): [string, Grade][] {
  const { listing, item, id, name, total, size, paging, record, rule, minLength: shortest } = search;
  const minLength = minLengthWithEmptyQuery(shortest, fullListing);
  const trueSize = size.param.value === null ? null : truth.paging.size;
  const list: Finding<string> = { value: listing.results, certainty: 'sure', because: '' };
  return [
    ['list', grade(list, (path) => path === truth.results)],
    ['id', grade(id, (path) => item + path === truth.item + truth.id)],
    ['name', grade(name, (path) => item + path === truth.item + truth.name)],
    ['total', grade(total, (path) => path === (truth.total ?? profile.search.total_header))],
    ['size parameter', grade(size.param, (param) => param === truth.paging.size_param)],
    ['largest page', grade(size.maxSize, ({ rows }) => isMaxPageSize(rows, profile, trueSize))],
    ['next page', grade(paging, (style) => isSamePaging(style, truth.paging))],
    [
      'record',
      grade(
        record,
        (paths) => paths?.root === entity.root && paths.id === entity.id && paths.name === entity.name,
      ),
    ],
    ['semantics', grade(rule, (found) => found === truth.matches)],
    ['shortest query', grade(minLength, (length) => length === truth.min_length)],
  ];
}

/** Returns whether the number of rows is the max page size, or the cap if the cap is smaller. */
function isMaxPageSize(
  rows: number,
  {
    dialect: {
      search: { paging },
    },
    search: { default_size },
  }: ApiProfile,
  trueSize: number | null,
): boolean {
  const allowed = trueSize ?? (paging.size_param === null ? paging.size : default_size);
  return rows === allowed || rows === Math.min(allowed, paging.window ?? allowed);
}

function grade<T>({ value, certainty }: Finding<T>, isRight: (value: T) => boolean): Grade {
  if (certainty === 'open') return 'open';
  if (isRight(value)) return 'right';
  return certainty === 'sure' ? 'wrong' : 'guessed wrong';
}

function isSamePaging(found: SearchBeliefs['paging']['value'], truth: Dialect['search']['paging']): boolean {
  if (found === null) return truth.style === 'none';
  if (found.style !== truth.style) return false;
  const { size, size_param, window, uneven, ...rest } = { first: null, ...truth };
  return (
    JSON.stringify(Object.entries({ first: null, ...found }).sort()) ===
    JSON.stringify(Object.entries(rest).sort())
  );
}
