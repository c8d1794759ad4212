import { getEventListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { Smoother } from '../../src/fetch/rate_limiter.ts';

afterEach(() => void vi.restoreAllMocks());

/** Runs `act`. Returns how many milliseconds the action takes, and the warnings that the process emits. */
async function observed(act: () => Promise<void>) {
  const warnings: string[] = [];
  const note = ({ name }: Error) => void warnings.push(name);
  process.on('warning', note);
  const startedMs = performance.now();
  await act();
  const ms = performance.now() - startedMs;
  // Node reports a warning in a later turn of the event loop.
  await sleep(5);
  process.off('warning', note);
  return { ms, warnings };
}

test('a smoother spaces the slots that one process takes', async () => {
  const smoother = new Smoother(50, systemClock);
  const { signal } = new AbortController();
  const { ms } = await observed(async () => {
    for (let slot = 0; slot < 4; slot++) await smoother.wait(signal);
  });
  expect(ms).toBeGreaterThan(3 * 50 * 0.9 - 10);
});

test.each([
  ['2099 and back', '2099-01-01', '2026-03-01'],
  ['1970', '2026-03-01', '1970-01-02'],
])('setting the clock to %s delays no slot and causes no warning', async (_, before, after) => {
  const now = vi.spyOn(Date, 'now');
  const smoother = new Smoother(50, systemClock);
  const { signal } = new AbortController();
  const { ms, warnings } = await observed(async () => {
    for (const date of [before, before, after]) {
      now.mockReturnValue(Date.parse(date));
      await smoother.wait(signal);
    }
  });
  expect(warnings).toEqual([]);
  expect(ms).toBeLessThan(1000);
});

test("an aborted signal ends the smoother's wait", async () => {
  const smoother = new Smoother(60_000, systemClock);
  await smoother.wait(new AbortController().signal);
  const { ms } = await observed(() => smoother.wait(AbortSignal.timeout(20)));
  expect(ms).toBeLessThan(1000);
});

test('a smoother stops listening to the signal after each slot', async () => {
  const smoother = new Smoother(5, systemClock);
  const { signal } = new AbortController();
  for (let slot = 0; slot < 3; slot++) await smoother.wait(signal);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('a smoother without spacing waits for the next turn of the event loop', async () => {
  const turns: string[] = [];
  const smoothed = new Smoother(0, systemClock)
    .wait(new AbortController().signal)
    .then(() => turns.push('slot'));
  await Promise.resolve().then(() => turns.push('same turn'));
  await smoothed;
  expect(turns).toEqual(['same turn', 'slot']);
});
