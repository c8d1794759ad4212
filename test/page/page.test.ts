import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import { graveFaults, openTab, sidewaysPixels } from '../support/page_tab.ts';
import { companies, type Mirrored, openMirrored } from '../support/served_mirror.ts';
import { type ServedPage, serveEmptyPage, servePage } from '../support/served_page.ts';

const DAY_MS = 86_400_000;
const HOSTILE = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script> & "Söhne" \u202Ednuora`;
const HOSTILE_ID = `x"><svg/onload=alert(1)>/%2e%2e`;
const CHANGING = { id: '00000501', name: 'Before Ltd', fields: { status: 'active', capital: 100 } };

let mirror: Mirrored;
let served: ServedPage;
let empty: ServedPage;
let browser: Browser;

beforeAll(async () => {
  mirror = await openMirrored({
    companies: [...companies(120), { id: HOSTILE_ID, name: HOSTILE, fields: { note: HOSTILE } }, CHANGING],
  });
  await mirror.sync(-200 * DAY_MS);
  mirror.sandbox.companies.put({
    ...CHANGING,
    name: 'After Ltd',
    fields: { status: 'active', capital: 250 },
  });
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
  test('tells how the mirror stands, and asks no other host', async () => {
    const tab = await open('/');
    const text = await tab.page.textContent('main');
    expect(text).toContain('122 of the registry’s 122');
    for (const title of ['Coverage', 'Allowance, in all', 'Freshness', 'Calls a minute', 'Discovery'])
      expect(text).toContain(title);
    for (const title of ['What changed lately', 'Quarantine', 'Runs', 'Schedules'])
      expect(await tab.page.getByRole('heading', { name: title }).count()).toBe(1);
    await tab.close();
  });

  test('weighs less than 150 KB with everything it loads', async () => {
    const page = await browser.newPage();
    const bodies = new Map<string, Promise<Buffer>>();
    page.on('response', (response) => {
      const path = new URL(response.url()).pathname;
      if (path !== '/page/events') bodies.set(path, response.body());
    });
    await page.goto(served.url, { waitUntil: 'load' });
    await expect.poll(() => [...bodies.keys()]).toContain('/page/page.js');
    const weights = (await Promise.all(bodies.values())).map(({ length }) => length);
    await page.context().close();
    expect([...bodies.keys()]).toEqual(expect.arrayContaining(['/', '/page/page.css', '/page/page.js']));
    expect(weights.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(150_000);
  });

  test('charts can be read by the arrow keys, and as tables', async () => {
    const tab = await open('/');
    const plot = tab.page.getByRole('img', { name: /^Coverage/ });
    const reading = tab.page.locator('#coverage .reading');
    const summary = await reading.textContent();
    await plot.focus();
    await tab.page.keyboard.press('Home');
    const first = await reading.textContent();
    expect(first).toMatch(/^\d+ \w+ \d{4}, \d\d:\d\d: Known 0/);
    await tab.page.keyboard.press('End');
    expect(await reading.textContent()).toContain('Known 122');
    await tab.page.keyboard.press('Escape');
    expect(await reading.textContent()).toBe(summary);
    await tab.page.locator('#coverage summary').click();
    expect(await tab.page.locator('#coverage tbody tr').last().textContent()).toContain('122');
    await tab.close();
  });
});

test('what changes in the mirror shows without reloading, and open tables stay open', async () => {
  const tab = await open('/');
  const { page } = tab;
  await page.evaluate('globalThis.sameDocument = true');
  await page.locator('#coverage summary').click();
  mirror.sandbox.companies.put({ id: '00000777', name: 'Newcomer Ltd', fields: { status: 'active' } });
  mirror.sandbox.companies.put({
    ...CHANGING,
    name: 'Later Ltd',
    fields: { status: 'active', capital: 300 },
  });
  await mirror.sync(100 * DAY_MS);
  await page.locator('#figures', { hasText: '123 of the registry’s 123' }).waitFor({ timeout: 20_000 });
  await page.locator('#changes', { hasText: 'Later Ltd' }).waitFor();
  expect(await page.evaluate('globalThis.sameDocument')).toBe(true);
  expect(await page.locator('#coverage details').getAttribute('open')).not.toBeNull();
  await tab.close();
});

describe('search', () => {
  test('finds while one types, and leads to the company', async () => {
    const tab = await open('/');
    await tab.page.getByRole('searchbox').pressSequentially('later', { delay: 20 });
    await tab.page.locator('#found').getByRole('link', { name: 'Later Ltd' }).click();
    await tab.page.waitForURL('**/page/company?id=00000501');
    expect(await tab.page.textContent('h1')).toBe('Later Ltd');
    await tab.close();
  });

  test('works without scripts', async () => {
    const tab = await open('/', { javaScriptEnabled: false });
    await tab.page.getByRole('searchbox').fill('00000501');
    await tab.page.getByRole('button', { name: 'Search' }).click();
    await tab.page.waitForURL('**/page/search?q=00000501');
    expect(await tab.page.textContent('#results')).toContain('Later Ltd');
    await tab.close();
  });

  test('says so where nothing is known', async () => {
    const tab = await open('/page/search?q=zzzzzz');
    expect(await tab.page.textContent('main')).toContain('Nothing is known under “zzzzzz”');
    await tab.close();
  });
});

test('a company shows its history with differences, and each record as it was', async () => {
  const tab = await open('/page/company?id=00000501');
  const { page } = tab;
  expect(await page.textContent('#record')).toContain('300');
  const entries = page.locator('.history > li');
  expect(await entries.count()).toBe(3);
  const latest = entries.first();
  expect(await latest.locator('del').allInnerTexts()).toEqual(expect.arrayContaining(['After Ltd', '250']));
  expect(await latest.locator('ins').allInnerTexts()).toEqual(expect.arrayContaining(['Later Ltd', '300']));
  expect(await entries.last().textContent()).toContain('The first version that was seen.');
  await entries.last().getByRole('link').click();
  await page.waitForURL(/version=\d+/);
  expect(await page.textContent('#record')).toMatch(/As it was from[\s\S]*Before Ltd[\s\S]*100/);
  await tab.close();
});

test('names, ids and values of others are text', async () => {
  const tab = await open(`/page/company?id=${encodeURIComponent(HOSTILE_ID)}`);
  const { page } = tab;
  expect(await page.locator('h1').textContent()).toBe(HOSTILE);
  expect(await page.locator('#record').textContent()).toContain(HOSTILE);
  expect(await page.locator('main img, main script, main svg').count()).toBe(0);
  await page.goto(`${served.url}/page/search?q=${encodeURIComponent('"><img src=x onerror=alert(1)>')}`);
  expect(await page.getByRole('searchbox').inputValue()).toBe('"><img src=x onerror=alert(1)>');
  await page.goto(`${served.url}/page/search?q=${encodeURIComponent('img')}`);
  await page.locator('#results a').first().click();
  expect(await page.title()).not.toBe('owned');
  expect(await page.locator('h1').textContent()).toBe(HOSTILE);
  await tab.close();
});

test('an empty mirror says what to do next', async () => {
  const tab = await open('/', { at: empty });
  const text = await tab.page.textContent('main');
  expect(text).toContain('This mirror is empty. What to do next:');
  for (const command of ['probe', 'plan', 'sync']) expect(text).toContain(`registry-mirror ${command}`);
  expect(text).toContain('2,000 calls can be spent');
  await tab.close();
});

test('everything is reached by the keyboard alone, and seen where it stands', async () => {
  const tab = await open('/');
  const { page } = tab;
  await page.keyboard.press('Tab');
  expect(await page.locator(':focus').textContent()).toBe('Skip to the content');
  await page.keyboard.press('Enter');
  expect(await page.locator(':focus').getAttribute('id')).toBe('main');
  await page.getByRole('searchbox').focus();
  await page.keyboard.type('later');
  await page.locator('#found a').waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  const focused = page.locator(':focus');
  expect(await focused.textContent()).toBe('Later Ltd');
  expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/page/company?id=00000501');
  await tab.close();
});

describe.each([
  ['light', { colorScheme: 'light' }],
  ['dark', { colorScheme: 'dark' }],
  ['a phone', { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true }],
] as const)('in %s', (_what, options) => {
  test.each([
    ['the overview', '/'],
    ['a company', '/page/company?id=00000501'],
    ['a search', '/page/search?q=ltd'],
  ])('%s has nothing that axe calls serious, and does not scroll sideways', async (_which, path) => {
    const tab = await open(path, options);
    expect(await graveFaults(tab.page)).toEqual([]);
    expect(await sidewaysPixels(tab.page)).toBe(0);
    await tab.close();
  });

  test('the empty page, too', async () => {
    const tab = await open('/', { ...options, at: empty });
    expect(await graveFaults(tab.page)).toEqual([]);
    expect(await sidewaysPixels(tab.page)).toBe(0);
    await tab.close();
  });
});

test('light and dark differ, and paper is light whatever the screen is', async () => {
  const tab = await open('/', { colorScheme: 'dark' });
  const background = () => tab.page.evaluate('getComputedStyle(document.body).backgroundColor');
  const dark = await background();
  await tab.page.emulateMedia({ colorScheme: 'light' });
  expect(await background()).not.toBe(dark);
  await tab.page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  expect(await background()).toBe('rgb(255, 255, 255)');
  expect(await tab.page.getByRole('searchbox').isVisible()).toBe(false);
  expect(await tab.page.locator('#coverage svg.area').isVisible()).toBe(true);
  expect((await tab.page.pdf({ format: 'A4' })).length).toBeGreaterThan(10_000);
  await tab.close();
});

describe('what a browser is told', () => {
  test('the policy lets in nothing but the own files', async () => {
    for (const path of ['/', '/page/search?q=a', '/page/page.css', '/page/nothing']) {
      const policy = (await fetch(served.url + path)).headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|\*|http/);
    }
  });

  test('a page of another name, another method and an unknown company are refused', async () => {
    const status = async (path: string, init?: RequestInit) => (await fetch(served.url + path, init)).status;
    expect(await status('/', { method: 'POST' })).toBe(405);
    expect(await status('/page/company?id=nobody')).toBe(404);
    expect(await status('/page/../api/registry/stats')).toBe(401);
  });

  test('an asset that is known is not sent again', async () => {
    const { headers } = await fetch(`${served.url}/page/page.css`);
    const again = await fetch(`${served.url}/page/page.css`, {
      headers: { 'if-none-match': headers.get('etag') ?? '' },
    });
    expect(again.status).toBe(304);
  });
});
