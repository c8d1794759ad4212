// The page works without this script. The script updates the overview without a reload, and shows search results while
// the user types and chart values at the pointer.

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
 * Loads the page at most once per MIN_PAUSE_MS, so that updates do not disturb screen readers or users reading a chart.
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
    // After a failure, the next event or a new connection triggers a retry.
  } finally {
    isLoading = false;
  }
}

/** Replaces the elements that differ, without changing the focus, open tables or scroll positions. */
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
  if (isSmall) addRoles();
  bindCharts();
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

/* ---- charts ---- */

/** The charts' script, or null while it is not loaded. */
let charts = null;
/** The last event on a chart that was not bound yet. It is repeated once the tables are loaded. */
let lastUse = null;

/** When the user first uses a chart, load the script and all charts' tables. */
async function useChart(event) {
  const figure = event.target.closest('figure.chart:not([data-bound])');
  const isLink = event.target.closest('.table a') !== null;
  if (figure === null || (event.type === 'click' && !isLink)) return;
  if (isLink) event.preventDefault();
  // An update moves the focus to a chart's new element, which does not count as using the chart.
  if (hasTables && figure.querySelector('tbody') !== null) return;
  lastUse = { id: figure.id, event };
  if (hasTables) return;
  hasTables = true;
  charts = await import('./charts.js');
  await load();
}

function bindCharts() {
  if (charts?.bindCharts(lastUse)) lastUse = null;
}

for (const type of ['pointerdown', 'pointermove', 'keydown', 'focusin', 'click'])
  main.addEventListener(type, useChart);

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
  if (isLive) void load();
  else if (document.cookie.includes(`zone=${zone}`)) location.reload();
}
if (isLive) listen();

/* ---- small screens ---- */

const isSmall = matchMedia('(max-width: 36rem)').matches;
if (isSmall && location.search === '' && location.hash === '')
  for (const fold of document.querySelectorAll('.fold')) fold.open = false;

const ROLES = { table: 'table', 'thead, tbody': 'rowgroup', tr: 'row', th: 'columnheader', td: 'cell' };

/** Tables with rows that are displayed as blocks need explicit roles. */
function addRoles() {
  for (const [tag, role] of Object.entries(ROLES))
    for (const element of document.querySelectorAll(`.blocks:is(${tag}), .blocks :is(${tag})`))
      element.setAttribute('role', role);
}
if (isSmall) addRoles();

/* ---- search while typing ---- */

document.getElementById('q').addEventListener('focus', () => import('./search.js'), { once: true });
