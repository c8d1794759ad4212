// The page works without this file. With it, what is shown stays as it is on the server, charts can be read
// point by point, and a search shows its results while it is typed.

const main = document.getElementById('main');
const connection = document.getElementById('connection');
const shown = new Map(liveParts(document).map((part) => [part.id, part.outerHTML]));

function liveParts(root) {
  return [...root.querySelectorAll('[data-live]')];
}

/* ---- stays as it is on the server ---- */

let isAsking = false;
let isStale = false;

async function refresh() {
  if (document.hidden || isAsking) {
    isStale = true;
    return;
  }
  isAsking = true;
  isStale = false;
  try {
    const response = await fetch(location.href, { headers: { accept: 'text/html' } });
    if (response.ok) takeOver(new DOMParser().parseFromString(await response.text(), 'text/html'));
  } catch {
    // The next event, or the connection's own return, asks again.
  } finally {
    isAsking = false;
    if (isStale) setTimeout(refresh, 1000);
  }
}

/** Puts what differs in the place of what is there; focus, open tables and scroll stay. */
function takeOver(fresh) {
  const parts = liveParts(fresh);
  if (parts.length !== shown.size || parts.some(({ id }) => !shown.has(id))) return replaceAll(fresh, parts);
  for (const part of parts) {
    if (shown.get(part.id) === part.outerHTML) continue;
    shown.set(part.id, part.outerHTML);
    replaceOne(document.getElementById(part.id), part);
  }
}

function replaceAll(fresh, parts) {
  main.replaceChildren(...fresh.getElementById('main').childNodes);
  const state = fresh.getElementById('state');
  document.getElementById('state')?.replaceWith(state ?? '');
  shown.clear();
  for (const part of parts) shown.set(part.id, part.outerHTML);
  readCharts();
}

function replaceOne(before, after) {
  const stops = 'a, button, summary, input, [tabindex]';
  const focused = [...before.querySelectorAll(stops)].indexOf(document.activeElement);
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
  if (focused >= 0) after.querySelectorAll(stops)[focused]?.focus({ preventScroll: true });
  readCharts();
}

function listen() {
  const events = new EventSource('/page/events');
  events.onmessage = refresh;
  events.onopen = () => {
    connection.textContent = '';
    refresh();
  };
  events.onerror = () => {
    connection.textContent = 'The connection is lost: what you see may be out of date.';
  };
}

document.addEventListener('visibilitychange', () => {
  if (!document.hidden && isStale) refresh();
});
if (shown.size > 0) listen();

/* ---- charts can be read point by point ---- */

function readCharts() {
  for (const figure of document.querySelectorAll('figure.chart:not([data-read])')) readChart(figure);
}

function readChart(figure) {
  const plot = figure.querySelector('.plot');
  const area = figure.querySelector('svg.area');
  const reading = figure.querySelector('.reading');
  const rows = [...figure.querySelectorAll('tbody tr')];
  if (rows.length === 0) return;
  figure.dataset.read = '';
  const heads = [...figure.querySelectorAll('thead th')].map((cell) => cell.textContent);
  const places = rows.map((row) => Number(row.dataset.at));
  const summary = [...reading.childNodes];
  const cursor = document.createElementNS('http://www.w3.org/2000/svg', 'line');
  cursor.setAttribute('class', 'cursor');
  cursor.setAttribute('y2', '100%');
  let current = rows.length;

  const read = (index) => {
    current = Math.max(0, Math.min(rows.length - 1, index));
    const [first, ...others] = [...rows[current].children].map((cell) => cell.textContent);
    const values = others.map((value, at) => `${heads[at + 1]} ${value}`);
    reading.textContent = `${first}: ${values.join(' · ')}`;
    for (const end of ['x1', 'x2']) cursor.setAttribute(end, `${places[current] * 100}%`);
    area.append(cursor);
  };
  const leave = () => {
    current = rows.length;
    cursor.remove();
    reading.replaceChildren(...summary);
  };
  const nearest = (share) =>
    places.reduce(
      (best, place, at) => (Math.abs(place - share) < Math.abs(places[best] - share) ? at : best),
      0,
    );

  plot.addEventListener('pointermove', ({ clientX }) => {
    const { left, width } = area.getBoundingClientRect();
    const index = nearest((clientX - left) / width);
    if (index !== current) read(index);
  });
  plot.addEventListener('pointerleave', leave);
  plot.addEventListener('blur', leave);
  plot.addEventListener('keydown', (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -rows.length, End: rows.length }[event.key];
    if (event.key === 'Escape') leave();
    if (step === undefined) return;
    event.preventDefault();
    read(current === rows.length && step === 1 ? 0 : current + step);
  });
}

readCharts();

/* ---- a search shows its results while it is typed ---- */

const field = document.getElementById('q');
const found = document.getElementById('found');
let asked = 0;

async function search() {
  const query = field.value.trim();
  asked += 1;
  const number = asked;
  if (query === '') return found.replaceChildren();
  const response = await fetch(`/page/search?q=${encodeURIComponent(query)}`).catch(() => null);
  if (response === null || !response.ok || number !== asked) return;
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  if (number === asked) found.replaceChildren(page.getElementById('results') ?? '');
}

let pause;
field.addEventListener('input', () => {
  clearTimeout(pause);
  pause = setTimeout(search, 120);
});
field.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape') return;
  field.value = '';
  search();
});
