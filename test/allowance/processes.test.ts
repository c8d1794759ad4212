import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { spacingMs } from '../../src/allowance/windows.ts';
import { allowanceOf, ledgerOf, temporaryFolder } from '../support/ledger.ts';
import type { SpenderOrder } from './spender.ts';

const SPENDER = join(import.meta.dirname, 'spender.ts');

interface Spender {
  readonly process: ChildProcess;
  /** The slots that the process printed. */
  readonly slots: number[];
  readonly ended: Promise<number | null>;
}

function startSpender(order: SpenderOrder): Spender {
  const child = spawn(process.execPath, [SPENDER, JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const slots: number[] = [];
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    slots.push(...lines.filter((line) => line !== 'ready').map(Number));
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { process: child, slots, ended };
}

describe('several processes of one account', () => {
  test('processes spend the whole allowance together, and no more', async () => {
    const allowance = allowanceOf({ total: 3000, perDay: 2500 });
    const path = join(temporaryFolder(), 'new', 'ledger.db');
    const order = { path, allowance, most: 7, untilMs: Date.now() + 60_000 };
    const spenders = Array.from({ length: 5 }, () => startSpender(order));
    expect(await Promise.all(spenders.map(({ ended }) => ended))).toEqual([0, 0, 0, 0, 0]);
    const counts = spenders.map(({ slots }) => slots.length);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(2500);
    expect(counts.filter((count) => count > 0).length).toBeGreaterThan(1);
  });

  test('processes share one rate, so that no two slots are closer than the spacing', async () => {
    const allowance = allowanceOf({ perMinute: 6000 });
    const path = join(temporaryFolder(), 'ledger.db');
    const spenders = Array.from({ length: 3 }, () =>
      startSpender({ path, allowance, most: 5, untilMs: Date.now() + 4000 }),
    );
    await Promise.all(spenders.map(({ ended }) => ended));
    const slots = spenders.flatMap((spender) => spender.slots).sort((a, b) => a - b);
    expect(slots.length).toBeGreaterThan(100);
    for (const [index, slot] of slots.entries())
      if (index > 0) expect(slot - (slots[index - 1] ?? 0)).toBeGreaterThan(spacingMs(6000) - 0.01);
  });

  test('a killed process wastes at most the slots of one request', async () => {
    const most = 8;
    const allowance = allowanceOf({ total: 1_000_000 });
    const ledger = ledgerOf({ total: 1_000_000 });
    const order = { path: ledger.path, allowance, most, untilMs: Date.now() + 20_000 };
    const survivor = startSpender({ ...order, untilMs: Date.now() + 5000 });
    let written = 0;
    for (let kill = 0; kill < 5; kill++) {
      const victim = startSpender(order);
      while (victim.slots.length < 20 * (kill + 1)) await new Promise((resolve) => setTimeout(resolve, 3));
      victim.process.kill('SIGKILL');
      await victim.ended;
      written += victim.slots.length;
    }
    expect(await survivor.ended).toBe(0);
    const lost = ledger.state(Date.now()).spentEver - written - survivor.slots.length;
    expect(lost).toBeGreaterThanOrEqual(0);
    expect(lost).toBeLessThanOrEqual(5 * most);
    expect(survivor.slots.length).toBeGreaterThan(0);
  });
});
