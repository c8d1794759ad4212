import { type Call, targetOf } from '../../call.ts';
import type { AccountCost } from '../../estimate/account_cost.ts';
import type { SyncEstimate } from '../../estimate/sync_estimate.ts';
import type { RegistrySize } from '../../plan/registry_size.ts';
import type { Watchlist } from '../../plan/wanted/watchlist_planner.ts';
import type { Scope } from '../../planner.ts';
import { count, counted } from '../../report/figures.ts';
import type { Output } from '../output.ts';
import { printable, tableLines } from '../table.ts';
import { describeCost, range } from './cost_text.ts';
import { describeNextRun, type NextRun } from './next_run.ts';

/** What a sync will take and bring, for a person. */
export function describeSyncEstimate(
  facts: {
    readonly price: AccountCost;
    readonly sync: SyncEstimate;
    readonly scope: Scope;
    readonly known: number;
    readonly next: NextRun;
    readonly resumesAt: string | null;
  },
  output: Output,
): string {
  const { price: estimate, sync, scope, known, next, resumesAt } = facts;
  const size = [
    ...(scope.of === 'whole' ? [] : [`  watchlist  ${watchlistInWords(scope)}`]),
    `  registry   ${sizeInWords(sync.size, known)}`,
  ];
  if (estimate.total.high === 0)
    return [output.style('bold', 'Nothing is due: a sync now would send no call.'), ...size].join('\n');
  return [
    output.style('bold', `Until ${estimate.isBounded ? '--max-calls' : 'nothing is due'}, sync would take`),
    ...describeCost(estimate),
    ...(estimate.isBounded ? [] : [`  for that   ${bringsInWords(sync)}`]),
    ...size,
    `  next run   ${describeNextRun(next, resumesAt)}`,
  ].join('\n');
}

function bringsInWords({ companies, entity }: SyncEstimate): string {
  const found = companies.high === 0 ? [] : [`${range(companies, 'company', 'companies')} not known yet`];
  const records = entity.high === 0 ? [] : [`${range(entity, 'record')} fetched`];
  const brings = [...found, ...records];
  return brings.length === 0 ? 'lists that are up to date' : brings.join(', ');
}

function watchlistInWords(watchlist: Watchlist): string {
  const nouns = { names: ['name', 'names'], ids: ['id', 'ids'], queries: ['query', 'queries'] } as const;
  const [noun, plural] = nouns[watchlist.of];
  return `${counted(lengthOf(watchlist), noun, plural)}, and nothing else`;
}

function lengthOf(watchlist: Watchlist): number {
  if (watchlist.of === 'names') return watchlist.names.length;
  return watchlist.of === 'ids' ? watchlist.ids.length : watchlist.queries.length;
}

/** What sync is for, in `--json`. */
export function scopeData(scope: Scope) {
  return scope.of === 'whole' ? { of: scope.of } : { of: scope.of, count: lengthOf(scope) };
}

function sizeInWords({ low, high, by }: RegistrySize, known: number): string {
  const seen = `${count(known)} known`;
  if (by === 'nothing' || high === null)
    return `${seen}; nobody can tell how many there are until its statistics or a search says so`;
  if (by === 'statistics') return `${counted(low, 'company', 'companies')} by its own count, ${seen}`;
  return `${range({ low, high }, 'company', 'companies')} by the totals of searches, ${seen}`;
}

/** The next calls, best first, as a table. */
export function describeCalls(calls: readonly Call[], output: Output): string {
  if (calls.length === 0) return 'No call is due now.';
  const rows = calls.map((call, at) => [
    String(at + 1),
    call.kind === 'stats' ? 'statistics' : call.kind === 'entity' ? 'record' : 'search',
    printable(targetOf(call)),
    expectedInWords(call.expected),
    printable(call.reason),
  ]);
  const [header = '', ...lines] = tableLines(
    [
      { header: 'no.', align: 'right' },
      { header: 'call' },
      { header: 'of', shrinks: true },
      { header: 'expected', align: 'right' },
      { header: 'because', shrinks: true },
    ],
    rows,
    output.columns,
  );
  return [output.style('dim', header), ...lines].join('\n');
}

function expectedInWords(companies: number): string {
  if (companies === 0) return '';
  return companies < 1 ? '< 1' : count(Math.round(companies));
}

export function callData(call: Call) {
  return { kind: call.kind, target: targetOf(call), reason: call.reason, expected: call.expected };
}
