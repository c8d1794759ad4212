import { Command } from '@commander-js/extra-typings';
import { DAY_MS } from '../durations.ts';
import { UsageError } from '../errors.ts';
import { count, counted } from '../report/figures.ts';
import {
  type AccountFile,
  type AccountLimits,
  accountsBeside,
  keyIdOf,
  openAccountFile,
  type ServedAccount,
} from '../warehouse/accounts.ts';
import { define } from './command.ts';
import { type LimitFlags, limitsOf, withLimitOptions } from './limit_options.ts';
import { type Output, type Result, snakeKeys } from './output.ts';
import { tableText } from './text_layout.ts';

/** `keys`: manages the clients of `serve`, their keys and their limits. */
export default () => {
  const keys = new Command('keys')
    .description(
      'Manages accounts and keys for the clients of `serve`. A key is shown once, when it is created. Only its hash is stored.',
    )
    .addHelpText('after', EXAMPLES);
  for (const [usage, summary, action, hasLimits = false] of ACTIONS) {
    const [name = '', argument] = usage.split(' ');
    const command = new Command(name).summary(summary);
    if (argument !== undefined) command.argument(argument);
    if (hasLimits) withLimitOptions(command);
    keys.addCommand(
      define('config', command, ({ config, clock, output }, ...given: unknown[]) => {
        using file = openAccountFile(accountsBeside(config.ledger));
        const context = { file, nowMs: clock.now(), output };
        return action(context, String(given[0]), given.at(-1) as LimitFlags);
      }),
    );
  }
  return keys;
};

const EXAMPLES = `
Examples:
  $ registry-mirror keys create reports
  $ registry-mirror keys create website --per-minute 600 --per-day 50000
  $ registry-mirror keys create trial --tier free --total 100
  $ registry-mirror keys revoke rm_5f1c09a3be`;

interface ActionContext {
  readonly file: AccountFile;
  readonly nowMs: number;
  readonly output: Output;
}

type Action = (context: ActionContext, argument: string, flags: LimitFlags) => Result;

const ACTIONS: readonly (readonly [usage: string, summary: string, action: Action, hasLimits?: boolean])[] = [
  ['create <account>', 'create a key, and the account if it does not exist', create, true],
  ['list', 'list accounts with their limits, usage and keys', list],
  ['revoke <key>', 'revoke a key, given by its id or in full', revoke],
  ['limit <account>', "change an account's limits", limit, true],
  ['suspend <account>', "reject all of an account's keys until `keys resume`", suspension(true)],
  ['resume <account>', "accept a suspended account's keys again", suspension(false)],
];

function create({ file, nowMs }: ActionContext, name: string, flags: LimitFlags): Result {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name))
    throw new UsageError(`"${name}" is not a valid account name.`, {
      hint: 'Use at most 64 letters, digits, ".", "_" and "-", starting with a letter or digit.',
    });
  if (file.account(name) === null) file.addAccount({ accountId: name, ...limitsOf(flags) }, nowMs);
  else if (hasLimits(flags))
    throw new UsageError(`The account ${name} already exists and has limits.`, {
      hint: `To change its limits, use \`registry-mirror keys limit ${name} …\`. To create another key, leave out the limits.`,
    });
  const { keyId, key } = file.addKey(name, nowMs);
  const account = accountNamed(file, name);
  return {
    data: { account: name, key_id: keyId, key, ...limitsAsData(account) },
    text: `${key}\n  account ${name}: ${limitsInWords(account)}\n  The key is not shown again. Send it as "Authorization: Bearer <key>".`,
  };
}

function list({ file, nowMs, output }: ActionContext): Result {
  const today = Math.floor(nowMs / DAY_MS);
  const all = file.keys();
  const accounts = file.accounts().map((account) => ({
    ...account,
    isSuspended: account.isSuspended === 1,
    usedToday: account.usedDay === today ? account.usedToday : 0,
    keys: all.filter(({ accountId }) => accountId === account.accountId),
  }));
  const table = tableText(
    output,
    [
      { header: 'account', cell: ({ account }) => account.accountId },
      { header: 'key', cell: ({ key }) => key.keyId },
      {
        header: 'state',
        cell: ({ account, key }) =>
          account.isSuspended ? 'suspended' : key.revokedAt === null ? 'valid' : 'revoked',
      },
      { header: 'today', align: 'right', cell: ({ account }) => count(account.usedToday) },
      { header: 'total', align: 'right', cell: ({ account }) => count(account.usedTotal) },
      { header: 'limits', shrinks: true, cell: ({ account }) => limitsInWords(account) },
      { header: 'created', optional: true, cell: ({ key }) => key.createdAt.slice(0, 10) },
    ],
    accounts.flatMap((account) => account.keys.map((key) => ({ account, key }))),
  );
  return {
    data: accounts.map(({ accountId, isSuspended, usedToday, usedTotal, createdAt, keys, ...limits }) => ({
      account: accountId,
      suspended: isSuspended,
      ...limitsAsData(limits),
      used_today: usedToday,
      used_total: usedTotal,
      created_at: createdAt,
      keys: keys.map((key) =>
        snakeKeys({ keyId: key.keyId, createdAt: key.createdAt, revokedAt: key.revokedAt }),
      ),
    })),
    text: table ?? 'No accounts yet. Create one: registry-mirror keys create NAME',
  };
}

function revoke({ file, nowMs }: ActionContext, given: string): Result {
  const keyId = keyIdOf(given) === '' ? given : keyIdOf(given);
  if (!file.revoke(keyId, nowMs))
    throw new UsageError(`No valid key has the id ${keyId}.`, {
      hint: 'List them: registry-mirror keys list',
    });
  return { data: { key_id: keyId, revoked: true }, text: `The key ${keyId} is revoked.` };
}

function limit({ file }: ActionContext, name: string, flags: LimitFlags): Result {
  const before = accountNamed(file, name);
  if (!hasLimits(flags))
    throw new UsageError('No limit was given.', { hint: 'See `registry-mirror keys limit --help`.' });
  file.setLimits(name, limitsOf({ tier: before.tier, ...flags }));
  const account = accountNamed(file, name);
  return { data: { account: name, ...limitsAsData(account) }, text: `${name}: ${limitsInWords(account)}` };
}

function suspension(isSuspended: boolean): Action {
  return ({ file }, name) => {
    accountNamed(file, name);
    file.suspend(name, isSuspended);
    const text = isSuspended ? `The account ${name} is suspended.` : `The account ${name} is active again.`;
    return { data: { account: name, suspended: isSuspended }, text };
  };
}

function accountNamed(file: AccountFile, name: string): ServedAccount {
  const account = file.account(name);
  if (account !== null) return account;
  throw new UsageError(`The account ${name} does not exist.`, {
    hint: 'List them: registry-mirror keys list',
  });
}

function hasLimits({ tier, perMinute, total, perDay, unlimited }: LimitFlags): boolean {
  return [tier, perMinute, total, perDay, unlimited].some((flag) => flag !== undefined);
}

function limitsAsData({ tier, perMinute, total, perDay }: AccountLimits) {
  return { tier, per_minute: perMinute, total, per_day: perDay };
}

function limitsInWords({ tier, perMinute, total, perDay }: AccountLimits): string {
  const limits = [
    perMinute === null ? null : `${counted(perMinute, 'request')} a minute`,
    perDay === null ? null : `${counted(perDay, 'request')} a day`,
    total === null ? null : `${counted(total, 'request')} in total`,
  ].filter((limit) => limit !== null);
  return `${tier}, ${limits.length === 0 ? 'no limits' : limits.join(', ')}`;
}
