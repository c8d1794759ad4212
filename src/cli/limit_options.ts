import type { Command } from '@commander-js/extra-typings';
import { UsageError } from '../errors.ts';
import type { AccountLimits, Tier } from '../warehouse/accounts.ts';
import { tierOption, wholeFrom } from './command.ts';

/** The limits of an account, as given by flags. */
export interface LimitFlags {
  readonly tier?: Tier;
  readonly perMinute?: number;
  readonly total?: number;
  readonly perDay?: number;
  readonly unlimited?: boolean;
}

/** Adds the options for an account of `serve` or of the sandbox. */
export function withLimitOptions(command: Command, tier?: Tier): Command {
  const positive = wholeFrom(1);
  const option = tierOption();
  return (command as Command)
    .addOption(tier === undefined ? option : option.default(tier))
    .option('--per-minute <n>', 'requests in any 60 seconds (default: 10 on the free tier)', positive)
    .option('--total <n>', 'requests in total', positive)
    .option('--per-day <n>', 'requests per day (UTC)', positive)
    .option('--unlimited', 'no allowance: only the requests per minute are limited') as unknown as Command;
}

/** A paid account has only the given limits. A free account needs an allowance, for which there is no default. */
export function limitsOf({ tier = 'paid', perMinute, total, perDay, unlimited }: LimitFlags): AccountLimits {
  const hasAllowance = total !== undefined || perDay !== undefined;
  if (unlimited && hasAllowance)
    throw new UsageError('--unlimited cannot be combined with --total or --per-day.', {
      hint: 'Leave out one of them.',
    });
  if (tier === 'free' && !hasAllowance && !unlimited)
    throw new UsageError(
      'A free account needs an allowance. There is no default, because its documentation gives two limits.',
      {
        hint: 'Add --total 100 (calls in total), --per-day 1000 (calls per day), both, or --unlimited.',
      },
    );
  return {
    tier,
    perMinute: perMinute ?? (tier === 'free' ? FREE_PER_MINUTE : null),
    total: total ?? null,
    perDay: perDay ?? null,
  };
}

const FREE_PER_MINUTE = 10;
