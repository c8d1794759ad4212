import axe, { type AxeResults } from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';

/** A tab that notes what must not happen. */
export interface Tab {
  readonly page: Page;
  /** Closes it. Nothing was said in the console (the policy's violations are), and no other host was asked. */
  close(): Promise<void>;
}

export async function openTab(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<Tab> {
  const page = await browser.newPage(options);
  const complaints: string[] = [];
  const origins = new Set<string>();
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => origins.add(new URL(request.url()).origin));
  await page.goto(url);
  return {
    page,
    async close() {
      await page.context().close();
      expect(complaints).toEqual([]);
      expect([...origins]).toEqual([new URL(url).origin]);
    },
  };
}

/** What axe calls serious or critical, with the first place of each. */
export async function graveFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations, passes } = (await page.evaluate('axe.run()')) as AxeResults;
  expect(passes.length).toBeGreaterThan(15);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}

/** How much of the document lies to the right of the screen. */
export function sidewaysPixels(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}
