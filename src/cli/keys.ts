import { Command, InvalidArgumentError, Option } from 'commander';
import type { Tier } from '../api/accounts.ts';
import { systemClock } from '../clock.ts';
import { UsageError } from '../errors.ts';
import { count } from '../report/figures.ts';
import { accountsBeside, keyIdOf, makeKey } from '../serve/stored_accounts.ts';
import {
  type AccountFile,
  openAccountFile,
  type StoredAccount,
  type StoredLimits,
} from '../warehouse/serve_accounts.ts';
import { openContext, type SharedFlags, wholeNumber, withSharedOptions } from './context.ts';
import type { Output, Result } from './output.ts';
import { tableLines } from './table.ts';

interface LimitFlags extends SharedFlags {
  readonly tier?: Tier;
  readonly perMinute?: number;
  readonly total?: number;
  readonly perDay?: number;
  readonly unlimited?: boolean;
}

/** `keys`: who may ask the mirror that `serve` serves, and how much. */
export function keysCommand(): Command {
  const keys = new Command('keys')
    .summary('the accounts and keys of those who may ask `serve`')
    .description(
      "Accounts of the mirror's own clients, and their keys. A key is shown once, when it is made; kept is its hash.",
    )
    .addHelpText('after', EXAMPLES);
  const add = (
    name: string,
    summary: string,
    action: (on: On, argument: string, flags: LimitFlags) => Said,
  ) =>
    withSharedOptions(keys.command(name))
      .summary(summary)
      .action((...given: unknown[]) => {
        const [argument, flags] = given.length === 3 ? [String(given[0]), given[1]] : ['', given[0]];
        tell(name.split(' ')[0] ?? name, flags as LimitFlags, (on) =>
          action(on, argument, flags as LimitFlags),
        );
      });
  withLimitOptions(add('create <account>', 'make a key, and the account where there is none', create));
  add('list', 'accounts, their limits and use, and their keys', list);
  add('revoke <key>', 'refuse a key from now on (its id is enough)', revoke);
  withLimitOptions(add('limit <account>', 'give an account other limits', limit));
  add('suspend <account>', 'refuse all keys of an account, until it resumes', (on, name) =>
    suspend(on, name, true),
  );
  add('resume <account>', 'admit a suspended account again', (on, name) => suspend(on, name, false));
  return keys;
}

const EXAMPLES = `
Examples:
  $ registry-mirror keys create reports
  $ registry-mirror keys create website --per-minute 600 --per-day 50000
  $ registry-mirror keys create trial --tier free --total 100
  $ registry-mirror keys revoke rm_5f1c09a3be`;

/** What an action stands on: the open file, the time, the terminal. */
interface On {
  readonly file: AccountFile;
  readonly nowMs: number;
  readonly output: Output;
}

type Said = Pick<Result, 'data' | 'text'>;

function tell(action: string, flags: SharedFlags, act: (on: On) => Said): void {
  const { config, output } = openContext(flags);
  const file = openAccountFile(accountsBeside(config.ledger));
  try {
    const said = act({ file, nowMs: systemClock.now(), output });
    output.result({ command: `keys ${action}`, ok: true, attention: null, ...said });
  } finally {
    file.close();
  }
}

function withLimitOptions(command: Command): Command {
  return command
    .addOption(new Option('--tier <tier>', 'tier of the account').choices(['free', 'paid']))
    .option('--per-minute <n>', 'requests in any 60 seconds (default: 10 on the free tier)', limitNumber)
    .option('--total <n>', 'requests in all', limitNumber)
    .option('--per-day <n>', 'requests a day (UTC)', limitNumber)
    .option('--unlimited', 'no allowance: requests are limited by the minute alone');
}

function limitNumber(text: string): number {
  const limit = wholeNumber(text);
  if (limit === 0) throw new InvalidArgumentError('It must be above 0; `keys suspend` refuses an account.');
  return limit;
}

function create({ file, nowMs }: On, name: string, flags: LimitFlags): Said {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name))
    throw new UsageError(`"${name}" cannot be the name of an account.`, {
      hint: 'Use letters, digits, ".", "_" and "-", at most 64.',
    });
  const existing = file.accounts().find(({ accountId }) => accountId === name);
  if (existing === undefined) file.addAccount({ accountId: name, ...limitsOf(flags) }, nowMs);
  else if (saysLimits(flags))
    throw new UsageError(`The account ${name} exists, with limits of its own.`, {
      hint: `Change them with \`registry-mirror keys limit ${name} …\`; without limits, \`keys create ${name}\` makes another key for it.`,
    });
  const { keyId, key, hash } = makeKey();
  file.addKey({ keyId, accountId: name, hash }, nowMs);
  const account = accountNamed(file, name);
  return {
    data: { account: name, key_id: keyId, key, ...limitsAsData(account) },
    text: `${key}\n  account ${name}: ${limitsInWords(account)}\n  The key is not shown again. Send it as "Authorization: Bearer <key>".`,
  };
}

