import type { LedgerState } from '../../allowance/ledger.ts';
import { CLOCK_REMEDY, clockFaultText } from '../../allowance/ledger_clock.ts';
import { isLifetime, spacingMs } from '../../allowance/windows.ts';
import type { Config } from '../../config/config.ts';
import { type CredentialSettings, keyFingerprint } from '../../config/credentials.ts';
import { MINUTE_MS } from '../../durations.ts';
import { upstreamNotes, windowUse } from '../../report/fact_table.ts';
import { count, counted, localTime } from '../../report/figures.ts';
import {
  daysLeft,
  licenceProblem,
  lostLedger,
  RAISED_REMEDY,
  REFUSED_KEY_REMEDY,
} from '../../report/problems.ts';
import { type CheckResult, findingOf, note, ok, problem, warning } from './check_result.ts';

/** Checks of the key, the licence terms and the allowance. */

/** Shows the key's fingerprint, which distinguishes keys without revealing them. */
export function checkKey(upstream: CredentialSettings, state: LedgerState | null): CheckResult {
  if (upstream.api_key !== null && upstream.api_key.problem !== null)
    return problem(
      'key',
      upstream.api_key.problem.message,
      'Until then, only commands that send no calls work.',
    );
  const fingerprint = keyFingerprint(upstream);
  const refused = state?.refusedKey ?? null;
  const present = upstream.api_key === null ? 'none: upstream.api_key is null' : 'present';
  if (refused === null) return ok('key', `${present} (fingerprint ${fingerprint}); only --online tests it`);
  return problem('key', `the upstream refused this key on ${localTime(refused.sinceMs)}`, REFUSED_KEY_REMEDY);
}

/** Warns if other users can read a file that contains a secret. */
export function checkSecrecy({
  path,
  mode,
}: {
  readonly path: string;
  readonly mode: number;
}): CheckResult[] {
  // Windows has no POSIX file modes.
  if ((mode & 0o077) === 0 || process.platform === 'win32') return [];
  return [
    warning(
      'key',
      `${path} contains a key or password, and other users of this machine can read the file`,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the notation of the file
      'Run chmod 600 on it. A configuration can also read a secret with ${env:NAME} or ${file:PATH}.',
    ),
  ];
}

export function checkTerms({ account, source }: Config, nowMs: number): CheckResult[] {
  const findings: CheckResult[] = [];
  const { tier, license_ends: ends } = account;
  if (tier === 'free')
    findings.push(
      note(
        'terms',
        'free tier: the data may not be used commercially (account.tier, account.commercial_use)',
      ),
    );
  if (tier === 'paid') findings.push(ends === null ? NO_END : checkEnd(ends, nowMs));
  if (source.licence === null)
    findings.push(
      note(
        'licence',
        "the data's licence is not configured, so exports do not state one",
        'Set source.licence and source.attribution.',
      ),
    );
  return findings;
}

const NO_END = note(
  'terms',
  'paid licence; no end date is configured',
  'Set account.license_ends to get a warning 30 days before the licence ends.',
);

function checkEnd(ends: string, nowMs: number): CheckResult {
  const found = licenceProblem(ends, nowMs);
  if (found === null) return ok('terms', `the paid licence ends on ${ends}`);
  return findingOf('terms', daysLeft(ends, nowMs) < 0 ? 'problem' : 'warning', found);
}

export function checkAllowance(state: LedgerState): CheckResult[] {
  const byUpstream =
    state.left > 0
      ? []
      : upstreamNotes(state, localTime).map((text) => note('allowance', text, RAISED_REMEDY));
  if (state.windows.length === 0)
    return [ok('allowance', 'unlimited; only the rate is limited'), ...byUpstream];
  const byWindow = state.windows.map((window) => {
    const what = `${count(window.left)} left; ${windowUse(window, localTime)}`;
    if (window.left > 0) return ok('allowance', what);
    return isLifetime(window)
      ? warning(
          'allowance',
          `${what}: this account can no longer send calls`,
          'Request a licence or a higher limit from the registry.',
        )
      : note('allowance', what);
  });
  return [...byWindow, ...byUpstream];
}

/** Warns if the configured rate is higher than the rate that the upstream accepts. */
export function checkRate({ acceptedSpacingMs }: LedgerState, perMinute: number | null): CheckResult[] {
  if (perMinute === null || acceptedSpacingMs <= spacingMs(perMinute)) return [];
  const accepted = Math.max(1, Math.floor(MINUTE_MS / acceptedSpacingMs));
  return [
    warning(
      'allowance',
      `the upstream accepts only about ${counted(accepted, 'call')} a minute, and allowance.per_minute is ${count(perMinute)}`,
      `Set allowance.per_minute to ${count(accepted)}. Until then, calls are spaced for a day, and then some are rejected again.`,
    ),
  ];
}

/** Reports a clock that is behind the last call, or that made a step and is not confirmed by a response yet. */
export function checkClockFault({ clockFault: fault }: Pick<LedgerState, 'clockFault'>): CheckResult[] {
  return fault === null ? [] : [warning('clock', clockFaultText(fault), `${CLOCK_REMEDY}.`)];
}

/**
 * Reports a ledger that lacks calls recorded in the warehouse, because this means that the ledger was deleted or
 * replaced.
 */
export function checkCount(missing: number): CheckResult[] {
  return missing === 0 ? [] : [findingOf('ledger', 'problem', lostLedger(missing))];
}

export function checkUsers(paths: readonly string[], own: string): CheckResult[] {
  const others = paths.filter((path) => path !== own);
  if (others.length === 0) return [];
  return [
    warning(
      'account',
      `${others.length === 1 ? 'another warehouse spends' : `${others.length} other warehouses spend`} this account's allowance: ${others.join(', ')}`,
      "Sharing an account is safe, because all warehouses share the rate and the allowance. Plans and forecasts include only their own warehouse's calls. Use a different account.id only for a different account.",
    ),
  ];
}
