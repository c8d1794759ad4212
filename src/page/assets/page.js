// The page works without this script. With the script, the overview updates without a reload, and the search shows
// results while the user types. After each update the script sends the event `page:updated` for the scripts of
// sections.

const { body } = document;
const main = document.getElementById('main');
const lost = document.getElementById('lost');
const shown = new Map(liveElements(document).map((element) => [element.id, element.outerHTML]));

function liveElements(root) {
  return [...root.querySelectorAll('[data-live]')];
}

/* ---- updates ---- */

const MIN_PAUSE_MS = 5_000;
let isLoading = false;
let isPlanned = false;
let hasTables = false;
let loadedAt = performance.now();

/**
 * Loads the page at most once per MIN_PAUSE_MS, so that updates do not disturb screen readers and users who read a
 * chart.
 */
function refresh() {
  if (isPlanned) return;
  isPlanned = true;
  setTimeout(load, Math.max(0, loadedAt + MIN_PAUSE_MS - performance.now()));
}

async function load() {
  isPlanned = false;
  if (document.hidden || isLoading) return;
  isLoading = true;
  loadedAt = performance.now();
  try {
    const url = new URL(location.href);
    if (hasTables) url.searchParams.set('tables', '1');
    const response = await fetch(url, { headers: { accept: 'text/html' } });
    if (response.ok) update(new DOMParser().parseFromString(await response.text(), 'text/html'));
  } catch {
    // After a failure, the next event or a new connection retries.
  } finally {
    isLoading = false;
  }
}

/** When the user first reads a chart, load the tables of all charts. */
document.addEventListener('page:tables', () => {
  if (hasTables) return;
  hasTables = true;
  load();
});

/** Replaces the elements that differ. Focus, open tables and scroll positions do not change. */
function update(fresh) {
  const elements = liveElements(fresh);
  const isSameSet = elements.length === shown.size && elements.every(({ id }) => shown.has(id));
  if (isSameSet) for (const element of elements) replaceIfChanged(element);
  else replaceAll(fresh, elements);
  for (const side of document.querySelectorAll('section.health'))
    side.className = fresh.querySelector('section.health')?.className ?? side.className;
  Object.assign(body.dataset, fresh.body.dataset);
  document.querySelector('link[rel=icon]').href = fresh.querySelector('link[rel=icon]').getAttribute('href');
  document.querySelector('footer').replaceWith(fresh.querySelector('footer'));
  showConnected(fresh.title);
  document.dispatchEvent(new Event('page:updated'));
}

function replaceAll(fresh, elements) {
  main.replaceChildren(...fresh.getElementById('main').childNodes);
  shown.clear();
  for (const element of elements) shown.set(element.id, element.outerHTML);
}

/** Skips a chart while the user reads its values. A later update replaces it. */
function replaceIfChanged(element) {
  const before = document.getElementById(element.id);
  if (shown.get(element.id) === element.outerHTML || before.matches('[data-reading]')) return;
  shown.set(element.id, element.outerHTML);
  replaceOne(before, element);
}

function replaceOne(before, after) {
  const focusable = 'a, button, summary, input, [tabindex]';
  const focused = [...before.querySelectorAll(focusable)].indexOf(document.activeElement);
  const tables = [...before.querySelectorAll('details')];
  const scrolls = [...before.querySelectorAll('.scroll')].map(({ scrollLeft, scrollTop }) => [
    scrollLeft,
    scrollTop,
  ]);
  [...after.querySelectorAll('details')].forEach((table, at) => {
    table.open = tables[at]?.open ?? false;
  });
  before.replaceWith(after);
  [...after.querySelectorAll('.scroll')].forEach((box, at) => {
    const [left = 0, top = 0] = scrolls[at] ?? [];
    box.scrollTo(left, top);
  });
  if (focused >= 0) after.querySelectorAll(focusable)[focused]?.focus({ preventScroll: true });
}

/* ---- connection ---- */

let isLost = false;

function receive({ type, data }) {
  if (type === 'lost') showLost();
  else if (isLost || type === 'tick' || data !== body.dataset.version) refresh();
}

function showLost() {
  if (isLost) return;
  isLost = true;
  lost.textContent = `Connection lost. Last updated ${body.dataset.drawn}; reconnecting …`;
  lost.hidden = false;
  document.title = `Connection lost – ${document.title}`;
}

function showConnected(title) {
  isLost = false;
  lost.hidden = true;
  document.title = title;
}

/** Connects to the event stream, but only while the tab is visible. */
function listen() {
  const connect = globalThis.SharedWorker === undefined ? connectAlone() : connectShared();
  connect(!document.hidden);
  document.addEventListener('visibilitychange', () => connect(!document.hidden));
  addEventListener('pagehide', () => connect(false));
  addEventListener('pageshow', ({ persisted }) => persisted && connect(true));
}

function connectShared() {
  const { port } = new SharedWorker('/page/events.js');
  port.onmessage = ({ data }) => receive(data);
  return (isListening) => port.postMessage(isListening ? 'listen' : 'leave');
}

function connectAlone() {
  let stream = null;
  return (isListening) => {
    stream?.close();
    stream = isListening ? new EventSource('/page/events') : null;
    if (stream === null) return;
    for (const type of ['message', 'tick'])
      stream.addEventListener(type, ({ data }) => receive({ type, data }));
    stream.onerror = () => receive({ type: 'lost' });
  };
}

const isLive = body.dataset.version !== undefined;
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
if (zone !== body.dataset.zone && !document.cookie.includes(`zone=${zone}`)) {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API needs TLS
  document.cookie = `zone=${zone}; path=/; max-age=31536000; samesite=strict`;
  if (isLive) load();
  else if (document.cookie.includes(`zone=${zone}`)) location.reload();
}
if (isLive) listen();

/* ---- small screens ---- */

const isSmall = matchMedia('(max-width: 36rem)').matches;
if (isSmall && location.search === '' && location.hash === '')
  for (const fold of document.querySelectorAll('.fold')) fold.open = false;

const ROLES = { table: 'table', 'thead, tbody': 'rowgroup', tr: 'row', th: 'columnheader', td: 'cell' };

/** Tables whose rows are displayed as blocks need explicit roles. */
function addRoles() {
  for (const [tag, role] of Object.entries(ROLES))
    for (const element of document.querySelectorAll(`.blocks:is(${tag}), .blocks :is(${tag})`))
      element.setAttribute('role', role);
}
if (isSmall) {
  addRoles();
  document.addEventListener('page:updated', addRoles);
}

/* ---- copy ---- */

for (const button of document.querySelectorAll('[data-copy]')) {
  button.hidden = navigator.clipboard === undefined;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.textContent = 'Copied';
  });
}

/* ---- search while typing ---- */

const input = document.getElementById('q');
const found = document.getElementById('found');
let lastRequest = 0;

async function search() {
  const query = input.value.trim();
  const own = main.querySelector('#results');
  lastRequest += 1;
  const request = lastRequest;
  if (query === '' && own === null) return found.replaceChildren();
  const url = `/page/search?q=${encodeURIComponent(query)}`;
  const response = await fetch(url).catch(() => null);
  if (response === null || !response.ok || request !== lastRequest) return;
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  if (request !== lastRequest) return;
  const results = page.getElementById('results') ?? '';
  if (own === null) return found.replaceChildren(results);
  main.querySelector('#results').replaceWith(results);
  history.replaceState(null, '', url);
}

let timer;
input.addEventListener('input', () => {
  clearTimeout(timer);
  timer = setTimeout(search, 120);
});
input.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape') return;
  input.value = '';
  search();
});
