import type { LedgerState } from '../../allowance/ledger.ts';
import { windowRow } from '../../allowance/window_table.ts';
import { isLifetime } from '../../allowance/windows.ts';
import { isoTime } from '../../clock.ts';
import type { Config } from '../../config/config.ts';
import { count, counted, duration, localTime } from '../../report/figures.ts';
import { type Finding, note, ok, problem, warning } from './finding.ts';

/** The key, the terms and the allowance of the account. */

/** The key is never shown: its fingerprint tells two keys apart and gives neither away. */
export function checkKey(fingerprint: string, state: LedgerState | null): Finding {
  const refused = state?.refusedKey ?? null;
  if (refused === null) return ok('key', `present, with the fingerprint ${fingerprint}`);
  const since = localTime(refused.sinceMs);
  if (refused.fingerprint !== fingerprint)
    return note(
      'key',
      `present (${fingerprint}); another one was refused on ${since}, this one was not tried since`,
    );
  return problem(
    'key',
    `the upstream refused this key on ${since}; no call is made with it`,
    'Correct upstream.api_key; or, if it is good again, let `registry-mirror doctor --online` try it.',
  );
}

/** The key stands in a file that others can read. */
export function checkSecrecy(file: {
  readonly path: string;
  readonly mode: number;
  readonly holdsKey: boolean;
}): Finding[] {
  // Windows has no such modes.
  if (!file.holdsKey || (file.mode & 0o077) === 0 || process.platform === 'win32') return [];
  return [
    warning(
      'key',
      `${file.path} holds the key itself and can be read by others on this machine`,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the notation of the file
      'Run chmod 600 on it, or write api_key: ${env:NAME} or ${file:PATH}.',
    ),
  ];
}

export function checkTerms({ account, source }: Config, nowMs: number): Finding[] {
  const findings: Finding[] = [];
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
        'the licence of the data is not stated; exports say so',
        'Write source.licence and source.attribution.',
      ),
    );
  return findings;
}

const NO_END = note(
  'terms',
  'paid licence, without an end',
  'Write account.license_ends to be reminded 30 days before.',
);

/** The last day of a licence belongs to it. */
function checkEnd(ends: string, nowMs: number): Finding {
  const today = isoTime(nowMs).slice(0, 10);
  const days = Math.round((Date.parse(ends) - Date.parse(today)) / DAY_MS);
  if (days < 0)
    return problem(
      'terms',
      `the paid licence ended on ${ends}`,
      'Renew it and write the new last day under account.license_ends, or set tier: free and its allowance.',
    );
  const what = `the paid licence ends on ${ends}, ${days === 0 ? 'today' : `in ${counted(days, 'day')}`}`;
  return days <= WARNING_DAYS
    ? warning('terms', what, 'Renew it; then correct account.license_ends.')
    : ok('terms', what);
}

export function checkAllowance(state: LedgerState): Finding[] {
  if (state.windows.length === 0) return [ok('allowance', 'unlimited, but for the rate')];
  return state.windows.map(({ name, limit, spent, left, resetsAtMs }) => {
    const reset = resetsAtMs === null ? '' : `; resets ${localTime(resetsAtMs)}`;
    const what = `${count(spent)} of ${counted(limit, 'call')} spent ${windowRow(name).words.current}, ${count(left)} left${reset}`;
    if (left > 0) return ok('allowance', what);
    return isLifetime({ name })
      ? warning('allowance', `${what}: this account has no more`, 'Ask for a licence, or for more calls.')
      : note('allowance', what);
  });
}

/** The ledger has seen the clock go back: what it makes of it, until when. */
export function checkClockDoubt({ clockDoubt: doubt }: LedgerState): Finding[] {
  if (doubt === null) return [];
  const until = localTime(doubt.untilMs);
  const what =
    doubt.is === 'behind'
      ? `this machine's clock was set back: it has shown ${localTime(doubt.latestMs)} before. Until ${until} each call counts in every day from now on`
      : `this machine's clock was set back and may be up to ${duration(doubt.lateMs)} late. Until ${until} each call counts as if it were made so much later`;
  return [
    warning(
      'clock',
      what,
      "Set the clock by NTP (timedatectl set-ntp true). The next answer that shows the upstream's clock to agree ends this; `registry-mirror doctor --online` asks for one.",
    ),
  ];
}

export interface CountFacts {
  /** Calls that the ledger has counted since ever. */
  readonly ledgerCalls: number;
  /** Calls that this warehouse alone has loaded. */
  readonly warehouseCalls: number;
}

/** A ledger that counts fewer calls than one warehouse holds was deleted or replaced. */
export function checkCount({ ledgerCalls, warehouseCalls }: CountFacts): Finding[] {
  if (warehouseCalls <= ledgerCalls) return [];
  return [
    warning(
      'ledger',
      `the ledger has counted ${counted(ledgerCalls, 'call')}, and this warehouse alone holds ${count(warehouseCalls)}: was the ledger deleted or replaced?`,
      `Restore it, or write account.already_spent: ${warehouseCalls - ledgerCalls} so that they count against allowance.total.`,
    ),
  ];
}

export function checkUsers(paths: readonly string[], own: string): Finding[] {
  const others = paths.filter((path) => path !== own);
  if (others.length === 0) return [];
  return [
    warning(
      'account',
      `${others.length === 1 ? 'another warehouse spends' : `${others.length} other warehouses spend`} the allowance of this account: ${others.join(', ')}`,
      'They share rate and allowance, which is safe; plans and forecasts of each know only its own part. Give each its own account.id only if the accounts differ.',
    ),
  ];
}

const DAY_MS = 24 * 60 * 60 * 1000;
const WARNING_DAYS = 30;
