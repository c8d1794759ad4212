import { Command } from '@commander-js/extra-typings';
import type { Config } from '../config/config.ts';
import { allowanceOf } from '../operations/configured_ledger.ts';
import { estimateNextSync } from '../operations/estimate.ts';
import type { Focus } from '../planner.ts';
import { finishCondition } from '../report/completion_forecast.ts';
import { localTime } from '../report/figures.ts';
import { define, focusOption, maxCallsOption, wholeFrom } from './command.ts';
import type { Output, Result } from './output.ts';
import { accountCostOf, costData } from './plan/cost.ts';
import { callData, describeCalls, describeSyncEstimate, paceData, scopeData } from './plan/sync_cost_text.ts';
import { requireProbedDialect } from './probed_dialect.ts';

/** `plan`: estimates the calls that the next `sync` runs will make, without making any. */
export default () =>
  define(
    'config',
    new Command('plan')
      .description(
        'Estimates the calls that are due: how many of each kind, their share of the allowance, how long they take, ' +
          'and the finish date. Due records and listings are counted. The searches for missing companies are estimated ' +
          'from what is known, so their number is a range.',
      )
      .option(
        '--explain [n]',
        'also list the next n calls (default: 10), with reason and expected yield',
        wholeFrom(1, 1000),
      )
      .addOption(maxCallsOption())
      .addOption(focusOption())
      .addHelpText('after', EXAMPLES),
    async ({ config, clock, output }, flags) => {
      await requireProbedDialect(config, clock.now());
      return planResult(config, flags, output, clock.now());
    },
  );

interface PlanFlags {
  readonly maxCalls?: number | undefined;
  readonly focus?: Focus | undefined;
  readonly explain?: boolean | number | undefined;
}

/** Returns the cost estimate, for `plan` and `sync --dry-run`. */
export function planResult(
  config: Config,
  { maxCalls = Infinity, focus = config.focus, explain: listed = 0 }: PlanFlags,
  output: Output,
  nowMs: number,
): Result {
  const explain = typeof listed === 'number' ? listed : 10;
  const planned = estimateNextSync(config, { nowMs, focus, explain, maxCalls });
  const { estimate: sync, watchlist, known, next: calls, state, rejected, pace } = planned;
  const cost = accountCostOf({
    allowance: allowanceOf(config),
    state,
    purpose: 'scheduled',
    nowMs,
    maxCalls,
    calls: { stats: sync.stats, search: sync.search, entity: sync.entity },
    sum: sync.total,
    finishCondition: finishCondition(state, rejected),
  });
  const resumesAt = state.resumesAtMs === null ? null : localTime(state.resumesAtMs);
  const text = describeSyncEstimate(
    { cost, sync, watchlist, known, pace, resumesAt, isKeyRefused: state.refusedKey !== null, rejected },
    output,
  );
  return {
    data: {
      dry_run: true,
      focus,
      scope: scopeData(watchlist),
      ...costData(cost),
      companies: { known, registry: sync.size, to_find: sync.companies },
      next_run: sync.nextRun,
      pace: paceData(pace, sync),
      ...(explain === 0 ? {} : { next_calls: calls.map(callData) }),
    },
    text: explain === 0 ? text : `${text}\n\n${describeCalls(calls, output)}`,
  };
}

const EXAMPLES = `
Examples:
  $ registry-mirror plan
  $ registry-mirror plan --explain           also list the next 10 calls with their reasons
  $ registry-mirror plan --focus records     fetch records before searches
  $ registry-mirror plan --json | jq .data.finishes_at`;
