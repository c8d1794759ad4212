import { defaultProfile } from '../api/api_profile.ts';
import type { Account, Limits } from '../warehouse/serve_accounts.ts';
import type { Sandbox } from './sandbox.ts';

/** Returns a configuration for mirroring a running sandbox with one of its accounts. */
export function configurationFor(sandbox: Sandbox, account: Account): object {
  const { accountId: id, tier } = account;
  const { key_header } = sandbox.profile;
  return {
    version: 1,
    source: { name: 'Sandbox registry', url: sandbox.url },
    upstream: {
      base_url: sandbox.baseUrl,
      api_key: sandbox.keyOf(id),
      ...(key_header === defaultProfile.key_header ? {} : { key_header }),
      ...(sandbox.paths === null ? {} : { paths: sandbox.paths }),
    },
    account: { id, tier },
    allowance: allowanceOf(account),
    dialect: sandbox.dialect,
  };
}

function allowanceOf({ perMinute, total, perDay }: Limits): object {
  return {
    ...(perMinute === null ? {} : { per_minute: perMinute }),
    ...(total === null ? {} : { total }),
    ...(perDay === null ? {} : { per_day: perDay, day_starts: '00:00 UTC' }),
    ...(total === null && perDay === null ? { unlimited: true } : {}),
  };
}
