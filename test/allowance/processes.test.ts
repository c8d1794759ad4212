import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { spacingMs } from '../../src/allowance/windows.ts';
import { allowanceOf, ledgerOf } from '../support/ledger.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';
import type { SpenderOrder } from './spender.ts';

const SPENDER = join(import.meta.dirname, 'spender.ts');

interface Spender {
  readonly process: ChildProcess;
  /** The slots that the process printed. */
  readonly slots: number[];
  readonly ready: Promise<void>;
  readonly ended: Promise<number | null>;
  start(): void;
  stop(): void;
}

/** Starts processes that begin spending at the same time. */
async function startSpenders(count: number, order: SpenderOrder): Promise<Spender[]> {
  const spenders = Array.from({ length: count }, () => openSpender(order));
  await Promise.all(spenders.map(({ ready }) => ready));
  for (const spender of spenders) spender.start();
  return spenders;
}

async function startSpender(order: SpenderOrder): Promise<Spender> {
  const spender = openSpender(order);
  await spender.ready;
  spender.start();
  return spender;
}

function openSpender(order: SpenderOrder): Spender {
  const child = spawn(process.execPath, [SPENDER, JSON.stringify(order)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const slots: number[] = [];
  let rest = '';
  const ready = new Promise<void>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      if (lines.includes('ready')) resolve();
      slots.push(...lines.filter((line) => line !== 'ready').map(Number));
    });
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return {
    process: child,
    slots,
    ready,
    ended,
    start: () => void child.stdin.write('start\n'),
    stop: () => void child.stdin.end(),
  };
}

describe('several processes that share an account', () => {
  test('several processes that share an account together spend the whole allowance, and no more', async () => {
    const allowance = allowanceOf({ total: 3000, perDay: 2500 });
    const path = join(temporaryFolder(), 'new', 'ledger.db');
    const spenders = await startSpenders(5, { path, allowance, most: 7 });
    expect(await Promise.all(spenders.map(({ ended }) => ended))).toEqual([0, 0, 0, 0, 0]);
    const counts = spenders.map(({ slots }) => slots.length);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(2500);
    expect(counts.filter((count) => count > 0).length).toBeGreaterThan(1);
  });

  test("several processes share the account's rate, so no two slots are closer than the spacing", async () => {
    const allowance = allowanceOf({ perMinute: 6000, total: 200 });
    const path = join(temporaryFolder(), 'ledger.db');
    const spenders = await startSpenders(3, { path, allowance, most: 5 });
    await Promise.all(spenders.map(({ ended }) => ended));
    expect(spenders.filter((spender) => spender.slots.length > 0).length).toBeGreaterThan(1);
    const slots = spenders.flatMap((spender) => spender.slots).sort((a, b) => a - b);
    expect(slots).toHaveLength(200);
    for (const [index, slot] of slots.entries())
      if (index > 0) expect(slot - (slots[index - 1] ?? 0)).toBeGreaterThan(spacingMs(6000) - 0.01);
  });

  test('a killed process loses at most the slots from one request', async () => {
    const most = 8;
    const allowance = allowanceOf({ total: 1_000_000 });
    const ledger = ledgerOf({ total: 1_000_000 });
    const order = { path: ledger.path, allowance, most };
    const survivor = await startSpender(order);
    while (survivor.slots.length === 0) await sleep(3);
    let written = 0;
    for (let kill = 0; kill < 5; kill++) {
      const victim = await startSpender(order);
      while (victim.slots.length < 20 * (kill + 1)) await sleep(3);
      victim.process.kill('SIGKILL');
      await victim.ended;
      written += victim.slots.length;
    }
    survivor.stop();
    expect(await survivor.ended).toBe(0);
    const lost = ledger.state(Date.now()).spentEver - written - survivor.slots.length;
    expect(lost).toBeGreaterThanOrEqual(0);
    expect(lost).toBeLessThanOrEqual(5 * most);
    expect(survivor.slots.length).toBeGreaterThan(0);
  });
});
