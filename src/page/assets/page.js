// The page works without this script. The script updates the overview without a reload, and shows search results while
// the user types and chart values at the pointer.

const { body } = document;
const main = document.getElementById('main');
const lost = document.getElementById('lost');
const liveElements = (root) => [...root.querySelectorAll('[data-live]')];
const shown = new Map(liveElements(document).map((element) => [element.id, element.outerHTML]));

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

/** Replaces the elements that differ, without changing the focus, open tables or scroll positions. */
function update(fresh) {
  const elements = liveElements(fresh);
  if (elements.length === shown.size && elements.every(({ id }) => shown.has(id)))
    elements.forEach(replaceIfChanged);
  else {
    main.replaceChildren(...fresh.getElementById('main').childNodes);
    shown.clear();
    for (const element of elements) shown.set(element.id, element.outerHTML);
  }
  const health = document.querySelector('section.health');
  health.className = fresh.querySelector('section.health')?.className ?? health.className;
  Object.assign(body.dataset, fresh.body.dataset);
  // The first page has the configured time zone; later ones have the browser's.
  document.querySelector('footer').replaceWith(fresh.querySelector('footer'));
  document.querySelector('link[rel=icon]').href = fresh.querySelector('link[rel=icon]').getAttribute('href');
  lost.hidden = true;
  document.title = fresh.title;
  bindCharts();
}

/** Skips a chart while the user reads its values. A later update replaces it. */
function replaceIfChanged(after) {
  const before = document.getElementById(after.id);
  if (shown.get(after.id) === after.outerHTML || before.matches('[data-reading]')) return;
  shown.set(after.id, after.outerHTML);
  const focusable = 'a, button, summary, input, [tabindex]';
  const focused = [...before.querySelectorAll(focusable)].indexOf(document.activeElement);
  const tables = [...before.querySelectorAll('details')];
  const boxes = [...before.querySelectorAll('.scroll')].map(({ scrollLeft, scrollTop }) => [
    scrollLeft,
    scrollTop,
  ]);
  [...after.querySelectorAll('details')].forEach((table, at) => {
    table.open = tables[at]?.open ?? table.open;
  });
  before.replaceWith(after);
  [...after.querySelectorAll('.scroll')].forEach((box, at) => {
    box.scrollTo(...(boxes[at] ?? [0, 0]));
  });
  if (focused >= 0) after.querySelectorAll(focusable)[focused]?.focus({ preventScroll: true });
}

/* ---- charts ---- */

function bindCharts() {
  for (const figure of document.querySelectorAll('.chart:not([data-bound])')) {
    figure.dataset.bound = '';
    bindChart(figure);
  }
}

/** Shows a chart's values at the pointer, or at a cursor that the arrow keys move. */
function bindChart(figure) {
  const plot = figure.querySelector('.plot');
  const area = figure.querySelector('svg.area');
  const reading = figure.querySelector('.reading');
  const rows = [...figure.querySelectorAll('tbody tr')];
  const heads = [...figure.querySelectorAll('thead th')].map((cell) => cell.textContent);
  const positions = rows.map((row) => Number(row.dataset.at));
  const summary = [...reading.childNodes];
  const cursor = document.createElementNS('http://www.w3.org/2000/svg', 'line');
  cursor.setAttribute('y2', '100%');
  let current = rows.length;

  const showRow = (index) => {
    if (rows.length === 0) return;
    current = Math.max(0, Math.min(rows.length - 1, index));
    figure.dataset.reading = '';
    const [first, ...others] = [...rows[current].children].map((cell) => cell.textContent);
    reading.textContent = `${first}: ${others.map((value, at) => `${heads[at + 1]} ${value}`).join(' · ')}`;
    for (const end of ['x1', 'x2']) cursor.setAttribute(end, `${positions[current] * 100}%`);
    area.append(cursor);
  };
  const showSummary = () => {
    current = rows.length;
    delete figure.dataset.reading;
    cursor.remove();
    reading.replaceChildren(...summary);
  };
  const showPointed = ({ clientX }) => {
    const { left, width } = area.getBoundingClientRect();
    const distances = positions.map((position) => Math.abs(position - (clientX - left) / width));
    showRow(distances.indexOf(Math.min(...distances)));
  };

  plot.addEventListener('pointerdown', showPointed);
  plot.addEventListener('pointermove', showPointed);
  // After a touch, the pointer always leaves the chart. Therefore, keep showing the values until another element is
  // touched.
  plot.addEventListener('pointerleave', ({ pointerType }) => pointerType !== 'touch' && showSummary());
  plot.addEventListener('blur', showSummary);
  plot.addEventListener('keydown', (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -rows.length, End: rows.length }[event.key];
    if (event.key === 'Escape') showSummary();
    if (step === undefined) return;
    event.preventDefault();
    showRow(current === rows.length && step === 1 ? 0 : current + step);
  });
}

const isLive = body.dataset.drawn !== undefined;
if (isLive) {
  nextLoad = setTimeout(load, UPDATE_EVERY_MS);
  document.addEventListener('visibilitychange', load);
  bindCharts();
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
