/**
 * `npm run page:screenshots` saves the README's pictures in `docs/images`. With a folder as its argument, it saves the
 * status page in every state there, 1440 and 390 pixels wide, light and dark, and once in print:
 * `npm run page:screenshots -- FOLDER`.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { updateStoredEstimate } from '../../src/operations/estimate.ts';
import { openBrowser } from '../support/browser.ts';
import { enterFirstRun, PAGE_STATES, syncWithEstimate } from '../support/page_states.ts';
import { companies, type Mirrored, openMirrored } from '../support/served_mirror.ts';
import { type ServedPage, serveEmptyPage, servePage } from '../support/served_page.ts';
import { type TerminalPicture, terminalPictures } from '../support/terminal_picture.ts';

const DAY_MS = 86_400_000;
const DAYS = 28;
const COMPANIES = 2_400;
const ALLOWANCE = { per_minute: 600, per_day: 1_000, total: 40_000 } as const;
/** A little longer than a day, so that the daily quota is available again. */
const BETWEEN_SYNCS_MS = DAY_MS + 600_000;
const JAPANESE = {
  id: 'J-0001',
  name: '株式会社東京サンプル商事',
  fields: { city: '東京都千代田区', status: '存続' },
};
const SCREENS: Readonly<Record<string, BrowserContextOptions>> = {
  'desktop-light': { viewport: { width: 1440, height: 900 }, colorScheme: 'light' },
  'desktop-dark': { viewport: { width: 1440, height: 900 }, colorScheme: 'dark' },
  'phone-light': {
    viewport: { width: 390, height: 844 },
    isMobile: true,
    hasTouch: true,
    colorScheme: 'light',
  },
  'phone-dark': {
    viewport: { width: 390, height: 844 },
    isMobile: true,
    hasTouch: true,
    colorScheme: 'dark',
  },
};
/** Servers have no Japanese font. On the page itself, the reader's own fonts are used. */
const FONT = readFileSync(
  join(import.meta.dirname, '../../node_modules/@fontsource/kosugi/files/kosugi-japanese-400-normal.woff2'),
).toString('base64');

const [, , folder] = process.argv;
const synthetic = companies(COMPANIES + DAYS * 10);
const mirror = await openMirrored({
  companies: [...synthetic.slice(0, COMPANIES), JAPANESE],
  configuration: {
    // Four weeks are simulated in seconds, so there is no rate limit.
    allowance: { ...ALLOWANCE, per_minute: 'unlimited' },
    max_age: { stats: '1d', records: '10d' },
    schedule: { timezone: 'Europe/Berlin' },
    source: { name: 'Registry of Synthetic Companies', url: 'https://registry.example/' },
  },
});
const opened: { close(): Promise<void> }[] = [mirror];
try {
  await simulateWeeks(mirror);
  const served = await servePage(mirror, { allowance: ALLOWANCE });
  opened.push(served);
  if (folder === undefined) await readmePictures(served);
  else await allStates(served, folder);
} finally {
  for (const one of opened.reverse()) await one.close();
}

async function readmePictures({ url }: ServedPage): Promise<void> {
  const into = resolve(import.meta.dirname, '../../docs/images');
  mkdirSync(into, { recursive: true });
  for (const colorScheme of ['light', 'dark'] as const)
    await shoot(`${url}/`, { viewport: { width: 1280, height: 800 }, colorScheme }, (page) =>
      page.screenshot({ path: join(into, `page-${colorScheme}.png`) }),
    );
  for (const picture of await terminalPictures()) await shootTerminal(picture, into);
}

