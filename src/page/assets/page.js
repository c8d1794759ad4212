import { Idiomorph } from './idiomorph.js';

// The page works without this script. The script updates the overview without a reload, and shows search results while
// the user types.

const { body } = document;
const main = document.getElementById('main');
const lost = document.getElementById('lost');

/* ---- updates ---- */

const UPDATE_EVERY_MS = 5_000;
let isLoading = false;
let nextLoad;

/** Loads the page again and shows what differs, while the tab is visible. */
async function load() {
  if (isLoading || document.hidden) return;
  isLoading = true;
  clearTimeout(nextLoad);
  try {
    const response = await fetch(location.href, { headers: { accept: 'text/html' } });
    if (response.ok) update(new DOMParser().parseFromString(await response.text(), 'text/html'));
  } catch {
    reportLost();
  }
  isLoading = false;
  nextLoad = setTimeout(load, UPDATE_EVERY_MS);
}

function reportLost() {
  if (!lost.hidden) return;
  lost.textContent = `Connection lost. Last updated ${body.dataset.drawn}; reconnecting …`;
  lost.hidden = false;
  document.title = `Connection lost – ${document.title}`;
}

/** Changes only what differs, which keeps the focus, the scroll positions and what the user has opened or closed. */
function update(fresh) {
  Idiomorph.morph(main, fresh.getElementById('main'), {
    callbacks: { beforeAttributeUpdated: (name) => name !== 'open' },
  });
  Object.assign(body.dataset, fresh.body.dataset);
  // The first page has the configured time zone; later ones have the browser's.
  document.querySelector('footer').replaceWith(fresh.querySelector('footer'));
  document.querySelector('link[rel=icon]').href = fresh.querySelector('link[rel=icon]').getAttribute('href');
  lost.hidden = true;
  document.title = fresh.title;
}

const isLive = body.dataset.drawn !== undefined;
if (isLive) {
  nextLoad = setTimeout(load, UPDATE_EVERY_MS);
  document.addEventListener('visibilitychange', load);
}

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
if (zone !== body.dataset.zone && !document.cookie.includes(`zone=${zone}`)) {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API needs TLS
  document.cookie = `zone=${zone}; path=/; max-age=31536000; samesite=strict`;
  if (isLive) void load();
  else if (document.cookie.includes(`zone=${zone}`)) location.reload();
}

if (matchMedia('(max-width: 36rem)').matches && location.search === '' && location.hash === '')
  for (const fold of document.querySelectorAll('.fold')) fold.open = false;

/* ---- search while typing ---- */

const input = document.getElementById('q');
const found = document.getElementById('found');
let timer;
let lastRequest = 0;

async function search() {
  const query = input.value.trim();
  const own = main.querySelector('#results');
  lastRequest += 1;
  const request = lastRequest;
  if (query === '' && own === null) return found.replaceChildren();
  const url = `/page/search?q=${encodeURIComponent(query)}`;
  const response = await fetch(url).catch(() => null);
  if (response === null || !response.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  if (request !== lastRequest) return;
  const results = page.getElementById('results') ?? '';
  if (own !== null) {
    own.replaceWith(results);
    history.replaceState(null, '', url);
    // Unchanged results stay in place, because a link in them may have the focus.
  } else if (found.firstElementChild?.outerHTML !== results.outerHTML) found.replaceChildren(results);
}

input.addEventListener('input', () => {
  clearTimeout(timer);
  timer = setTimeout(search, 120);
});
input.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape') return;
  input.value = '';
  void search();
});

/* ---- copying a company's id ---- */

for (const button of document.querySelectorAll('[data-copy]')) {
  button.hidden = navigator.clipboard === undefined;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.textContent = 'Copied';
  });
}
