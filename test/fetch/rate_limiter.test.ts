import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Ledger, LOOKAHEAD_MS, type Spending, type Spent } from '../../src/allowance/ledger.ts';
import { spacingMs } from '../../src/allowance/windows.ts';
import { type Clock, systemClock } from '../../src/clock.ts';
import { Connection } from '../../src/fetch/connection.ts';
import { ConnectionPool } from '../../src/fetch/connection_pool.ts';
import { RateLimiter, type SendSlot } from '../../src/fetch/rate_limiter.ts';
import { steppedClock } from '../support/engine.ts';
import { KEY, ledgerOf } from '../support/ledger.ts';

/** A connection that opens slowly, or only when the test opens it. */
class SlowConnection extends Connection {
  isOpen = false;
  connects = 0;
  holds = 0;
  open = () => {};
  readonly #delayMs: number;

  constructor(delayMs = 0) {
    super(
      { origin: new URL('http://127.0.0.1:9'), connectTimeoutMs: 1, ca: null, proxy: null },
      () => new Promise(() => {}),
    );
    this.#delayMs = delayMs;
  }

  override get isReady(): boolean {
    return this.isOpen;
  }

  override async connect(): Promise<void> {
    this.connects += 1;
    if (this.#delayMs === Infinity) {
      await new Promise<void>((resolve) => {
        this.open = resolve;
      });
    } else await sleep(this.#delayMs);
    this.isOpen = true;
  }

  override hold(): void {
    this.holds += 1;
  }

  override close(): void {
    this.isOpen = false;
  }
}

class FailingConnection extends SlowConnection {
  override async connect(): Promise<void> {
    this.connects += 1;
    throw new Error('no route');
  }
}

/** A connection that closes immediately after it opens. */
class ShortLivedConnection extends SlowConnection {
  override async connect(): Promise<void> {
    this.connects += 1;
  }
}

interface Limited {
  readonly limiter: RateLimiter;
  readonly pool: ConnectionPool;
}

function limited(
  ledger: Ledger,
  perMinute: number | null,
  connections: readonly Connection[] = [new SlowConnection()],
  clock: Clock = systemClock,
): Limited {
  const pool = new ConnectionPool(connections, clock);
  const limiter = new RateLimiter({
    ledger,
    pool,
    clock,
    perMinute,
    purpose: 'scheduled',
    keyFingerprint: KEY,
  });
  return { limiter, pool };
}

const slowConnections = (count: number) => Array.from({ length: count }, () => new SlowConnection());
const never = new AbortController().signal;

/** Takes slots and immediately returns their connections. */
async function slotsOf({ limiter, pool }: Limited, most = 1): Promise<readonly SendSlot[]> {
  const slots = await limiter.slots(most, never);
  if ('is' in slots) throw new Error(`no slot: ${JSON.stringify(slots)}`);
  for (const { connection } of slots) pool.giveBack(connection);
  return slots;
}

/** Replaces the ledger's method, which the new one can call. */
function withSpend(
  ledger: Ledger,
  replaced: (ask: Spending, spend: (ask: Spending) => Spent) => Spent,
): Ledger {
  const spend = ledger.spend.bind(ledger);
  return Object.assign(ledger, { spend: (ask: Spending) => replaced(ask, spend) });
}

describe('the rate limiter', () => {
  test.each([1, 4])(
    'the rate limiter spaces slots taken up to %i at a time, and resolves before they are due',
    async (most) => {
      const clock = steppedClock();
      const parts = limited(ledgerOf({ perMinute: 1200 }), 1200, slowConnections(4), clock);
      const slots: number[] = [];
      while (slots.length < 40) {
        const taken = await slotsOf(parts, most);
        expect(taken.length).toBeLessThanOrEqual(most);
        const leadMs = (taken[0]?.atMs ?? 0) - clock.now();
        expect(leadMs).toBeGreaterThanOrEqual(0);
        expect(leadMs).toBeLessThanOrEqual(LOOKAHEAD_MS);
        for (const { atMs } of taken) {
          slots.push(atMs);
          clock.step(Math.max(0, atMs - clock.now()));
        }
      }
      for (const [index, slot] of slots.entries())
        if (index > 0) expect(slot - (slots[index - 1] ?? 0)).toBeGreaterThan(spacingMs(1200) - 0.01);
      const lastedMs = (slots.at(-1) ?? 0) - (slots[0] ?? 0);
      expect(lastedMs).toBeLessThan(1.02 * slots.length * spacingMs(1200));
    },
  );

  test.each([
    [1200, 3],
    [600, 2],
  ])(
    'at %i calls a minute, the rate limiter takes %i slots in one transaction, at least 50 ms ahead',
    async (perMinute, count) => {
      const clock = steppedClock();
      const parts = limited(ledgerOf({ perMinute }), perMinute, slowConnections(8), clock);
      await slotsOf(parts, 8);
      for (let transactions = 0; transactions < 2; transactions++) {
        const slots = await slotsOf(parts, 8);
        expect(slots).toHaveLength(count);
        expect((slots[0]?.atMs ?? 0) - clock.now()).toBeGreaterThan(50);
      }
    },
  );

  test('the rate limiter assigns each slot its own connection and keeps the connection open', async () => {
    const connections = slowConnections(3);
    const parts = limited(ledgerOf(), null, connections);
    await slotsOf(parts, 3);
    await sleep(20);
    const slots = await parts.limiter.slots(3, never);
    if ('is' in slots) throw new Error('no slots');
    expect(new Set(slots.map(({ connection }) => connection))).toEqual(new Set(connections));
    expect(parts.pool.free).toBe(0);
    expect(connections.every(({ holds }) => holds > 0)).toBe(true);
  });

  test('the rate limiter does not wait for a connection that is slow to open', async () => {
    const slow = new SlowConnection(Infinity);
    const parts = limited(ledgerOf({ perMinute: 6000 }), 6000, [slow, new SlowConnection()]);
    for (let slots = 0; slots < 20; ) slots += (await slotsOf(parts, 2)).length;
    expect(slow).toMatchObject({ isReady: false, connects: 1 });
    slow.open();
    await expect.poll(async () => (await slotsOf(parts, 2)).length).toBe(2);
    expect(slow).toMatchObject({ isReady: true, connects: 1 });
  });

  test('the rate limiter spends no unit before a connection is open', async () => {
    const ledger = ledgerOf({ total: 5 });
    const waiting = slotsOf(limited(ledger, null, [new SlowConnection(200)]));
    await sleep(100);
    expect(ledger.state(Date.now()).spentEver).toBe(0);
    await waiting;
    expect(ledger.state(Date.now()).spentEver).toBe(1);
  });

  test('the rate limiter reopens a connection that was closed during the wait for its slot', async () => {
    const ledger = ledgerOf();
    ledger.pauseUntil(Date.now() + 800, Date.now());
    const connection = new SlowConnection();
    const waiting = slotsOf(limited(ledger, null, [connection]));
    await sleep(400);
    expect(connection).toMatchObject({ isReady: true, connects: 1 });
    connection.close();
    await waiting;
    expect(connection).toMatchObject({ isReady: true, connects: 2 });
  });

  test('the rate limiter fails without spending a unit if no connection stays open', async () => {
    const ledger = ledgerOf();
    const connection = new ShortLivedConnection();
    const { limiter } = limited(ledger, null, [connection]);
    expect(await limiter.slots(1, never)).toMatchObject({
      is: 'unreachable',
      error: { message: expect.stringMatching(/closes each connection immediately/) },
    });
    expect(connection.connects).toBeLessThanOrEqual(5);
    expect(ledger.state(Date.now()).spentEver).toBe(0);
  });

  test('the rate limiter reports the reason without spending a unit if no connection can be opened', async () => {
    const ledger = ledgerOf();
    const { limiter } = limited(ledger, null, [new FailingConnection(), new FailingConnection()]);
    expect(await limiter.slots(2, never)).toMatchObject({
      is: 'unreachable',
      error: { message: 'no route' },
    });
    expect(ledger.state(Date.now()).spentEver).toBe(0);
  });

  test('the rate limiter uses the other connections if one cannot be opened', async () => {
    const good = new SlowConnection();
    const parts = limited(ledgerOf(), null, [new FailingConnection(), good]);
    for (let call = 0; call < 3; call++)
      expect(await slotsOf(parts, 2)).toMatchObject([{ connection: good }]);
  });

  test('the rate limiter takes the remaining quota, then reports that the allowance is exhausted', async () => {
    const ledger = ledgerOf({ total: 3 });
    const parts = limited(ledger, null, slowConnections(8));
    expect(await slotsOf(parts, 8)).toHaveLength(1);
    await sleep(20);
    expect(await slotsOf(parts, 8)).toHaveLength(2);
    expect(await parts.limiter.slots(8, never)).toMatchObject({ is: 'spent', window: 'total' });
    expect(ledger.state(Date.now()).spentEver).toBe(3);
    expect(parts.pool.free).toBe(8);
  });

  test('the rate limiter takes no slot during a pause', async () => {
    const ledger = ledgerOf({ perMinute: 6000 });
    const untilMs = Date.now() + 500;
    ledger.pauseUntil(untilMs, Date.now());
    const [slot] = await slotsOf(limited(ledger, 6000));
    expect(slot?.atMs).toBeGreaterThanOrEqual(untilMs);
  });

  test("the rate limiter reports a pause that is longer than the run's maximum wait", async () => {
    const ledger = ledgerOf();
    const untilMs = Date.now() + 11 * 60_000;
    ledger.pauseUntil(untilMs, Date.now());
    const startMs = Date.now();
    const paused = await limited(ledger, null).limiter.slots(1, never);
    if (!('is' in paused) || paused.is !== 'paused') throw new Error('not paused');
    expect(Math.abs(paused.untilMs - untilMs)).toBeLessThanOrEqual(LOOKAHEAD_MS);
    expect(Date.now() - startMs).toBeLessThan(2000);
  });

  test('the rate limiter fails if the ledger fails, and works again as soon as the ledger does', async () => {
    const ledger = ledgerOf();
    let isBroken = true;
    const unsteady = withSpend(ledger, (ask, spend) => {
      if (isBroken) throw new Error('disk I/O error');
      return spend(ask);
    });
    const parts = limited(unsteady, null);
    await expect(parts.limiter.slots(1, never)).rejects.toThrow('disk I/O error');
    expect(parts.pool.free).toBe(1);
    isBroken = false;
    expect(await slotsOf(parts)).toHaveLength(1);
  });

  test('the rate limiter waits for a busy ledger without blocking the event loop', async () => {
    const ledger = ledgerOf();
    let attempts = 0;
    let turns = 0;
    const turning = setInterval(() => {
      turns += 1;
    }, 1);
    onTestFinished(() => clearInterval(turning));
    const busy = withSpend(ledger, (ask, spend) => {
      attempts += 1;
      if (attempts > 10) return spend(ask);
      // SQLite itself waits for the lock before it reports that the file is busy.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
      throw new Database.SqliteError('database is locked', 'SQLITE_BUSY');
    });
    const parts = limited(busy, null);
    expect(await slotsOf(parts)).toHaveLength(1);
    expect(turns).toBeGreaterThanOrEqual(10);
    expect(ledger.state(Date.now()).spentEver).toBe(1);
  });

  test('an interrupted rate limiter stops waiting immediately and spends no unit', async () => {
    const ledger = ledgerOf({ perMinute: 6 });
    const parts = limited(ledger, 6);
    const [first] = await slotsOf(parts);
    const stop = new AbortController();
    const waiting = parts.limiter.slots(1, stop.signal);
    await sleep(50);
    const startMs = Date.now();
    stop.abort();
    expect(await waiting).toEqual({ is: 'interrupted' });
    // The next slot is 10 s away.
    expect(Date.now() - startMs).toBeLessThan(5000);
    expect(first).toBeDefined();
    expect(ledger.state(Date.now()).spentEver).toBe(1);
    expect(parts.pool.free).toBe(1);
  });

  test('an interrupted rate limiter stops immediately while a connection opens', async () => {
    const ledger = ledgerOf();
    const stop = new AbortController();
    const waiting = limited(ledger, null, [new SlowConnection(Infinity)]).limiter.slots(1, stop.signal);
    await sleep(50);
    stop.abort();
    expect(await waiting).toEqual({ is: 'interrupted' });
    expect(ledger.state(Date.now()).spentEver).toBe(0);
  });

  test('the rate limiter keeps the spacing after an interruption', async () => {
    const parts = limited(ledgerOf({ perMinute: 60 }), 60);
    const [first] = await slotsOf(parts);
    const stop = new AbortController();
    const leaving = parts.limiter.slots(1, stop.signal);
    stop.abort();
    expect(await leaving).toEqual({ is: 'interrupted' });
    const [second] = await slotsOf(parts);
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThan(spacingMs(60) - 0.01);
  });
});

describe('the connection pool', () => {
  const poolOf = (connections: readonly Connection[]) => new ConnectionPool(connections, systemClock);

  test('the connection pool returns the most recently used connection first', async () => {
    const connections = slowConnections(3);
    for (const connection of connections) connection.isOpen = true;
    const pool = poolOf(connections);
    const second = connections[1] as Connection;
    pool.take(second);
    pool.giveBack(second);
    expect(await pool.ready(1, never)).toEqual([second]);
    expect(await pool.ready(3, never)).toEqual([second, connections[0], connections[2]]);
  });

  test.each([
    [499, 'the upstream closes each connection immediately'],
    [500, null],
  ])(
    'the connection pool judges an upstream that closes each connection after %i ms',
    async (lifeMs, message) => {
      let nowMs = 0;
      const connection = new TenthConnection(() => {
        nowMs += lifeMs;
      });
      const pool = new ConnectionPool([connection], { ...systemClock, now: () => nowMs });
      const reason = await pool.ready(1, never).then(
        () => null,
        (error: Error) => error.message,
      );
      expect(reason).toBe(message);
    },
  );
});

/** A connection that is closed nine times before it can be used. */
class TenthConnection extends SlowConnection {
  readonly #onConnect: () => void;

  constructor(onConnect: () => void) {
    super();
    this.#onConnect = onConnect;
  }

  override async connect(): Promise<void> {
    this.#onConnect();
    await super.connect();
    this.isOpen = this.connects === 10;
  }
}