async function allStates(served: ServedPage, into: string): Promise<void> {
  mkdirSync(into, { recursive: true });
  const gone = encodeURIComponent(synthetic[COMPANIES - 1]?.id ?? '');
  const empty = await serveEmptyPage();
  opened.push(empty);
  await shootAll('empty', `${empty.url}/`, into);
  for (const [name, path] of Object.entries({
    gone: `/page/company?id=${gone}`,
    company: `/page/company?id=${encodeURIComponent(synthetic[1]?.id ?? '')}`,
    japanese: `/page/company?id=${JAPANESE.id}`,
    search: `/page/search?q=${encodeURIComponent('東京')}`,
    changes: '/page/changes',
    run: '/page/runs/3',
  }))
    await shootAll(name, served.url + path, into);
  await shoot(`${served.url}/`, { viewport: { width: 794, height: 1123 } }, async (page) => {
    await page.emulateMedia({ media: 'print' });
    await page.screenshot({ path: join(into, 'complete-print.png'), fullPage: true });
  });
  for (const { name, enter } of PAGE_STATES.filter(({ configured }) => configured === undefined)) {
    const leave = enter(mirror);
    await shootAll(name, `${served.url}/`, into);
    leave();
  }
  await youngMirror(into);
  for (const [screen, options] of Object.entries(SCREENS)) {
    const lost = await serveEmptyPage();
    await shoot(`${lost.url}/`, options, async (page) => {
      await lost.close();
      await page.locator('#lost').waitFor({ state: 'visible' });
      await page.screenshot({ path: join(into, `lost-server-${screen}.png`) });
    });
  }
}

/** A mirror that has only listings: while its first run is in progress, and afterwards. */
async function youngMirror(into: string): Promise<void> {
  const young = await openMirrored({ companies: synthetic.slice(0, 300) });
  opened.push(young);
  updateStoredEstimate(young.house, await young.sync(0, new Set(['stats', 'search'] as const)));
  const page = await servePage(young);
  opened.push(page);
  await shootAll('listings', `${page.url}/`, into);
  const leave = enterFirstRun(young);
  await shootAll('first-run', `${page.url}/`, into);
  leave();
}

/** Simulates four weeks, in which companies are added, changed and deleted, and the mirror is updated each day. */
async function simulateWeeks({ sandbox, sync, now }: Mirrored): Promise<void> {
  await sync(-DAYS * BETWEEN_SYNCS_MS);
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
    if (day % 4 === 0) sandbox.companies.remove(synthetic[COMPANIES - 1 - day]?.id ?? '', now());
    if (day < DAYS - 1) await sync(BETWEEN_SYNCS_MS);
    else await syncWithEstimate(mirror, BETWEEN_SYNCS_MS);
  }
}

async function shootAll(name: string, url: string, into: string): Promise<void> {
  for (const [screen, options] of Object.entries(SCREENS))
    await shoot(url, options, (page) =>
      page.screenshot({ path: join(into, `${name}-${screen}.png`), fullPage: true }),
    );
}

/** Uses a new browser for each picture, because browsers can fail to capture a tall page after many others. */
async function shoot(
  url: string,
  options: BrowserContextOptions,
  capture: (page: Page) => Promise<unknown>,
): Promise<void> {
  const browser = await openBrowser();
  // The page's content security policy forbids fonts.
  const page = await browser.newPage({ ...options, bypassCSP: true });
  await page.goto(url, { waitUntil: 'load' });
  await page.addStyleTag({
    content: `@font-face { font-family: sample; src: url(data:font/woff2;base64,${FONT}); unicode-range: U+3000-9FFF, U+FF00-FFEF }
      :root { font-family: system-ui, "Open Sans", sample, sans-serif !important }`,
  });
  await page.evaluate('document.fonts.ready');
  await capture(page);
  await browser.close();
}

async function shootTerminal({ name, document }: TerminalPicture, into: string): Promise<void> {
  const browser = await openBrowser();
  const page = await browser.newPage({ viewport: { width: 1000, height: 400 } });
  await page.setContent(document);
  // The corners outside the frame are transparent.
  await page.locator('pre').screenshot({ path: join(into, `${name}.png`), omitBackground: true });
  await browser.close();
}
