// Shows search results while the user types. `page.js` loads this file when the search field gets the focus.

const main = document.getElementById('main');
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
  if (own === null) return showFound(results);
  main.querySelector('#results').replaceWith(results);
  history.replaceState(null, '', url);
}

/** Leaves unchanged results in place, because a link in them may have the focus. */
function showFound(results) {
  if (found.firstElementChild?.outerHTML !== results.outerHTML) found.replaceChildren(results);
}

let timer;
input.addEventListener('input', () => {
  clearTimeout(timer);
  timer = setTimeout(search, 120);
});
input.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape') return;
  input.value = '';
  void search();
});
// The user typed before this file was loaded.
if (input.value !== '') timer = setTimeout(search, 120);
