import { describe, expect, it, onTestFinished } from 'vitest';
import { configFrom } from '../../src/config/load_config.ts';
import { openWorkspace, type Workspace } from '../../src/operations/assemble.ts';
import {
  type BackfillOrder,
  type BackfillReport,
  keepBackfill,
  runBackfill,
} from '../../src/operations/backfill.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/sandbox.ts';
import type { BackfillItem } from '../../src/warehouse/backfill.ts';
import { failedTargets } from '../../src/warehouse/backfill.ts';
import { failuresAfter, waitingCount } from '../../src/warehouse/failure.ts';
import { faulty } from '../support/faults.ts';
import { leapingClock } from '../support/leaping_clock.ts';
import { sandboxConfiguration } from '../support/sandbox_configuration.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';

describe('a backfill', () => {
  it('a backfill distinguishes failed calls from missing companies, and retries the failed calls', async () => {
    let isIll = true;
    const { house: workspace, ids } = await place({
      faults: faulty(({ url }) => (isIll && url.endsWith('7') ? { kind: 'status', status: 500 } : null)),
    });
    const ill = ids.filter((id) => id.endsWith('7'));
    const first = await backfill(workspace, [...ids, 'nobody'].map(entity));
    expect(ill.length).toBeGreaterThan(2);
    expect(first.counts).toMatchObject({
      found: ids.length - ill.length,
      not_found: 1,
      failed: ill.length,
      open: 0,
    });
    isIll = false;
    const failed = failedTargets(workspace.warehouse.db);
    expect(failed.map(({ target }) => target).sort()).toEqual(ill.sort());
    const second = await backfill(
      workspace,
      failed.map(({ target }) => entity(target)),
      { freshForMs: 0 },
    );
    expect(second.counts).toMatchObject({ found: ill.length, failed: 0 });
  });

  it('a query that the upstream rejects is not a failed target, but waits before it is sent again', async () => {
    const { house: workspace } = await place({
      faults: faulty(({ url }) => (/[?&]q=a(&|$)/.test(url) ? { kind: 'status', status: 400 } : null)),
    });
    const { db } = workspace.warehouse;
    await backfill(workspace, [{ kind: 'query', searchedBy: 'name', given: 'a' }]);
    expect(failuresAfter(db, 0)).toMatchObject([{ target: 'name:a' }]);
    expect(failedTargets(db)).toEqual([]);
    expect(waitingCount(db, workspace.clock.now())).toBe(0);
  });

  it('a backfill stops if an endpoint has moved, before it marks known companies as gone', async () => {
    const { house: workspace, ids, sandbox } = await place();
    await backfill(workspace, ids.map(entity));
    await sandbox.useProfile({ paths: { entity: '/api/v2/entity/{id}' } });
    const { run, counts } = await backfill(workspace, ids.map(entity), { freshForMs: 0 });
    expect(run.ending).toMatchObject({ ended: 'drift' });
    expect(counts.open).toBeGreaterThan(ids.length - 10);
    expect(run.coverage.gone).toBe(0);
  });

  it.each(['prefix', 'name'] as const)(
    'a backfill by %s that is interrupted after its searches fetches the records later',
    async (kind) => {
      const { house: workspace, sandbox } = await place();
      const names = [...sandbox.companies.all()].map((company) => company.name);
      const firstWord = (one: string) => one.split(' ', 1)[0] ?? '';
      const name =
        names.find((one) => names.filter((other) => other.includes(firstWord(one))).length === 1) ?? '';
      const given = kind === 'name' ? name : name.slice(0, 4);
      const { backfill: kept } = keepBackfill(workspace, orderOf([{ kind, searchedBy: 'name', given }]));
      const searched = await work(workspace, kept.backfillId, 1);
      expect(searched.run.totals.callsByKind).toMatchObject({ search: 1, entity: 0 });
      expect(searched.counts).toMatchObject({ open: 1, found: 0 });
      const { run, counts } = await work(workspace, kept.backfillId);
      expect(run.totals.callsByKind.entity).toBeGreaterThan(0);
      expect(run.coverage.fetched).toBe(run.totals.callsByKind.entity);
      expect(counts).toMatchObject({ open: 0, found: 1 });
    },
  );

  it.each(['name', 'prefix', 'query'] as const)(
    'a backfill whose searches fail does not report its %s as not found',
    async (kind) => {
      let isIll = true;
      const { house: workspace, sandbox } = await place({
        faults: faulty(({ url }) => (isIll && /search/.test(url) ? { kind: 'status', status: 500 } : null)),
      });
      const name = [...sandbox.companies.all()][0]?.name ?? '';
      const item = { kind, searchedBy: null, given: kind === 'name' ? name : name.slice(0, 4) };
      const first = await backfill(workspace, [item]);
      expect(first.counts).toMatchObject({ not_found: 0, found: 0 });
      isIll = false;
      const second = await backfill(workspace, [item]);
      expect(second.counts).toMatchObject({ not_found: 0, failed: 0, open: 0 });
    },
  );
});

interface Place {
  readonly sandbox: Sandbox;
  readonly house: Workspace;
  readonly ids: readonly string[];
}

async function place(options: SandboxOptions = {}): Promise<Place> {
  const clock = leapingClock(Date.UTC(2027, 0, 15, 9));
  const sandbox = await startSandbox({ now: clock.now, ...options });
  onTestFinished(() => sandbox.close());
  const { upstream, ...configuration } = sandboxConfiguration(sandbox, temporaryFolder());
  // Injected failures have the real time in their Date header.
  const config = configFrom({ ...configuration, upstream: { ...upstream, check_clock: false } });
  const workspace = openWorkspace(config, clock);
  onTestFinished(() => workspace.close());
  return { sandbox, house: workspace, ids: [...sandbox.companies.all()].slice(0, 40).map(({ id }) => id) };
}

async function backfill(
  workspace: Workspace,
  items: readonly BackfillItem[],
  order: Partial<BackfillOrder> = {},
): Promise<BackfillReport> {
  const { backfill: kept } = keepBackfill(workspace, { ...orderOf(items), ...order });
  return work(workspace, kept.backfillId);
}

function work(workspace: Workspace, backfillId: number, maxCalls = Infinity): Promise<BackfillReport> {
  const { signal } = new AbortController();
  return runBackfill(workspace, { backfillId, maxCalls, maxMinutes: Infinity, signal });
}

function orderOf(items: readonly BackfillItem[]): BackfillOrder {
  const identity = JSON.stringify(items);
  return { title: 'a list', identity, items, withRecords: true, freshForMs: 90 * 86_400_000 };
}

function entity(given: string): BackfillItem {
  return { kind: 'entity', searchedBy: null, given };
}
