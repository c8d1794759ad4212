import axe, { type AxeResults } from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';

/** A browser tab that records console messages and the origins of its requests. */
export interface Tab {
  readonly page: Page;
  /**
   * Closes the tab. Fails if the console shows errors, such as policy violations, or if a request went to another host.
   */
  close(): Promise<void>;
}

export async function openTab(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<Tab> {
  const page = await browser.newPage(options);
  const messages: string[] = [];
  const origins = new Set<string>();
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) messages.push(message.text());
  });
  page.on('pageerror', (error) => messages.push(error.message));
  page.on('request', (request) => origins.add(new URL(request.url()).origin));
  await page.goto(url);
  return {
    page,
    async close() {
      await page.context().close();
      expect(messages).toEqual([]);
      expect([...origins]).toEqual([new URL(url).origin]);
    },
  };
}

/** All violations that axe reports, whatever their impact, each with the first element at fault. */
export async function axeViolations(page: Page): Promise<string[]> {
  const isLoaded = await page.evaluate('"axe" in window');
  if (!isLoaded) await page.evaluate(axe.source);
  // The colour scheme affects only contrast, so the other rules are checked once per page.
  const rules = isLoaded ? { runOnly: ['color-contrast'] } : {};
  // Without this option, axe describes each element that passes a rule, which takes a third of its time.
  const options = JSON.stringify({ ...rules, resultTypes: ['violations'] });
  const { violations, passes } = (await page.evaluate(`axe.run(${options})`)) as AxeResults;
  expect(passes.length).toBeGreaterThan(isLoaded ? 0 : 15);
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}

/** How many pixels of the document are beyond the screen's right edge. */
export function overflowPixels(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}
