import { Command, InvalidArgumentError } from 'commander';
import { systemClock } from '../clock.ts';
import { type Config, requireDialect } from '../config/config.ts';
import { allowanceOf } from '../operations/configured_ledger.ts';
import { estimateNextSync } from '../operations/estimate.ts';
import type { Focus } from '../planner.ts';
import { localTime } from '../report/figures.ts';
import { openContext, type SharedFlags, withFocus, withMaxCalls, withSharedOptions } from './context.ts';
import type { Output } from './output.ts';
import { accountCostOf, costData } from './plan/account_cost.ts';
import { callData, describeCalls, describeSyncEstimate, paceData, scopeData } from './plan/sync_cost_text.ts';

export interface PlanFlags extends SharedFlags {
  readonly maxCalls?: number;
  readonly focus?: Focus;
  readonly explain?: true | number;
}

/** `plan`: estimates the calls that the next `sync` runs will make, without making any. */
export function planCommand(): Command {
  const command = new Command('plan')
    .description(
      'Estimates the calls that are due: how many of each kind, their share of the allowance, how long they take, ' +
        'and the finish date. Due records and listings are counted. The searches for missing companies are estimated ' +
        'from what is known, so their number is a range.',
    )
    .option('--explain [n]', 'also list the next n calls (default: 10), with reason and expected yield', few)
    .addHelpText('after', EXAMPLES)
    .action(async (flags: PlanFlags) => {
      const { config, output } = await openContext(flags);
      printPlan('plan', config, flags, output);
    });
  return withFocus(withMaxCalls(withSharedOptions(command)));
}

/** Prints the cost estimate for `plan` and `sync --dry-run`. */
export function printPlan(command: 'plan' | 'sync', config: Config, flags: PlanFlags, output: Output): void {
  requireDialect(config);
  const nowMs = systemClock.now();
  const focus = flags.focus ?? config.focus;
  const explain = flags.explain === undefined ? 0 : flags.explain === true ? FEW : flags.explain;
  const maxCalls = flags.maxCalls ?? Number.POSITIVE_INFINITY;
  const planned = estimateNextSync(config, { nowMs, focus, explain, maxCalls });
  const { estimate: sync, scope, known, next: calls, state, pace } = planned;
  const estimate = accountCostOf({
    ...{ allowance: allowanceOf(config), state, purpose: 'scheduled', nowMs, maxCalls },
    calls: { stats: sync.stats, search: sync.search, entity: sync.entity },
    sum: sync.total,
  });
  const resumesAt = state.resumesAtMs === null ? null : localTime(state.resumesAtMs);
  const text = describeSyncEstimate({ cost: estimate, sync, scope, known, pace, resumesAt }, output);
  output.result({
    command,
    data: {
      ...{ dry_run: true, focus, scope: scopeData(scope), ...costData(estimate) },
      companies: { known, registry: sync.size, to_find: sync.companies },
      next_run: sync.nextRun,
      pace: paceData(pace, sync),
      ...(explain === 0 ? {} : { next_calls: calls.map(callData) }),
    },
    text: explain === 0 ? text : `${text}\n\n${describeCalls(calls, output)}`,
    attention: null,
  });
}

function few(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > MOST)
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${MOST}.`);
  return value;
}

const FEW = 10;
const MOST = 1000;

const EXAMPLES = `
Examples:
  $ registry-mirror plan
  $ registry-mirror plan --explain           also list the next 10 calls with their reasons
  $ registry-mirror plan --focus records     fetch records before searches
  $ registry-mirror plan --json | jq .data.finishes_at`;
