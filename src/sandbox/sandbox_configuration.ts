import type { Account } from '../api/accounts.ts';
import { defaultProfile } from '../api/api_profile.ts';
import type { Sandbox } from './sandbox.ts';

/** Returns a configuration for mirroring a running sandbox with one of its accounts. */
export function configurationFor(sandbox: Sandbox, account: Account): object {
  const { tier, limits } = account;
  const { key_header } = sandbox.profile;
  return {
    version: 1,
    source: { name: 'Sandbox registry', url: sandbox.url },
    upstream: {
      base_url: sandbox.baseUrl,
      api_key: sandbox.keyOf(account.id),
      ...(key_header === defaultProfile.key_header ? {} : { key_header }),
      ...(sandbox.paths === null ? {} : { paths: sandbox.paths }),
    },
    account: { id: account.id, tier },
    allowance: allowanceOf(limits),
    dialect: sandbox.dialect,
  };
}

function allowanceOf({ perMinute, total, perDay, day }: Account['limits']): object {
  return {
    ...(perMinute === null ? {} : { per_minute: perMinute }),
    ...(total === null ? {} : { total }),
    ...(perDay === null ? {} : { per_day: perDay, day_starts: day === 'utc' ? '00:00 UTC' : 'rolling' }),
    ...(total === null && perDay === null ? { unlimited: true } : {}),
  };
}
