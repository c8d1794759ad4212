import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { QuotaMeter } from '../../src/api/admission.ts';
import { NO_LIMITS, type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/sandbox.ts';
import { type AccountLimits, openAccountFile, type ServedAccount } from '../../src/warehouse/accounts.ts';
import { ask } from '../support/api_client.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const MIDNIGHT = Date.UTC(2027, 2, 31);

const opened: Sandbox[] = [];
afterEach(async () => {
  for (const sandbox of opened.splice(0)) await sandbox.close();
});

async function open(options: SandboxOptions): Promise<Sandbox> {
  const sandbox = await startSandbox({ companies: [{ id: '1', name: 'One', fields: {} }], ...options });
  opened.push(sandbox);
  return sandbox;
}

/** Meters the requests of an account with these limits in a new file. */
function metered(limits: Partial<AccountLimits>) {
  const file = openAccountFile(null);
  file.addAccount({ ...NO_LIMITS, ...limits, accountId: 'a' }, MIDNIGHT);
  const meter = new QuotaMeter(file);
  return { file, admit: (nowMs: number) => meter.admit(file.account('a') as ServedAccount, nowMs) };
}

describe('the meter', () => {
  test('the meter never admits more requests than the limit in any minute, for random arrivals', () => {
    const gapsMs = fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), gapsMs, (perMinute, gaps) => {
        const { admit } = metered({ perMinute });
        const admitted: number[] = [];
        let nowMs = 0;
        for (const gapMs of gaps) {
          nowMs += gapMs;
          const inside = admitted.filter((atMs) => atMs > nowMs - MINUTE_MS);
          const { is, retryAtMs } = admit(nowMs);
          // By definition, a call is admitted if fewer calls than the limit were admitted in the last minute.
          expect(is).toBe(inside.length < perMinute ? 'admitted' : 'throttled');
          if (is === 'admitted') admitted.push(nowMs);
          else expect(retryAtMs).toBe((inside[0] ?? 0) + MINUTE_MS);
        }
      }),
    );
  });

  test('daily and total quotas apply together, and an exhausted quota takes precedence over the rate', () => {
    const { admit } = metered({ perMinute: 1, perDay: 2, total: 3 });
    const verdicts = [0, 0, MINUTE_MS, 2 * MINUTE_MS, DAY_MS, DAY_MS + MINUTE_MS].map(
      (afterMs) => admit(MIDNIGHT + afterMs).is,
    );
    expect(verdicts).toEqual(['admitted', 'throttled', 'admitted', 'exhausted', 'admitted', 'exhausted']);
  });

  test('the meter does not count a rejected request', () => {
    const { file, admit } = metered({ perMinute: 1, total: 2 });
    for (let tries = 0; tries < 10; tries++) admit(MIDNIGHT + tries);
    expect(file.account('a')?.usedTotal).toBe(1);
    expect(admit(MIDNIGHT + MINUTE_MS).is).toBe('admitted');
  });

  test('a new meter counts the requests of the meter before it, in total and in the last minute', () => {
    const file = openAccountFile(null);
    file.addAccount({ ...NO_LIMITS, accountId: 'a' }, MIDNIGHT);
    const admit = (meter: QuotaMeter, limits: Partial<AccountLimits>, nowMs: number) => {
      file.setLimits('a', { ...NO_LIMITS, ...limits });
      return meter.admit(file.account('a') as ServedAccount, nowMs).is;
    };
    const first = new QuotaMeter(file);
    for (const afterMs of [0, 30_000]) admit(first, {}, MIDNIGHT + afterMs);
    expect(admit(new QuotaMeter(file), { total: 2 }, MIDNIGHT + 30_000)).toBe('exhausted');
    expect(admit(new QuotaMeter(file), { perMinute: 2 }, MIDNIGHT + 90_000)).toBe('throttled');
    expect(admit(new QuotaMeter(file), { perMinute: 2 }, MIDNIGHT + 91_000)).toBe('admitted');
  });
});

describe("the sandbox's limits", () => {
  test.each(['seconds', 'date'] as const)(
    'a client that waits as long as Retry-After requests in %s is admitted',
    async (style) => {
      let nowMs = MIDNIGHT + 123;
      const profile = { errors: { throttled: { retry_after: style } } };
      const sandbox = await open({ accounts: [{ id: 'main', perMinute: 1 }], profile, now: () => nowMs });
      await ask(sandbox, '/api/entity/1');
      nowMs += 12_345;
      const refused = await ask(sandbox, '/api/entity/1');
      expect(refused.status).toBe(429);
      const wait = refused.headers.get('retry-after') ?? '';
      nowMs = style === 'date' ? Date.parse(wait) : nowMs + Number(wait) * 1_000;
      expect((await ask(sandbox, '/api/entity/1')).status).toBe(200);
    },
  );

  test('Retry-After names the time until midnight for a daily quota, and is omitted for a total quota', async () => {
    const sandbox = await open({
      accounts: [
        { id: 'main', perDay: 1 },
        { id: 'lifetime', total: 1 },
      ],
      now: () => MIDNIGHT - 3_600_000,
    });
    await ask(sandbox, '/api/entity/1');
    expect((await ask(sandbox, '/api/entity/1')).headers.get('retry-after')).toBe('3600');
    // Each account has its own count.
    expect((await ask(sandbox, '/api/entity/1', {}, 'lifetime')).status).toBe(200);
    const spent = await ask(sandbox, '/api/entity/1', {}, 'lifetime');
    expect(spent.json).toMatchObject({
      code: 'allowance_exhausted',
      detail: expect.stringContaining('never resets'),
    });
    expect(spent.headers.get('retry-after')).toBeNull();
  });

  test('the sandbox counts no requests without a valid key', async () => {
    const sandbox = await open({ accounts: [{ id: 'main', total: 1 }] });
    for (let i = 0; i < 5; i++) await fetch(`${sandbox.url}/api/entity/1`);
    expect((await ask(sandbox, '/api/entity/1')).status).toBe(200);
  });

  test("the sandbox's clock sets the dates in responses", async () => {
    const sandbox = await open({
      accounts: [{ id: 'main', perMinute: 1 }],
      profile: { errors: { throttled: { retry_after: 'date' } } },
      now: () => MIDNIGHT + 3_600_000,
    });
    await ask(sandbox, '/api/entity/1');
    const { headers } = await ask(sandbox, '/api/entity/1');
    expect(headers.get('date')).toBe('Wed, 31 Mar 2027 01:00:00 GMT');
    expect(headers.get('retry-after')).toBe('Wed, 31 Mar 2027 01:01:00 GMT');
  });
});
