import { gzipSync } from 'node:zlib';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { SECTIONS } from '../../src/page/overview_page.ts';
import { openBrowser } from '../support/browser.ts';
import { addHistory } from '../support/mirror_history.ts';
import { axeViolations, openTab, overflowPixels } from '../support/page_tab.ts';
import { companies, type Mirrored, openMirrored } from '../support/served_mirror.ts';
import { type ServedPage, serveEmptyPage, servePage } from '../support/served_page.ts';

const DAY_MS = 86_400_000;
const HOSTILE = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script> & "Söhne" \u202Ednuora`;
const HOSTILE_ID = `x"><svg/onload=alert(1)>/%2e%2e`;
const JAPANESE = { id: 'J-1', name: '株式会社東京サンプル商事', fields: { city: '東京都千代田区' } };
const GONE = { id: '00000502', name: 'Gone Ltd', fields: { status: 'active' } };
const CHANGING = { id: '00000501', name: 'Before Ltd', fields: { status: 'active', capital: 100 } };

let mirror: Mirrored;
let served: ServedPage;
let empty: ServedPage;
let browser: Browser;

beforeAll(async () => {
  mirror = await openMirrored({
    companies: [
      ...companies(120),
      { id: HOSTILE_ID, name: HOSTILE, fields: { note: HOSTILE } },
      JAPANESE,
      GONE,
      CHANGING,
    ],
  });
  await mirror.sync(-200 * DAY_MS);
  mirror.sandbox.companies.put({
    ...CHANGING,
    name: 'After Ltd',
    fields: { status: 'active', capital: 250 },
  });
  mirror.sandbox.companies.remove(GONE.id, mirror.now());
  await mirror.sync(100 * DAY_MS);
  [served, empty, browser] = await Promise.all([servePage(mirror), serveEmptyPage(), openBrowser()]);
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await Promise.all([served?.close(), empty?.close()]);
  await mirror?.close();
});

const open = (path: string, options: BrowserContextOptions & { at?: ServedPage } = {}) => {
  const { at = served, ...context } = options;
  return openTab(browser, at.url + path, context);
};

describe('the overview', () => {
  test.each([
    ['a filled mirror', 'empty', () => served],
    ['an empty mirror', 'filled', () => empty],
  ] as const)(
    'the overview of %s shows its sections in the order of `SECTIONS`',
    async (_mirror, notShownIf, at) => {
      const tab = await open('/', { at: at() });
      const ids = await tab.page.locator('main [id]').evaluateAll((elements) => elements.map(({ id }) => id));
      const sectionOf = (id: string) =>
        SECTIONS.find((section) => id === section.id || id.startsWith(`${section.id}-`));
      const expected = SECTIONS.filter(({ shownIf }) => shownIf !== notShownIf).map(({ id }) => id);
      expect([...new Set(ids.map((id) => sectionOf(id)?.id))]).toEqual(expected);
      await tab.close();
    },
  );

  test('the overview shows coverage, charts and tables, and sends requests only to its own host', async () => {
    const tab = await open('/');
    const text = await tab.page.textContent('main');
    expect(text).toContain('123 of 123 (100 %)');
    for (const title of [
      'Registry size',
      'Allowance: 5,000 calls in total',
      'Freshness',
      'Calls per day',
      'New, changed and gone per week',
    ])
      expect(text).toContain(title);
    for (const title of ['Recent changes', 'Quarantine', 'Runs', 'Schedules'])
      expect(await tab.page.getByRole('heading', { name: title, exact: title === 'Runs' }).count()).toBe(1);
    await tab.close();
  });

  test("the overview names the browser's time zone, in which it shows the times", async () => {
    const page = await browser.newPage({ timezoneId: 'Asia/Tokyo' });
    await page.goto(served.url);
    await expect.poll(() => page.locator('footer').textContent()).toContain('Times in Asia/Tokyo.');
    await page.context().close();
  });

  test('the overview requests its document only once per load', async () => {
    const page = await browser.newPage({ timezoneId: 'UTC' });
    let requests = 0;
    page.on('request', (request) => {
      requests += new URL(request.url()).pathname === '/' ? 1 : 0;
    });
    await page.goto(served.url, { waitUntil: 'load' });
    await page.waitForTimeout(1_500);
    expect(requests).toBe(1);
    await page.context().close();
  });

  test('a chart shows its values at the pointer and as a table', async () => {
    const tab = await open('/');
    const chart = tab.page.locator('#coverage');
    expect(await chart.locator('title').last().textContent()).toMatch(/: with record 123, without record 0$/);
    await chart.locator('summary').click();
    expect(await chart.locator('tbody tr').last().textContent()).toMatch(/1230$/);
    await tab.close();
  });
});

