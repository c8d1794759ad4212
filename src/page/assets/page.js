// The page works without this script. With it, the page updates without a reload, and a search shows its results
// while the user types. After each update it sends the event `page:updated`, for the scripts of sections.

const main = document.getElementById('main');
const connection = document.getElementById('connection');
const shown = new Map(liveElements(document).map((element) => [element.id, element.outerHTML]));

function liveElements(root) {
  return [...root.querySelectorAll('[data-live]')];
}

/* ---- updates ---- */

let isLoading = false;
let isStale = false;

async function refresh() {
  if (document.hidden || isLoading) {
    isStale = true;
    return;
  }
  isLoading = true;
  isStale = false;
  try {
    const response = await fetch(location.href, { headers: { accept: 'text/html' } });
    if (response.ok) update(new DOMParser().parseFromString(await response.text(), 'text/html'));
  } catch {
    // The next event retries, and so does a new connection.
  } finally {
    isLoading = false;
    if (isStale) setTimeout(refresh, 1000);
  }
}

/** Replaces the elements that differ. Focus, open tables and scroll positions are kept. */
function update(fresh) {
  const elements = liveElements(fresh);
  const isSameSet = elements.length === shown.size && elements.every(({ id }) => shown.has(id));
  if (isSameSet) for (const element of elements) replaceIfChanged(element);
  else replaceAll(fresh, elements);
  document.dispatchEvent(new Event('page:updated'));
}

function replaceAll(fresh, elements) {
  main.replaceChildren(...fresh.getElementById('main').childNodes);
  const state = fresh.getElementById('state');
  document.getElementById('state')?.replaceWith(state ?? '');
  shown.clear();
  for (const element of elements) shown.set(element.id, element.outerHTML);
}

function replaceIfChanged(element) {
  if (shown.get(element.id) === element.outerHTML) return;
  shown.set(element.id, element.outerHTML);
  replaceOne(document.getElementById(element.id), element);
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

function listen() {
  const events = new EventSource('/page/events');
  events.onmessage = refresh;
  events.onopen = () => {
    connection.textContent = '';
    refresh();
  };
  events.onerror = () => {
    connection.textContent = 'Connection lost. The page may be out of date.';
  };
}

document.addEventListener('visibilitychange', () => {
  if (!document.hidden && isStale) refresh();
});
if (shown.size > 0) listen();

/* ---- search while typing ---- */

const input = document.getElementById('q');
const found = document.getElementById('found');
let lastRequest = 0;

async function search() {
  const query = input.value.trim();
  lastRequest += 1;
  const request = lastRequest;
  if (query === '') return found.replaceChildren();
  const response = await fetch(`/page/search?q=${encodeURIComponent(query)}`).catch(() => null);
  if (response === null || !response.ok || request !== lastRequest) return;
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  if (request === lastRequest) found.replaceChildren(page.getElementById('results') ?? '');
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