function list({ file, nowMs, output }: On): Said {
  const accounts = file.accounts();
  const keys = file.keys();
  const today = Math.floor(nowMs / DAY_MS);
  const usedToday = (account: StoredAccount) => (account.usedDay === today ? account.usedToday : 0);
  const rows = accounts.flatMap((account) => {
    const own = keys.filter(({ accountId }) => accountId === account.accountId);
    const state = account.isSuspended === 1 ? 'suspended' : null;
    return own.map(({ keyId, createdAt, revokedAt }) => [
      account.accountId,
      keyId,
      state ?? (revokedAt === null ? 'valid' : 'revoked'),
      count(usedToday(account)),
      count(account.usedTotal),
      limitsInWords(account),
      createdAt.slice(0, 10),
    ]);
  });
  const columns = [
    { header: 'ACCOUNT' },
    { header: 'KEY' },
    { header: 'STATE' },
    { header: 'TODAY', align: 'right' },
    { header: 'IN ALL', align: 'right' },
    { header: 'LIMITS', shrinks: true },
    { header: 'MADE', optional: true },
  ] as const;
  return {
    data: accounts.map((account) => ({
      account: account.accountId,
      suspended: account.isSuspended === 1,
      ...limitsAsData(account),
      used_today: usedToday(account),
      used_total: account.usedTotal,
      created_at: account.createdAt,
      keys: keys
        .filter(({ accountId }) => accountId === account.accountId)
        .map(({ keyId, createdAt, revokedAt }) => ({
          key_id: keyId,
          created_at: createdAt,
          revoked_at: revokedAt,
        })),
    })),
    text:
      accounts.length === 0
        ? 'No accounts yet: registry-mirror keys create NAME'
        : tableLines(columns, rows, output.columns).join('\n'),
  };
}

function revoke({ file, nowMs }: On, given: string): Said {
  const keyId = keyIdOf(given) === '' ? given : keyIdOf(given);
  if (!file.revoke(keyId, nowMs))
    throw new UsageError(`There is no valid key ${keyId}.`, {
      hint: '`registry-mirror keys list` names all of them.',
    });
  return { data: { key_id: keyId, revoked: true }, text: `${keyId} is refused from now on.` };
}

function limit({ file }: On, name: string, flags: LimitFlags): Said {
  const before = accountNamed(file, name);
  if (!saysLimits(flags)) throw new UsageError('No limit is given.', { hint: 'See `keys limit --help`.' });
  file.setLimits(name, limitsOf({ tier: before.tier as Tier, ...flags }));
  const account = accountNamed(file, name);
  return { data: { account: name, ...limitsAsData(account) }, text: `${name}: ${limitsInWords(account)}` };
}

function suspend({ file }: On, name: string, isSuspended: boolean): Said {
  accountNamed(file, name);
  file.suspend(name, isSuspended);
  const text = isSuspended ? `${name} is refused until it resumes.` : `${name} is admitted again.`;
  return { data: { account: name, suspended: isSuspended }, text };
}

function accountNamed(file: AccountFile, name: string): StoredAccount {
  const account = file.accounts().find(({ accountId }) => accountId === name);
  if (account !== undefined) return account;
  throw new UsageError(`There is no account ${name}.`, {
    hint: '`registry-mirror keys list` names all of them.',
  });
}

function saysLimits({ tier, perMinute, total, perDay, unlimited }: LimitFlags): boolean {
  return [tier, perMinute, total, perDay, unlimited].some((flag) => flag !== undefined);
}

/** A paid account has the limits that are said; a free one needs an allowance, and neither form is taken for granted. */
function limitsOf({ tier = 'paid', perMinute, total, perDay, unlimited }: LimitFlags): StoredLimits {
  const hasAllowance = total !== undefined || perDay !== undefined;
  if (unlimited && hasAllowance) throw new UsageError('--unlimited and an allowance exclude each other.');
  if (tier === 'free' && !hasAllowance && !unlimited)
    throw new UsageError('A free account needs an allowance.', {
      hint: 'Choose --total N (requests in all), --per-day N, both, or --unlimited.',
    });
  return {
    tier,
    perMinute: perMinute ?? (tier === 'free' ? FREE_PER_MINUTE : null),
    total: total ?? null,
    perDay: perDay ?? null,
  };
}

function limitsAsData({ tier, perMinute, total, perDay }: StoredLimits) {
  return { tier, per_minute: perMinute, total, per_day: perDay };
}

function limitsInWords({ tier, perMinute, total, perDay }: StoredLimits): string {
  const limits = [
    perMinute === null ? null : `${count(perMinute)} a minute`,
    perDay === null ? null : `${count(perDay)} a day`,
    total === null ? null : `${count(total)} in all`,
  ].filter((limit) => limit !== null);
  return `${tier}, ${limits.length === 0 ? 'no limits' : limits.join(', ')}`;
}

const FREE_PER_MINUTE = 10;
const DAY_MS = 86_400_000;
