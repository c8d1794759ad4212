/**
 * `npm run page:screenshots -- FOLDER` makes screenshots of the status page: light, dark, phone and paper. They show
 * a synthetic registry after four weeks, and an empty mirror.
 */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { BrowserContextOptions } from 'playwright-core';
import { openBrowser } from '../support/browser.ts';
import { companies, type Mirrored, openMirrored } from '../support/served_mirror.ts';
import { serveEmptyPage, servePage } from '../support/served_page.ts';

const DAY_MS = 86_400_000;
const DAYS = 28;
const COMPANIES = 2_400;
const ALLOWANCE = { per_minute: 600, per_day: 500, total: 20_000 } as const;
const SCREENS: Readonly<Record<string, BrowserContextOptions>> = {
  light: { viewport: { width: 1280, height: 900 }, colorScheme: 'light' },
  dark: { viewport: { width: 1280, height: 900 }, colorScheme: 'dark' },
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
};

const [, , folder] = process.argv;
if (folder === undefined)
  throw new Error('The folder for the screenshots is missing: pass it as the first argument.');
mkdirSync(folder, { recursive: true });
const synthetic = companies(COMPANIES + DAYS * 10);
let hasFaults = false;
const mirror = await openMirrored({
  companies: synthetic.slice(0, COMPANIES),
  // On the last day, some responses go to the quarantine.
  faults: ({ target }) => {
    if (!hasFaults || !target.endsWith('7')) return null;
    return { kind: 'altered', body: () => '{"unexpected": true}' };
  },
  configuration: {
    // Four weeks pass in seconds: a rate limit would delay them.
    allowance: { ...ALLOWANCE, per_minute: 'unlimited' },
    max_age: { records: '6d' },
    schedule: { timezone: 'Europe/Berlin' },
    source: { name: 'Registry of Synthetic Companies', url: 'https://registry.example/' },
  },
});
const opened: { close(): Promise<void> }[] = [mirror];
try {
  await simulateWeeks(mirror);
  const served = await servePage(mirror, ALLOWANCE);
  opened.push(served);
  const empty = await serveEmptyPage();
  opened.push(empty);
  const pages = {
    overview: `${served.url}/`,
    company: `${served.url}/page/company?id=${encodeURIComponent(synthetic[1]?.id ?? '')}`,
    search: `${served.url}/page/search?q=a`,
    empty: `${empty.url}/`,
  };
  for (const [name, url] of Object.entries(pages)) await shoot(name, url);
} finally {
  for (const one of opened.reverse()) await one.close();
}

/** Runs four weeks: companies are added, changed and deleted, and the mirror uses its allowance each day. */
async function simulateWeeks({ sandbox, sync, now }: Mirrored): Promise<void> {
  await sync(-DAYS * DAY_MS);
  for (let day = 0; day < DAYS; day++) {
    for (const company of synthetic.slice(COMPANIES + day * 10, COMPANIES + day * 10 + 10))
      sandbox.companies.put(company);
    for (const [at, company] of synthetic.slice(0, 40).entries())
      if (at % 7 === day % 7)
        sandbox.companies.put({
          ...company,
          name: `${company.name} (${day + 1})`,
          fields: { ...company.fields, capital: 1_000 * day, status: day % 2 === 0 ? 'active' : 'dissolved' },
        });
    sandbox.companies.remove(synthetic[COMPANIES - 1 - day]?.id ?? '', now());
    hasFaults = day === DAYS - 1;
    await sync(DAY_MS);
  }
}

/** Uses a new browser for each screen: after many tall pages a browser may fail to capture another. */
async function shoot(name: string, url: string): Promise<void> {
  for (const [screen, options] of Object.entries(SCREENS)) {
    const browser = await openBrowser();
    const page = await browser.newPage(options);
    await page.goto(url, { waitUntil: 'load' });
    await page.screenshot({ path: path(`${name}-${screen}.png`), fullPage: true });
    if (screen === 'light') {
      await page.emulateMedia({ media: 'print' });
      await page.setViewportSize({ width: 720, height: 1_000 });
      await page.screenshot({ path: path(`${name}-print.png`), fullPage: true });
      await page.pdf({ path: path(`${name}.pdf`), format: 'A4', margin: { top: '15mm', bottom: '15mm' } });
    }
    await browser.close();
  }
}

function path(name: string): string {
  return resolve(join(folder ?? '', name));
}
