import type { IdentifierMatch } from '../../dialect/dialect.ts';
import { loosely } from '../../names/loose_matching.ts';
import type { IdentifierFacts, IsWhole, SearchPage } from '../conclusions.ts';
import { errorHintsOf } from '../errors/error_hints.ts';
import { type Exchange, type Finding, likely, open, sure } from '../evidence.ts';
import { roleOfParam } from '../param_roles.ts';

/** A search for an identifier or for a prefix of an identifier. */
interface Attempt {
  readonly page: SearchPage;
  readonly param: string;
  readonly identifier: string;
  readonly hasFound: boolean;
}

interface IdentifierEvidence {
  readonly pages: readonly SearchPage[];
  readonly refused: readonly Exchange[];
  /** The ids of known companies. */
  readonly ids: readonly string[];
  readonly queryParam: string;
  readonly isWhole: IsWhole;
  /** Whether the API refuses unknown parameters. */
  readonly isStrict: boolean;
}

/** Finds the parameter for searches by identifier, and the query rule of these searches. */
export function findIdentifiers(evidence: IdentifierEvidence): IdentifierFacts {
  const { pages, refused, ids, queryParam, isWhole, isStrict } = evidence;
  const attempts = pages.flatMap((page) => attemptsIn(page, ids, queryParam));
  const refusedParams = refused.flatMap(identifierParamsIn);
  const possible = possibleParams(attempts, refusedParams);
  const hit = attempts.find(({ param, hasFound }) => hasFound && possible.includes(param));
  const accepted = attempts.find(({ param }) => isStrict && param !== queryParam);
  if (hit === undefined && accepted !== undefined) {
    const because = `the API accepts ${accepted.param}; the prefix "${accepted.identifier}" finds nothing`;
    return { param: likely(accepted.param, because), matches: open('unknown', because), possible };
  }
  if (hit === undefined) {
    const complete = attempts.filter(({ identifier }) => ids.includes(identifier));
    return { ...notFound([...complete.map(({ param }) => param), ...refusedParams], queryParam), possible };
  }
  if (possible.length > 1) {
    const because = `one of ${possible.join(', ')} finds ${hit.identifier}`;
    return { param: open(null, because), matches: open('unknown', because), possible };
  }
  const because = `${hit.param}=${hit.identifier} finds the company`;
  const sameParam = attempts.filter(({ param }) => param === hit.param);
  return {
    param: sure(hit.param === queryParam ? null : hit.param, because),
    matches: ruleOf(sameParam, hit, ids, isWhole),
    possible,
  };
}

/**
 * Returns the parameters that may have found an identifier. There are several if they all had the same identifier in
 * every search.
 */
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
  if (tried.length === 0)
    return {
      param: open(null, 'no search for an identifier was sent'),
      matches: open('unknown', 'no search for an identifier was sent'),
    };
  const because = `a known identifier is not found by ${tried.slice(0, 4).join(', ')}${tried.length > 4 ? ' and others' : ''}`;
  return tried.length > 1 && tried.includes(queryParam)
    ? { param: likely(null, because), matches: likely('none', because) }
    : { param: open(null, because), matches: open('unknown', because) };
}

/** Returns the parameters in a refused search that had only identifier parameters. The API has none of them. */
function identifierParamsIn(refusal: Exchange): string[] {
  if (errorHintsOf([refusal]).refusesUnknown) return [];
  const names = refusal.request.params.map(([name]) => name).filter((name) => roleOfParam(name) !== 'size');
  const isForIdentifiers = names.length > 0 && names.every((name) => roleOfParam(name) === 'identifier');
  return isForIdentifiers ? names : [];
}

function ruleOf(
  attempts: readonly Attempt[],
  hit: Attempt,
  ids: readonly string[],
  isWhole: IsWhole,
): Finding<IdentifierMatch> {
  const prefixes = attempts.filter(({ identifier }) => !ids.includes(identifier));
  const yes = prefixes.find(({ hasFound }) => hasFound);
  if (yes !== undefined) return sure('prefix', `"${yes.identifier}" finds ${firstIdOf(yes)}`);
  const no = prefixes.find(({ page }) => isWhole(page));
  if (no !== undefined)
    return sure('exact', `"${hit.identifier}" finds the company, but the prefix "${no.identifier}" does not`);
  return open('unknown', `"${hit.identifier}" finds the company; no prefix was sent`);
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

function firstIdOf({ page, identifier }: Attempt): string {
  return page.ids.find((id) => id.startsWith(identifier)) ?? '';
}
