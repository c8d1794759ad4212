import type { IdentifierMatch } from '../dialect/dialect.ts';
import { loosely } from '../names/loose_matching.ts';
import { type Exchange, type Finding, likely, open, sure } from './exchange.ts';
import type { SearchPage } from './pages.ts';
import { roleOfParam } from './words.ts';

/** Hypotheses and evidence about searches by identifier: the parameter, and whether a prefix is enough. */

export interface IdentifierFacts {
  /** The separate parameter. Null if the query parameter accepts identifiers, or if no parameter does. */
  readonly param: Finding<string | null>;
  readonly matches: Finding<IdentifierMatch>;
  /** The parameters that may have found an identifier: several if they had the same one. */
  readonly possible: readonly string[];
}

interface IdentifierEvidence {
  readonly pages: readonly SearchPage[];
  readonly refused: readonly Exchange[];
  /** The ids of known companies. */
  readonly ids: readonly string[];
  readonly queryParam: string;
  readonly isWhole: (page: SearchPage) => boolean;
  readonly stated: string | null;
}

/** A search for an identifier or for a prefix of one. */
interface Attempt {
  readonly page: SearchPage;
  readonly param: string;
  readonly identifier: string;
  readonly hasFound: boolean;
}

export function findIdentifiers(evidence: IdentifierEvidence): IdentifierFacts {
  const found = judge(evidence);
  return found.param.certainty === 'open' && evidence.stated !== null
    ? { ...found, param: likely(evidence.stated, 'the document states it') }
    : found;
}

function judge({ pages, refused, ids, queryParam, isWhole }: IdentifierEvidence): IdentifierFacts {
  const attempts = pages.flatMap((page) => attemptsIn(page, ids, queryParam));
  const refusedParams = refused.flatMap(({ request }) => {
    const names = request.params.map(([name]) => name).filter((name) => roleOfParam(name) !== 'size');
    return names.every((name) => roleOfParam(name) === 'identifier') ? names : [];
  });
  const possible = possibleParams(attempts, refusedParams);
  const hit = attempts.find(({ param, hasFound }) => hasFound && possible.includes(param));
  if (hit === undefined) {
    const complete = attempts.filter(({ identifier }) => ids.includes(identifier)).map(({ param }) => param);
    return { ...notFound([...complete, ...refusedParams], queryParam), possible };
  }
  if (possible.length > 1) {
    const because = `one of ${possible.join(', ')} finds ${hit.identifier}`;
    return { param: open(null, because), matches: open('unknown', because), possible };
  }
  const because = `${hit.param}=${hit.identifier} finds the company`;
  return {
    param: sure(hit.param === queryParam ? null : hit.param, because),
    matches: ruleOf(
      attempts.filter(({ param }) => param === hit.param),
      hit,
      ids,
      isWhole,
    ),
    possible,
  };
}

function possibleParams(attempts: readonly Attempt[], refused: readonly string[]): string[] {
  const failed = new Set([
    ...attempts.filter(({ hasFound }) => !hasFound).map(({ param }) => param),
    ...refused,
  ]);
  const groups = Map.groupBy(
    attempts.filter(({ hasFound }) => hasFound),
    ({ page }) => page,
  );
  const [smallest = []] = [...groups.values()].sort((a, b) => a.length - b.length);
  const params = smallest.map(({ param }) => param);
  return params.length > 1 ? params.filter((param) => !failed.has(param)) : params;
}

function notFound(params: readonly string[], queryParam: string): Omit<IdentifierFacts, 'possible'> {
  const tried = [...new Set(params)];
  const unsent = 'no search for an identifier was sent';
  if (tried.length === 0) return { param: open(null, unsent), matches: open('unknown', unsent) };
  const because = `a known identifier is not found by ${tried.slice(0, 4).join(', ')}${tried.length > 4 ? ' and others' : ''}`;
  return tried.length > 1 && tried.includes(queryParam)
    ? { param: likely(null, because), matches: likely('none', because) }
    : { param: open(null, because), matches: open('unknown', because) };
}

function ruleOf(
  attempts: readonly Attempt[],
  hit: Attempt,
  ids: readonly string[],
  isWhole: (page: SearchPage) => boolean,
): Finding<IdentifierMatch> {
  const prefixes = attempts.filter(({ identifier }) => !ids.includes(identifier));
  const yes = prefixes.find(({ hasFound }) => hasFound);
  if (yes !== undefined)
    return sure(
      'prefix',
      `"${yes.identifier}" finds ${yes.page.ids.find((id) => id.startsWith(yes.identifier))}`,
    );
  const no = prefixes.find(({ page }) => isWhole(page));
  return no === undefined
    ? open('unknown', `"${hit.identifier}" finds the company; no prefix was sent`)
    : sure('exact', `"${hit.identifier}" finds the company, but the prefix "${no.identifier}" does not`);
}

function attemptsIn(page: SearchPage, ids: readonly string[], queryParam: string): Attempt[] {
  return page.exchange.request.params.flatMap(([param, identifier]) => {
    if (param !== queryParam && roleOfParam(param) !== 'identifier') return [];
    const isComplete = ids.includes(identifier);
    // A word without digits can be an id's prefix by chance, so it is not counted as an identifier.
    const isPrefix =
      /\d/.test(identifier) && identifier.length >= 2 && ids.some((id) => id.startsWith(identifier));
    if (!isComplete && !isPrefix) return [];
    return [{ page, param, identifier, hasFound: hasFound(page, identifier, isComplete) }];
  });
}

/** Returns whether the rows include the wanted company, and every row's id or name matches the identifier. */
function hasFound({ ids, names }: SearchPage, identifier: string, isComplete: boolean): boolean {
  const isInName = (index: number) => loosely(names[index] ?? '').includes(loosely(identifier));
  return (
    ids.some(
      (id, index) =>
        (isComplete ? id === identifier : id.startsWith(identifier) && id !== identifier) && !isInName(index),
    ) && ids.every((id, index) => id.startsWith(identifier) || isInName(index))
  );
}

/** Returns the longest prefix that several known ids share, or else an id without its last two characters. */
export function identifierPrefix(ids: readonly string[]): string | null {
  const counts = new Map<string, number>();
  for (const id of ids)
    for (let length = 3; length < id.length; length++)
      counts.set(id.slice(0, length), (counts.get(id.slice(0, length)) ?? 0) + 1);
  const known = new Set(ids);
  const [best] = [...counts]
    .filter(([prefix, count]) => count > 1 && !known.has(prefix))
    .sort((a, b) => b[0].length - a[0].length);
  const [first] = ids;
  return best?.[0] ?? (first !== undefined && first.length > 4 ? first.slice(0, -2) : null);
}
