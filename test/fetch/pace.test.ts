import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Ledger, Spending } from '../../src/allowance/ledger.ts';
import { spacingMs } from '../../src/allowance/windows.ts';
import { type Clock, systemClock } from '../../src/clock.ts';
import { type Connection, openPace, type Pace } from '../../src/fetch/pace.ts';
import { KEY, ledgerOf } from '../allowance/fixtures.ts';

/** A connection that takes a while to open. */
class SlowConnection implements Connection {
  isReady = false;
  connects = 0;
  readonly #delayMs: number;

  constructor(delayMs: number) {
    this.#delayMs = delayMs;
  }

  async connect(): Promise<void> {
    this.connects += 1;
    await sleep(this.#delayMs);
    this.isReady = true;
  }

  hold(): void {}
}

function paceOf(ledger: Ledger, perMinute: number | null, clock: Clock = systemClock): Pace {
  return openPace({ ledger, clock, perMinute, purpose: 'scheduled', keyFingerprint: KEY });
}

const never = new AbortController().signal;

async function slotAt(pace: Pace, connection: Connection = new SlowConnection(0)): Promise<number> {
  const slot = await pace.nextSlot(connection, never);
  if ('is' in slot) throw new Error(`no slot: ${JSON.stringify(slot)}`);
  return slot.atMs;
}

describe('the pace', () => {
  test('hands each caller a slot of its own, in time for it', async () => {
    const pace = paceOf(ledgerOf({ perMinute: 1200 }), 1200);
    const lateness: number[] = [];
    const slots = await Promise.all(
      Array.from({ length: 40 }, async () => {
        const atMs = await slotAt(pace);
        lateness.push(Date.now() - atMs);
        return atMs;
      }),
    );
    slots.sort((a, b) => a - b);
    for (const [index, slot] of slots.entries())
      if (index > 0) expect(slot - (slots[index - 1] ?? 0)).toBeGreaterThan(spacingMs(1200) - 0.01);
    expect(Math.min(...lateness)).toBeGreaterThanOrEqual(-2);
    lateness.sort((a, b) => a - b);
    expect(lateness[20]).toBeLessThan(100);
  });

  test('asks the ledger about once for each slot, since its own last slot tells when the next one comes', async () => {
    const ledger = ledgerOf({ perMinute: 600 });
    let asked = 0;
    const spend = (ask: Spending) => {
      asked += 1;
      return ledger.spend(ask);
    };
    const pace = paceOf({ ...ledger, spend }, 600);
    let slots = 0;
    const lane = async () => {
      for (; slots < 20; slots += 1) {
        await slotAt(pace);
        await sleep(5);
      }
    };
    await Promise.all([lane(), lane(), lane(), lane()]);
    expect(asked / slots).toBeLessThan(1.3);
  });

  test('is not held up by one connection that is slow to open', async () => {
    const pace = paceOf(ledgerOf({ perMinute: 6000 }), 6000);
    const slow = pace.nextSlot(new SlowConnection(1000), never);
    const startMs = Date.now();
    await Promise.all(Array.from({ length: 20 }, () => slotAt(pace)));
    expect(Date.now() - startMs).toBeLessThan(900);
    expect(await slow).toHaveProperty('atMs');
  });

  test('takes no unit before the connection stands', async () => {
    const ledger = ledgerOf({ total: 5 });
    const pace = paceOf(ledger, null);
    const waiting = pace.nextSlot(new SlowConnection(200), never);
    await sleep(100);
    expect(ledger.state(Date.now()).spentEver).toBe(0);
    await waiting;
    expect(ledger.state(Date.now()).spentEver).toBe(1);
  });

  test('opens again what was closed while it waited for the slot', async () => {
    const pace = paceOf(ledgerOf({ perMinute: 60 }), 60);
    await slotAt(pace);
    const connection = new SlowConnection(0);
    const waiting = pace.nextSlot(connection, never);
    await sleep(600);
    connection.isReady = false;
    await waiting;
    expect(connection.connects).toBe(2);
  });

  test('gives up a connection that never stays open', async () => {
    const pace = paceOf(ledgerOf(), null);
    let connects = 0;
    const unsteady: Connection = {
      isReady: false,
      connect: async () => {
        connects += 1;
      },
      hold: () => {},
    };
    expect(await pace.nextSlot(unsteady, never)).toMatchObject({ is: 'unprepared' });
    expect(connects).toBe(3);
  });

  test('says of a connection that fails why, and goes on with the others', async () => {
    const pace = paceOf(ledgerOf(), null);
    const failing: Connection = {
      isReady: false,
      connect: async () => Promise.reject(new Error('no route')),
      hold: () => {},
    };
    const results = await Promise.all([pace.nextSlot(failing, never), slotAt(pace)]);
    expect(results[0]).toMatchObject({ is: 'unprepared', error: { message: 'no route' } });
  });

  test('dismisses all who wait when the allowance ends', async () => {
    const pace = paceOf(ledgerOf({ total: 3 }), null);
    const results = await Promise.all(
      Array.from({ length: 8 }, () => pace.nextSlot(new SlowConnection(0), never)),
    );
    expect(results.filter((result) => 'atMs' in result)).toHaveLength(3);
    expect(results.filter((result) => 'is' in result && result.is === 'spent')).toHaveLength(5);
  });

  test('waits out a pause, and asks again when the clock is set', async () => {
    const ledger = ledgerOf({ perMinute: 6000 });
    ledger.pauseUntil(Date.now() + 500, Date.now());
    const startMs = Date.now();
    await slotAt(paceOf(ledger, 6000));
    expect(Date.now() - startMs).toBeGreaterThanOrEqual(495);
  });

  test('fails all who wait when the ledger fails, and recovers', async () => {
    const ledger = ledgerOf();
    let isBroken = true;
    const unsteady: Ledger = {
      ...ledger,
      spend: (ask) => {
        if (isBroken) throw new Error('disk I/O error');
        return ledger.spend(ask);
      },
    };
    const pace = paceOf(unsteady, null);
    const results = await Promise.allSettled([slotAt(pace), slotAt(pace)]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    isBroken = false;
    expect(await slotAt(pace)).toBeGreaterThan(0);
  });

  test('lets one caller go without the others', async () => {
    const pace = paceOf(ledgerOf({ perMinute: 60 }), 60);
    await slotAt(pace);
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    const leaving = pace.nextSlot(new SlowConnection(0), stop.signal);
    const staying = slotAt(pace);
    stop.abort();
    expect(await leaving).toEqual({ is: 'interrupted' });
    expect(await staying).toBeGreaterThan(Date.now() - 100);
  });
});
