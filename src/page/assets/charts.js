// Shows a chart's values at the pointer, or at a cursor that the arrow keys move. The values come from the chart's
// table. `page.js` loads this file and the tables when the user first uses a chart.

/** Binds all charts that have a table, then repeats the user's first event on a chart. */
export function bindCharts(lastUse) {
  for (const figure of document.querySelectorAll('figure.chart:not([data-bound])')) {
    if (figure.querySelector('tbody') === null) return false;
    figure.dataset.bound = '';
    bindChart(figure);
  }
  if (lastUse !== null) repeat(lastUse);
  return true;
}

function repeat({ id, event }) {
  const figure = document.getElementById(id);
  if (event.type === 'click') {
    figure.querySelector('details').open = true;
    figure.querySelector('summary').focus();
  } else figure.querySelector('.plot').dispatchEvent(new event.constructor(event.type, event));
}

function bindChart(figure) {
  const plot = figure.querySelector('.plot');
  const area = figure.querySelector('svg.area');
  const reading = figure.querySelector('.reading');
  const rows = [...figure.querySelectorAll('tbody tr')];
  const heads = [...figure.querySelectorAll('thead th')].map((cell) => cell.textContent);
  const positions = rows.map((row) => Number(row.dataset.at));
  const summary = [...reading.childNodes];
  const cursor = document.createElementNS('http://www.w3.org/2000/svg', 'line');
  cursor.setAttribute('class', 'cursor');
  cursor.setAttribute('y2', '100%');
  let current = rows.length;

  const showRow = (index) => {
    if (rows.length === 0) return;
    current = Math.max(0, Math.min(rows.length - 1, index));
    figure.dataset.reading = '';
    const [first, ...others] = [...rows[current].children].map((cell) => cell.textContent);
    const values = others.map((value, at) => `${heads[at + 1]} ${value}`);
    reading.textContent = `${first}: ${values.join(' · ')}`;
    for (const end of ['x1', 'x2']) cursor.setAttribute(end, `${positions[current] * 100}%`);
    area.append(cursor);
  };
  const showSummary = () => {
    current = rows.length;
    delete figure.dataset.reading;
    cursor.remove();
    reading.replaceChildren(...summary);
  };
  const nearestRow = (share) =>
    positions.reduce(
      (best, position, at) => (Math.abs(position - share) < Math.abs(positions[best] - share) ? at : best),
      0,
    );
  const showPointed = ({ clientX }) => {
    const { left, width } = area.getBoundingClientRect();
    const index = nearestRow((clientX - left) / width);
    if (index !== current) showRow(index);
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
