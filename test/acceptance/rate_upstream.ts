import { generateRegistry } from '../../data/generate.ts';
import type { ApiProfileInput } from '../../src/api/api_profile.ts';
import { readCompanies } from '../../src/sandbox/company_file.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { faulty } from '../support/faults.ts';

/** The query rules, each of which has one registry with many accounts. */
export const RULES = {
  'name prefix': { matches: 'prefix', identifiers: 'none' },
  'word prefix': { matches: 'token_prefix', identifiers: 'none' },
  'identifier prefix': { matches: 'token', identifiers: 'prefix' },
} as const satisfies Record<string, NonNullable<ApiProfileInput['dialect']>['search']>;

export type Rule = keyof typeof RULES;

/** One `sync` run with its own account, its own empty warehouse and a call limit. */
export interface Trial {
  readonly rule: Rule;
  readonly perMinute: number;
  readonly maxCalls: number;
  readonly connections: number;
  readonly responseMs: number;
}

export function accountOf({ perMinute, connections, responseMs }: Trial): string {
  return `${perMinute}-${connections}-${responseMs}`;
}

/** Reads the current names from a CSV file, or generates companies if the file does not exist. */
export async function companiesFrom(data: string | undefined) {
  if (data === undefined) return [...generateRegistry({ companies: 20_000, seed: 17 })];
  return Array.fromAsync(readCompanies(data, { where: { column: 'name_status', value: 'Current' } }));
}

/** A registry with one account for each trial of its query rule. Each account has its own limits and response time. */
export async function startRegistry(
  companies: Awaited<ReturnType<typeof companiesFrom>>,
  rule: Rule,
  trials: readonly Trial[],
): Promise<Sandbox> {
  const own = trials.filter((trial) => trial.rule === rule);
  const responseMs = new Map(own.map((trial) => [accountOf(trial), trial.responseMs]));
  const sandbox = await startSandbox({
    companies,
    profile: { dialect: { search: RULES[rule] } },
    accounts: [
      ...own.map((trial) => ({ id: accountOf(trial), perMinute: trial.perMinute, perDay: PER_DAY })),
      { id: WARM_UP },
    ],
    faults: faulty(({ account }) => ({ kind: 'delay', ms: responseMs.get(account ?? '') ?? 0 })),
  });
  await warmUp(sandbox);
  return sandbox;
}

export const PER_DAY = 1000;

/** The first search builds the index, which blocks the process for longer than the time between two slots. */
async function warmUp(sandbox: Sandbox): Promise<void> {
  const url = new URL(`${sandbox.url}${sandbox.profile.paths.search}`);
  url.searchParams.set(sandbox.dialect.search.query_param ?? 'q', '0');
  const response = await fetch(url, { headers: { authorization: `Bearer ${sandbox.keyOf(WARM_UP)}` } });
  if (!response.ok)
    throw new Error(`The sandbox rejected the warm-up search with status ${response.status}.`);
  await response.arrayBuffer();
}

const WARM_UP = 'warm-up';