test('the overview shows an update without a reload, and leaves open tables open', async () => {
  const tab = await open('/');
  const { page } = tab;
  await page.locator('#coverage summary').click();
  await page.evaluate('globalThis.sameDocument = true');
  mirror.sandbox.companies.put({ id: '00000777', name: 'Newcomer Ltd', fields: { status: 'active' } });
  mirror.sandbox.companies.put({
    ...CHANGING,
    name: 'Later Ltd',
    fields: { status: 'active', capital: 300 },
  });
  await mirror.sync(100 * DAY_MS);
  await page.locator('#answers', { hasText: '124 of 124' }).waitFor({ timeout: 20_000 });
  await page.locator('#changes', { hasText: 'Later Ltd' }).waitFor();
  expect(await page.evaluate('globalThis.sameDocument')).toBe(true);
  expect(await page.locator('#coverage details').getAttribute('open')).not.toBeNull();
  await tab.close();
});

test('an open tab of the overview reports a lost server', async () => {
  const own = await serveEmptyPage();
  const page = await browser.newPage();
  await page.goto(own.url, { waitUntil: 'load' });
  await own.close();
  await page.locator('#lost', { hasText: 'Connection lost. Last updated' }).waitFor();
  expect(await page.title()).toMatch(/^Connection lost – Not started/);
  expect(await axeViolations(page)).toEqual([]);
  await page.context().close();
});

describe('search', () => {
  test('the search shows results while the user types, with links to companies', async () => {
    const tab = await open('/');
    await tab.page.getByRole('searchbox').pressSequentially('later', { delay: 20 });
    await tab.page.locator('#found').getByRole('link', { name: 'Later Ltd' }).click();
    await tab.page.waitForURL('**/page/company?id=00000501');
    expect(await tab.page.textContent('h1')).toBe('Later Ltd');
    await tab.close();
  });

  test('the search works without scripts', async () => {
    const tab = await open('/', { javaScriptEnabled: false });
    await tab.page.getByRole('searchbox').fill('00000501');
    await tab.page.getByRole('button', { name: 'Search' }).click();
    await tab.page.waitForURL('**/page/search?q=00000501');
    expect(await tab.page.textContent('#results')).toContain('Later Ltd');
    await tab.close();
  });

  test('the search reports that no company matches', async () => {
    const tab = await open('/page/search?q=zzzzzz');
    expect(await tab.page.textContent('main')).toContain('No company matches “zzzzzz”');
    await tab.close();
  });
});

test("a company's page shows the changes and each record version", async () => {
  const tab = await open('/page/company?id=00000501');
  const { page } = tab;
  expect(await page.textContent('#record')).toContain('300');
  const entries = page.locator('.history > li');
  expect(await entries.count()).toBe(3);
  const latest = entries.first();
  expect(await latest.locator('del').allInnerTexts()).toEqual(expect.arrayContaining(['After Ltd', '250']));
  expect(await latest.locator('ins').allInnerTexts()).toEqual(expect.arrayContaining(['Later Ltd', '300']));
  expect(await entries.last().textContent()).toContain('First version.');
  await entries.last().getByRole('link').click();
  await page.waitForURL(/version=\d+/);
  expect(await page.textContent('#record')).toMatch(/Record as of[\s\S]*Before Ltd[\s\S]*100/);
  await tab.close();
});

test('the page escapes names, ids and values that come from the registry', async () => {
  const tab = await open(`/page/company?id=${encodeURIComponent(HOSTILE_ID)}`);
  const { page } = tab;
  expect(await page.locator('h1').textContent()).toBe(HOSTILE);
  expect(await page.locator('#record').textContent()).toContain(HOSTILE);
  expect(await page.locator('main img, main script, main svg').count()).toBe(0);
  await page.goto(`${served.url}/page/search?q=${encodeURIComponent('"><img src=x onerror=alert(1)>')}`);
  expect(await page.getByRole('searchbox').inputValue()).toBe('"><img src=x onerror=alert(1)>');
  await page.goto(`${served.url}/page/search?q=${encodeURIComponent('img')}`);
  await page.locator('#results .companies a').first().click();
  expect(await page.title()).not.toBe('owned');
  expect(await page.title()).not.toContain('\u202E');
  expect(await page.locator('h1').textContent()).toBe(HOSTILE);
  await tab.close();
});

test("an empty mirror's page shows the first commands", async () => {
  const tab = await open('/', { at: empty });
  const text = await tab.page.textContent('main');
  expect(text).toContain('This mirror is empty. Next steps:');
  for (const command of ['probe', 'plan', 'sync']) expect(text).toContain(`registry-mirror ${command}`);
  expect(text).toContain('Quota left: 2,000 calls.');
  await tab.close();
});

