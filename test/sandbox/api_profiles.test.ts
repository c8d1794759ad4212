import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { generateRegistry } from '../../data/generate.ts';
import { ApiProfile } from '../../src/api/api_profile.ts';
import { UsageError } from '../../src/errors.ts';
import { NO_LIMITS, type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import type { AccountLimits } from '../../src/warehouse/accounts.ts';
import { askBy, entityCall, statsCall } from '../support/api_client.ts';
import { PROFILE_PRESETS } from '../support/presets.ts';
import { randomProfile } from '../support/random_profile.ts';

const presets = Object.values(PROFILE_PRESETS).map((preset) => ApiProfile.parse(preset));
const drawn = Array.from({ length: 6 }, (_, seed) => randomProfile(seed));
const profiles = [...presets, ...drawn].map((profile) => ({ name: profile.name, profile }));

const registries = {
  string: [...generateRegistry({ companies: 400, seed: 7 })],
  number: [...generateRegistry({ companies: 400, seed: 7, ids: 'big_numeric' })],
};

describe.each(profiles)('the profile $name', ({ profile }) => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox({ profile, companies: registries[profile.ids] });
  });
  afterAll(() => sandbox.close());

  test('the profile has the correct outcomes for statistics, records, unknown ids and deleted ids', async () => {
    const [, , company] = sandbox.companies.all();
    const { id = '', name = '' } = company ?? {};
    const before = sandbox.companies.count();
    const total = sandbox.dialect.stats.total === null ? null : before;
    expect(await askBy(sandbox, statsCall())).toMatchObject({ is: 'ok', answer: { total } });
    expect(await askBy(sandbox, entityCall(id))).toMatchObject({
      is: 'ok',
      answer: { entityId: id, name },
    });
    expect(await askBy(sandbox, entityCall('31415926535'))).toMatchObject({ is: 'absent' });
    sandbox.companies.remove(id, Date.UTC(2026, 5, 1));
    // Without the mark, the record is missing from the response, so it is a 404 or a 410 alone.
    const meaning = profile.dialect.entity.gone === null ? 'absent' : 'gone';
    expect(await askBy(sandbox, entityCall(id))).toMatchObject({ is: meaning });
    if (total !== null)
      expect(await askBy(sandbox, statsCall())).toMatchObject({ answer: { total: before - 1 } });
  });

  test('the profile has different outcomes for an exceeded rate and an exhausted allowance', async () => {
    const verdictAt = async (limits: Partial<AccountLimits>) => {
      sandbox.accounts.setLimits('main', { ...NO_LIMITS, ...limits });
      sandbox.reset();
      await askBy(sandbox, statsCall());
      return askBy(sandbox, statsCall());
    };
    expect(await verdictAt({ perMinute: 1 })).toMatchObject({ is: 'throttled' });
    expect(await verdictAt({ total: 1 })).toMatchObject({ is: 'exhausted' });
  });
});

test('a contradictory profile is rejected', () => {
  const problemsOf = (profile: unknown) =>
    ApiProfile.safeParse(profile)
      .error?.issues.map(({ message }) => message)
      .join();
  expect(problemsOf({ dialect: { search: { results: '' } } })).toMatch(/cannot be combined with a total/);
  expect(problemsOf({ record: { fixed: { '/version': 1 } } })).toMatch(/requires dialect\.entity\.root/);
  expect(problemsOf({ paths: { entity: '/api/entity' } })).toMatch(/\{id\}/);
});

test('a profile with numeric ids rejects other ids when the sandbox starts', async () => {
  await expect(startSandbox({ profile: { ids: 'number' } })).rejects.toThrow(UsageError);
});
