import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, describe, expect, it } from 'vitest';
import { generateRegistry } from '../../data/generate.ts';
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { runCommand } from '../support/command.ts';
import { type Overrides, openUpstream, type Upstream } from '../support/upstream.ts';

let open: Upstream | null = null;

afterEach(async () => {
  await open?.close();
  open = null;
});

describe('plan', () => {
  it("plan reports before the first call that the registry's size is unknown, and creates no warehouse", async () => {
    const upstream = await place();
    const { json, code } = await upstream.run('plan');
    expect(code).toBe(0);
    expect(json.data.calls).toEqual({ low: 2, high: null });
    expect(json.data.by_kind).toMatchObject({ statistics: { low: 1, high: 1 } });
    expect(json.data.companies).toMatchObject({ known: 0, registry: { by: 'nothing', high: null } });
    expect(upstream.sandbox.arrivals()).toHaveLength(0);
    expect(existsSync(join(upstream.folder, 'warehouse.db'))).toBe(false);
  });

  it('plan estimates the remaining calls for a half-listed registry, and sync needs no more', async () => {
    // With several calls in flight, the order of the responses decides how many searches are needed.
    const upstream = await place({ upstream: { concurrency: 1 } });
    await upstream.run('sync', '--max-calls', '14');
    const before = upstream.sandbox.arrivals().length;
    const { json } = await upstream.run('plan');
    expect(upstream.sandbox.arrivals()).toHaveLength(before);
    const { low, high } = json.data.calls;
    expect(json.data.companies.registry).toEqual({ low: 800, high: 800, by: 'statistics' });
    expect(high).toBeLessThanOrEqual(2.3 * low);
    await upstream.run('sync');
    const truth = upstream.sandbox.arrivals().length - before;
    expect(truth).toBeGreaterThanOrEqual(low);
    expect(truth).toBeLessThanOrEqual(high);
    // Nothing is due after a complete sync.
    const { data } = (await upstream.run('plan')).json;
    expect(data.calls).toEqual({ low: 0, high: 0 });
  });

  it('plan lists the next calls with their reasons, and sync makes the same calls', async () => {
    const upstream = await place();
    await upstream.run('sync', '--max-calls', '3');
    const { json } = await upstream.run('plan', '--explain', '4');
    const planned = json.data.next_calls.map(({ target }: { target: string }) => target);
    expect(json.data.next_calls).toHaveLength(4);
    expect(json.data.next_calls[0]).toMatchObject({
      kind: 'search',
      reason: 'new query without known matches',
    });
    const before = upstream.sandbox.arrivals().length;
    await upstream.run('sync', '--max-calls', '1');
    const [made] = upstream.sandbox.arrivals().slice(before);
    expect(planned[0]).toContain(made?.target.replace(/^[^=]*=/, '').slice(0, 1) ?? '-');
  });

  it('plan reports the required share of the allowance, the days and the finish date', async () => {
    const upstream = await place({ allowance: { per_minute: 1200, per_day: 100 } });
    await upstream.run('sync', '--max-calls', '4');
    const { data } = (await upstream.run('plan')).json;
    expect(data.share_of_allowance).toMatchObject([{ window: 'day', limit: 100, left: 96 }]);
    expect(data.share_of_allowance[0].share.low).toBeCloseTo(data.calls.low / 100, 2);
    expect(data.days.low).toBeGreaterThanOrEqual(7);
    expect(data.minutes_at_rate.low).toBeCloseTo((data.calls.low * 61) / 60 / 1200, 1);
    expect(Date.parse(data.finishes_at.low)).toBeGreaterThan(Date.now() + 6 * 86_400_000);
    expect(data.next_run.calls).toEqual({ low: 96, high: 96 });
  });

  it('plan and status show an estimated time that is more than two days ahead as a date', async () => {
    const upstream = await place({
      allowance: { per_minute: 1200, total: 100_000, per_day: 20, reserve: 0.1 },
    });
    await upstream.run('sync', '--max-calls', '4');
    const date = String.raw`\d+ \w+ \d{4}`;
    const plan = await runCommand(['plan', '--config', upstream.configPath]);
    expect(plan.stdout).toMatch(new RegExp(`^  finish +between ${date} and ${date}, with calls on`, 'm'));
    const warehouse = new Database(join(upstream.folder, 'warehouse.db'));
    warehouse.exec("UPDATE _call SET sent_at = strftime('%Y-%m-%dT%H:%M:%fZ', sent_at, '-3 days')");
    warehouse.close();
    const { stdout } = await runCommand(['status', '--config', upstream.configPath]);
    expect(stdout).toMatch(new RegExp(`a day \\(last 7 days\\), used up by ${date};`));
    expect(stdout.match(/reserved for scheduled runs/g)).toHaveLength(1);
  });

  it.each([
    ['names', (name: string, _id: string) => name, 40],
    ['ids', (_name: string, id: string) => id, 12],
    ['queries', (name: string, _id: string) => name.slice(0, 2), 3],
  ] as const)(
    'plan estimates the calls for a watchlist of %s to within 10% of those that sync makes',
    async (of, line, many) => {
      const upstream = await place();
      const list = join(upstream.folder, 'watchlist.txt');
      const wanted = [...generateRegistry({ companies: 800, seed: 4 })].filter((_, at) => at % 17 === 0);
      writeFileSync(
        list,
        wanted
          .slice(0, many)
          .map(({ name, id }) => line(name, id))
          .join('\n'),
      );
      upstream.configure({ scope: { [of]: list } as { ids: string } });
      const before = (await upstream.run('plan')).json.data;
      expect(before.scope).toEqual({ of, count: many });
      expect(before.by_kind.statistics).toEqual({ low: 1, high: 1 });
      await upstream.run('sync', '--max-calls', of === 'queries' ? '4' : '1');
      const { data } = (await upstream.run('sync', '--dry-run')).json;
      const { json } = await upstream.run('sync');
      expect(json.data.ended).toBe('done');
      // An ambiguous name causes no record call, as in a backfill.
      expect(0.9 * data.calls.low).toBeLessThanOrEqual(json.data.calls_spent);
      expect(1.1 * data.calls.high).toBeGreaterThanOrEqual(json.data.calls_spent);
      expect(data.calls.high).toBeLessThan(400);
      expect((await upstream.run('plan')).json.data.calls).toEqual({ low: 0, high: 0 });
    },
  );
});

async function place(overrides: Overrides = {}, options: SandboxOptions = {}): Promise<Upstream> {
  const companies = [...generateRegistry({ companies: 800, seed: 4 })];
  open = await openUpstream(
    { companies, profile: { dialect: { search: { matches: 'prefix', identifiers: 'none' } } }, ...options },
    {
      ...overrides,
    },
  );
  return open;
}
