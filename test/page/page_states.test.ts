import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import { runCommand } from '../support/command.ts';
import { PAGE_STATES, syncWithEstimate } from '../support/page_states.ts';
import { axeViolations, overflowPixels } from '../support/page_tab.ts';
import { companies, type Mirrored, openMirrored } from '../support/served_mirror.ts';
import { type ServedPage, servePage } from '../support/served_page.ts';

const PHONE = { width: 390, height: 844 };

let mirror: Mirrored;
let served: ServedPage;
let browser: Browser;
/** Shows all states, because each new tab starts a process of the browser. */
let page: Page;
/** The kinds of elements in which axe found no violation. */
const checkedKinds = new Set<string>();

beforeAll(async () => {
  mirror = await openMirrored({ companies: companies(40) });
  await syncWithEstimate(mirror);
  [served, browser] = await Promise.all([servePage(mirror), openBrowser()]);
  page = await browser.newPage({ viewport: PHONE, timezoneId: 'UTC' });
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await served?.close();
  await mirror?.close();
});

/** The mirror's health as `status --json` reports it. */
async function healthOfStatus(): Promise<{ readonly problems: readonly { readonly cause: string }[] }> {
  const args = ['status', '--json', '--config', join(mirror.folder, 'page.yaml')];
  return (await runCommand(args, { env: { TZ: 'UTC' } })).json.data.health;
}

async function bottomOf(selector: string): Promise<number> {
  const { y, height } = (await page.locator(selector).boundingBox()) ?? { y: Infinity, height: 0 };
  return y + height;
}

/**
 * The kinds of elements on the page: the tag, class and role of an element and of its ancestors. Two elements of one
 * kind have the same style and the same purpose, so axe needs to check only one of them.
 */
function elementKinds(): Promise<string[]> {
  return page.evaluate(`{
    const kindOf = (element) =>
      element === null
        ? ''
        : kindOf(element.parentElement) +
          [' ' + element.tagName, element.getAttribute('class'), element.getAttribute('role')].join('.');
    [...new Set(Array.from(document.querySelectorAll('*'), kindOf))];
  }`);
}

describe.each(PAGE_STATES)('a mirror in the state $name', ({ health, configured, enter }) => {
  test("the page shows the mirror's health above the fold and in the title, in the same words as status", async () => {
    if (configured !== undefined) {
      await served.close();
      served = await servePage(mirror, configured(mirror.now()));
    }
    const leave = enter(mirror);
    try {
      const status = healthOfStatus();
      await page.goto(served.url);
      const sentence = String(await page.locator('#health').textContent())
        .slice(1)
        .trim();
      expect(sentence).toMatch(new RegExp(`^${health}`));
      expect(await page.title()).toBe(`${sentence} – Sandbox registry`);
      expect(await bottomOf('.health')).toBeLessThan(PHONE.height);
      expect(await bottomOf('#answers')).toBeLessThan(2 * PHONE.height);
      const { problems } = await status;
      expect(problems.length > 0).toBe(sentence.startsWith('Needs you'));
      for (const { cause } of problems) expect(await page.locator('.health').textContent()).toContain(cause);
      expect(await overflowPixels(page)).toBe(0);
      const kinds = await elementKinds();
      if (kinds.every((kind) => checkedKinds.has(kind))) return;
      for (const colorScheme of ['dark', 'light'] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await axeViolations(page)).toEqual([]);
      }
      for (const kind of kinds) checkedKinds.add(kind);
    } finally {
      leave();
    }
  });
});
