import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../../../src/clock.ts';
import { type Config, requireDialect } from '../../../src/config/config.ts';
import { openWorkspace, watchKnowledge } from '../../../src/operations/assemble.ts';
import { openNames } from '../../../src/plan/wanted/wanted_names.ts';
import { sampleCompanies } from '../../../src/sandbox/company_file.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.ts';
import type { Company } from '../../../src/warehouse/sandbox_companies.ts';
import { configWith, type Place, placeFor } from '../../support/probe.ts';
import { syncAll } from '../../support/sync.ts';

const DAY_MS = 86_400_000;
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

describe('sync with a watchlist', () => {
  it('a sync with a watchlist finds several names with one query, fetches their records and sends nothing else', async () => {
    const { config, place, sandbox, companies } = await registry();
    const wanted = companies.filter((_, index) => index % 40 === 0).map(({ name }) => name);
    const names = [...wanted, 'Nobody Ever Registered This GmbH', `${wanted[0]?.slice(0, -1)}x`];
    const watching = { ...config, scope: { names: listIn(place, names) } };
    const report = await syncWith(watching);
    expect(report.ended).toBe('done');
    const { stats, search, entity } = callsTo(sandbox);
    expect(stats).toBe(1);
    expect(search).toBeLessThan(names.length * 1.6);
    expect(entity).toBeLessThanOrEqual(wanted.length);

    const findings = known(watching, names);
    for (const [at, name] of wanted.entries()) {
      const same = companies.filter((company) => company.name.toLowerCase() === name.toLowerCase());
      const finding = findings[at];
      if (same.length > 1) expect(finding).toMatchObject({ is: 'ambiguous' });
      else expect(finding).toMatchObject({ is: 'found', company: { entityId: same[0]?.id, score: 1 } });
    }
    expect(findings[wanted.length]?.is).not.toBe('found');
    expect(findings[wanted.length + 1]?.is).not.toBe('found');
  });

  it('a sync with a watchlist sends nothing while everything is fresh, and repeats calls when they are due', async () => {
    const { config, place, sandbox, companies, after } = await registry();
    const names = companies.slice(0, 5).map(({ name }) => name);
    const watching = { ...config, scope: { names: listIn(place, names) } };
    await syncWith(watching);
    const first = callsTo(sandbox);
    expect(await syncWith(watching)).toMatchObject({ ended: 'done', calls: 0 });
    const later = await syncWith(watching, after(100 * DAY_MS));
    expect(later.ended).toBe('done');
    expect(callsTo(sandbox).entity).toBe(2 * first.entity);
    expect(callsTo(sandbox).search).toBeGreaterThan(first.search);
  });

  it('a name on the fourth and last page of its own query is found', async () => {
    const others = Array.from({ length: 35 }, (_, at) => `Twin Trading A${at + 100} Ltd`);
    const companies = [...others, 'Twin Trading Ltd'].map((name, at) => ({ id: `C${at}`, name, fields: {} }));
    const { config, place } = await registry(companies);
    const dialect = requireDialect(config);
    const paging = { ...dialect.search.paging, size: 10 };
    const watching = {
      ...config,
      dialect: { ...dialect, search: { ...dialect.search, paging } },
      scope: { names: listIn(place, ['Twin Trading Ltd']) },
    };
    await syncWith(watching);
    expect(known(watching, ['Twin Trading Ltd'])).toMatchObject([{ is: 'found', company: { score: 1 } }]);
  });

  it('a sync with a watchlist of ids fetches only the listed records', async () => {
    const { config, place, sandbox, companies } = await registry();
    const ids = companies.slice(3, 10).map(({ id }) => id);
    const report = await syncWith({ ...config, scope: { ids: listIn(place, ids) } });
    expect(report.ended).toBe('done');
    const asked = sandbox.arrivals().filter(({ kind }) => kind === 'entity');
    expect(asked.map(({ target }) => target).sort()).toEqual([...ids].sort());
    expect(callsTo(sandbox).search).toBe(0);
  });

  it('a sync with a watchlist reads all results for each query, and fetches the records of all companies found', async () => {
    const { config, place, sandbox, companies } = await registry();
    const report = await syncWith({ ...config, scope: { queries: listIn(place, ['north']) } });
    expect(report.ended).toBe('done');
    const found = companies.filter(({ name }) => /(^|\s)north/i.test(name));
    expect(found.length).toBeGreaterThan(0);
    expect(callsTo(sandbox).entity).toBe(found.length);
  });
});

async function registry(given?: Company[]) {
  const companies = given ?? (await Array.fromAsync(sampleCompanies())).slice(0, 800);
  let shiftMs = 0;
  // The sandbox and the mirror have the same clock, because a run stops if the two differ.
  const clock: Clock = { now: () => systemClock.now() + shiftMs, sleep: systemClock.sleep };
  const sandbox = await startSandbox({ companies, now: clock.now });
  const place = placeFor(sandbox.baseUrl, sandbox.keyOf('main'));
  closing.push(() => sandbox.close(), place.remove);
  const after = (ms: number): Clock => {
    shiftMs += ms;
    return clock;
  };
  return { sandbox, place, companies, after, config: configWith(place, sandbox, sandbox.dialect) };
}

function listIn(place: Place, lines: readonly string[]): string {
  const path = join(place.directory, 'watchlist.txt');
  writeFileSync(path, lines.join('\n'));
  return path;
}

function callsTo(sandbox: Sandbox) {
  const count = (kind: string) => sandbox.arrivals().filter((arrival) => arrival.kind === kind).length;
  return { stats: count('stats'), search: count('search'), entity: count('entity') };
}

async function syncWith(config: Config, clock: Clock = systemClock) {
  const workspace = openWorkspace(config, clock);
  try {
    const report = await syncAll(workspace);
    return { ended: report.ending.ended, calls: report.totals.calls };
  } finally {
    workspace.close();
  }
}

function known(config: Config, names: readonly string[]) {
  const workspace = openWorkspace(config);
  try {
    const knowledge = watchKnowledge(workspace, workspace.clock.now());
    const search = openNames(names, knowledge, requireDialect(config));
    return names.map((_, at) => search.finding(at));
  } finally {
    workspace.close();
  }
}
