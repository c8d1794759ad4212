import { expect, onTestFinished, test } from 'vitest';
import { headlineOf } from '../../src/cli/run_report_text.ts';
import { DAY_MS } from '../../src/durations.ts';
import { runCommand } from '../support/command.ts';
import { faulty } from '../support/faults.ts';
import { companies, openMirrored } from '../support/served_mirror.ts';

test('sync and status report unknown completeness if the registry reports no count', async () => {
  const mirror = await openMirrored({
    companies: companies(8),
    profile: { dialect: { stats: { total: null } } },
  });
  onTestFinished(() => mirror.close());
  await mirror.sync(0, new Set(['stats']));
  const report = await mirror.sync();
  expect(report.totals.callsByKind.stats).toBe(0);
  expect(headlineOf(report)).toMatch(/It is unknown whether the mirror is complete/);
  const { stdout } = await runCommand(['status', '--config', mirror.configure()], { columns: 80 });
  expect(stdout).toContain('the registry reports no count, so completeness is unknown');
  expect(stdout).not.toContain('registry count of');
});

test('sync requests statistics that the upstream does not have once, and then once a week', async () => {
  const mirror = await openMirrored({
    companies: companies(8),
    faults: faulty(({ target }) =>
      target.includes('stats') ? { kind: 'status', status: 404, body: '{}' } : null,
    ),
  });
  onTestFinished(() => mirror.close());
  const stats = () => mirror.sandbox.arrivals().filter(({ target }) => target.includes('stats')).length;
  const report = await mirror.sync();
  expect(report).toMatchObject({
    ending: { ended: 'done' },
    coverage: { fetched: 8 },
    totals: { quarantined: 0 },
  });
  expect(stats()).toBe(1);
  const doctor = await runCommand(['doctor', '--online', '--config', mirror.configure()], { columns: 200 });
  expect(doctor.stdout).toContain('the registry reports no count');
  expect(doctor.code).toBe(0);
  expect((await mirror.sync(6 * DAY_MS)).ending.ended).toBe('done');
  expect(stats()).toBe(2);
  expect((await mirror.sync(2 * DAY_MS)).ending.ended).toBe('done');
  expect(stats()).toBe(3);
});