test('the keyboard reaches all controls, with a visible focus', async () => {
  const tab = await open('/');
  const { page } = tab;
  await page.keyboard.press('Tab');
  expect(await page.locator(':focus').textContent()).toBe('Skip to the content');
  await page.keyboard.press('Enter');
  expect(await page.locator(':focus').getAttribute('id')).toBe('main');
  await page.getByRole('searchbox').focus();
  await page.keyboard.type('later');
  await page.locator('#found a').first().waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  const focused = page.locator(':focus');
  expect(await focused.textContent()).toBe('Later Ltd');
  expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).not.toBe('none');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/page/company?id=00000501');
  await tab.close();
});

const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

describe.each([
  ['a phone', PHONE],
  ['a dark screen', { colorScheme: 'dark' }],
] as const)('on %s', (screen, options) => {
  test.each([
    [
      'a filled mirror',
      () => served,
      [
        '/',
        '/page/company?id=00000501',
        `/page/company?id=${JAPANESE.id}`,
        `/page/company?id=${GONE.id}`,
        '/page/search?q=ltd',
        '/page/changes',
        '/page/runs/1?calls=failed',
        '/page/quarantine',
      ],
    ],
    ['an empty mirror', () => empty, ['/']],
  ] as const)(
    `no page of %s has an axe violation or scrolls horizontally on ${screen}`,
    async (_name, at, paths) => {
      // All pages are shown in one tab, because each new tab starts a process of the browser.
      const tab = await open(paths[0], { ...options, at: at() });
      for (const path of paths) {
        await tab.page.goto(at().url + path);
        const found = { violations: await axeViolations(tab.page), overflow: await overflowPixels(tab.page) };
        expect(found, path).toEqual({ violations: [], overflow: 0 });
      }
      await tab.close();
    },
  );
});

test('a long text in a table breaks no heading or figure inside a word', async () => {
  const { db } = mirror.house.warehouse;
  const setError = (error: string | null, ended: string) =>
    db.prepare('UPDATE _run SET error = ?, ended = ? WHERE run_id = 1').run(error, ended);
  setError('the upstream rejects every record call: HTTP 403. '.repeat(6), 'failed');
  const tab = await open('/', { viewport: { width: 1440, height: 900 } });
  const lines = await tab.page.evaluate<number[]>(LINES_OF_RUNS);
  await tab.close();
  setError(null, 'done');
  expect(new Set(lines)).toEqual(new Set([1]));
});

/** The number of lines of each heading and figure in the table of runs. */
const LINES_OF_RUNS = `Array.from(document.querySelectorAll('#runs :is(th, .figure)'), (element) => {
  const range = document.createRange();
  range.selectNodeContents(element);
  return new Set(Array.from(range.getClientRects(), ({ top }) => top)).size;
})`;

test('light and dark mode differ, and printed pages are always light', async () => {
  const tab = await open('/', { colorScheme: 'dark' });
  const background = () => tab.page.evaluate('getComputedStyle(document.body).backgroundColor');
  const dark = await background();
  await tab.page.emulateMedia({ colorScheme: 'light' });
  expect(await background()).not.toBe(dark);
  await tab.page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  expect(await background()).toBe('rgb(255, 255, 255)');
  expect(await tab.page.getByRole('searchbox').isVisible()).toBe(false);
  expect(await tab.page.locator('#coverage svg.plot').isVisible()).toBe(true);
  expect((await tab.page.pdf({ format: 'A4' })).length).toBeGreaterThan(10_000);
  await tab.close();
});

describe('responses to a browser', () => {
  test("a response to a browser has a content security policy that permits only the page's own files", async () => {
    for (const path of ['/', '/page/search?q=a', '/page/page.css', '/page/nothing']) {
      const policy = (await fetch(served.url + path)).headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|\*|http/);
    }
  });

  test('a browser gets status 405 for another method, 404 for an unknown company and 401 for an endpoint without a key', async () => {
    const status = async (path: string, init?: RequestInit) => (await fetch(served.url + path, init)).status;
    expect(await status('/', { method: 'POST' })).toBe(405);
    expect(await status('/page/company?id=nobody')).toBe(404);
    expect(await status('/page/../api/registry/stats')).toBe(401);
  });
});

test('the overview loads at most 30 KB compressed, even for a mirror with a long history', async () => {
  addHistory(mirror.house.warehouse, systemClock.now());
  const document = await (await fetch(served.url)).text();
  expect(document).toContain('4,124 known');
  const files = [...document.matchAll(/(?:src|href)="(\/page\/[\w-]+\.(?:css|js|svg))"/g)].map(
    ([, path]) => path,
  );
  expect(files).toContain('/page/page.js');
  const bodies = await Promise.all(files.map(async (path) => (await fetch(served.url + path)).text()));
  const bytes = [document, ...bodies].reduce((sum, body) => sum + gzipSync(body).length, 0);
  expect(bytes).toBeLessThan(30_000);
});
