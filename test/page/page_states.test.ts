import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import { PAGE_STATES, syncWithEstimate } from '../support/page_states.ts';
import { overflowPixels, seriousViolations } from '../support/page_tab.ts';
import { companies, type Mirrored, openMirrored } from '../support/served_mirror.ts';
import { type ServedPage, servePage } from '../support/served_page.ts';

const BIN = resolve(import.meta.dirname, '../../src/cli/bin.js');

let mirror: Mirrored;
let served: ServedPage;
let browser: Browser;

beforeAll(async () => {
  mirror = await openMirrored({ companies: companies(40) });
  await syncWithEstimate(mirror);
  [served, browser] = await Promise.all([servePage(mirror), openBrowser()]);
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await served?.close();
  await mirror?.close();
});

/** The words of `status --json`, with the cause if there is one. */
function healthOfStatus(): {
  readonly state: string;
  readonly problems: readonly { readonly cause: string }[];
} {
  const args = [BIN, 'status', '--json', '--config', join(mirror.folder, 'page.yaml')];
  const { stdout } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    env: { ...process.env, TZ: 'UTC' },
  });
  return JSON.parse(stdout).data.health;
}

describe.each(PAGE_STATES)('a mirror in the state $name', ({ health, enter }) => {
  test('shows its health above the fold and in the title, in the same words as status', async () => {
    const leave = enter(mirror);
    try {
      const page = await browser.newPage({ viewport: { width: 390, height: 844 }, timezoneId: 'UTC' });
      await page.goto(served.url);
      const sentence = await page.locator('#health').innerText();
      expect(sentence.slice(1).trim()).toMatch(new RegExp(`^${health}`));
      const box = await page.locator('.health').boundingBox();
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThan(844);
      expect(await page.title()).toBe(`${sentence.slice(1).trim()} – Sandbox registry`);
      for (const { cause } of healthOfStatus().problems)
        expect(await page.locator('.health').innerText()).toContain(cause);
      expect(await seriousViolations(page)).toEqual([]);
      expect(await overflowPixels(page)).toBe(0);
      await page.context().close();
    } finally {
      leave();
    }
  });
});
