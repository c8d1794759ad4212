import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { generateRegistry } from '../../data/generate.ts';
import { ApiProfile } from '../../src/api/api_profile.ts';
import { UsageError } from '../../src/errors.ts';
import { valueAt } from '../../src/json/pointer.ts';
import type { CompanyQuery } from '../../src/names/query_matching.ts';
import type { Verdict } from '../../src/outcome.ts';
import { NO_LIMITS, type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import type { AccountLimits } from '../../src/warehouse/accounts.ts';
import { ask, askBy, entityCall, searchCall, statsCall } from '../support/api_client.ts';
import { PROFILE_PRESETS } from '../support/presets.ts';
import { randomProfile } from '../support/random_profile.ts';

const presets = Object.values(PROFILE_PRESETS).map((preset) => ApiProfile.parse(preset));
const drawn = Array.from({ length: 6 }, (_, seed) => randomProfile(seed));
const profiles = [...presets, ...drawn].map((profile) => ({ name: profile.name, profile }));

const registries = {
  string: [...generateRegistry({ companies: 400, seed: 7 })],
  number: [...generateRegistry({ companies: 400, seed: 7, ids: 'big_numeric' })],
};

/** Returns the accepted query with the most matches. */
function broadestQuery(sandbox: Sandbox): { query: CompanyQuery; total: number } {
  const { dialect, search: facts } = sandbox.profile;
  const { search } = dialect;
  const by = search.identifier_param === null ? 'any' : 'name';
  const found = QUERIES.filter((text) => text.length >= search.min_length)
    .map((text) => ({ by, text, names: search.matches, identifiers: search.identifiers }) as const)
    .map((query) => ({ query, total: sandbox.catalogue.matches(query).total }))
    .filter(({ total }) => total >= 3 && total <= (facts.broad_above ?? total))
    .sort((a, b) => b.total - a.total)[0];
  if (found === undefined)
    throw new Error(`no query matches several companies by the rule ${search.matches}`);
  return found;
}

const QUERIES = ['e', 's', 'an', 'in', 'the', 'nor', 'ltd', 'limited', 'services', 'properties', 'gebrüder'];

function searchAnswerOf(verdict: Verdict) {
  if (verdict.is !== 'ok' || verdict.answer.kind !== 'search') throw new Error(JSON.stringify(verdict));
  return verdict.answer;
}

describe.each(profiles)('the profile $name', ({ profile }) => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox({ profile, companies: registries[profile.ids] });
  });
  afterAll(() => sandbox.close());

  test("the profile's dialect decodes the list, the ids, the names and the total on every reachable page", async () => {
    const { query, total } = broadestQuery(sandbox);
    const { dialect, companies } = sandbox;
    const { paging } = dialect.search;
    const reachable = Math.min(total, paging.window ?? total, paging.style === 'none' ? paging.size : total);
    const rows: string[] = [];
    let page = { index: 0, next: null as string | null };
    while (rows.length < reachable) {
      const answer = searchAnswerOf(await askBy(sandbox, searchCall(query.text, 'name', page)));
      expect(answer.rejected).toEqual([]);
      expect(answer.rows.length).toBeGreaterThan(0);
      expect(answer.total).toBe(
        dialect.search.total === null ? null : Math.min(total, dialect.search.total_clamped_at ?? total),
      );
      for (const { entityId, name } of answer.rows) expect(companies.get(entityId)?.name).toBe(name);
      rows.push(...answer.rows.map(({ entityId }) => entityId));
      page = { index: page.index + 1, next: answer.next };
    }
    expect(rows).toEqual(sandbox.catalogue.matches(query).ids(0, reachable));
    if (paging.style === 'cursor' || paging.style.includes('link') || paging.style === 'next_url') {
      expect(page.next === null).toBe(true);
    }
  });

  test("the profile's dialect selects the same values in the raw bodies by JSON path", async () => {
    const { search, entity, stats } = sandbox.dialect;
    const { query } = broadestQuery(sandbox);
    const found = await ask(
      sandbox,
      `${profile.paths.search}?${new URLSearchParams({ [search.query_param ?? 'q']: query.text })}`,
    );
    const list = valueAt(found.json, search.results);
    expect(Array.isArray(list)).toBe(true);
    const item = valueAt(Array.isArray(list) ? list[0] : undefined, search.item);
    const id = String(valueAt(item, search.id));
    expect(sandbox.companies.get(id)?.name).toBe(valueAt(item, search.name ?? ''));
    const record = await ask(sandbox, profile.paths.entity.replace('{id}', encodeURIComponent(id)));
    expect(String(valueAt(valueAt(record.json, entity.root), entity.id ?? ''))).toBe(id);
    expect(valueAt(valueAt(record.json, entity.root), entity.name ?? '')).toBe(
      sandbox.companies.get(id)?.name,
    );
    const { json } = await ask(sandbox, profile.paths.stats);
    if (stats.total !== null) expect(valueAt(json, stats.total)).toBe(sandbox.companies.count());
    if (profile.ids === 'number') expect(record.text).toMatch(new RegExp(`[:{,]${id}[,}]`));
  });

  test("the profile's dialect decodes a response without matches as an empty list", async () => {
    const answer = searchAnswerOf(await askBy(sandbox, searchCall('qqqqqqq')));
    expect(answer.rows).toEqual([]);
    expect(answer.next).toBeNull();
  });

  test('the profile applies its query rule to a search by identifier', async () => {
    const [, , , company] = sandbox.companies.all();
    const { id = '' } = company ?? {};
    const answerTo = async (text: string) =>
      searchAnswerOf(await askBy(sandbox, searchCall(text, 'identifier'))).rows.map(
        ({ entityId }) => entityId,
      );
    const most = profile.dialect.search.identifiers;
    expect((await answerTo(id)).includes(id)).toBe(most !== 'none');
    if (profile.search.broad_above === null) {
      expect((await answerTo(id.slice(0, -1))).includes(id)).toBe(most === 'prefix');
    }
  });

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
