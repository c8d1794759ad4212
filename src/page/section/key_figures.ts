import { windowRow } from '../../allowance/window_table.ts';
import { count, percent } from '../../report/figures.ts';
import { type Html, html, type Part } from '../html.ts';
import { roughly, type Times } from '../page_figures.ts';
import { AGE_CLASSES, type PageSnapshot } from '../page_snapshot.ts';
import { defineSection } from './section.ts';

/** Four figures: companies, records, quota left and age. */
export const keyFiguresSection = defineSection({
  id: 'figures',
  title: 'Key figures',
  group: 'summary',
  shownIf: 'always',
  open: () => (snapshot) => snapshot,
  render(snapshot, { id, title, times }) {
    const { coverage, ledger } = snapshot;
    const { known, gone, fetched, registryTotal, knownShare, fetchedShare } = coverage;
    return html`<h2 class="unseen">${title}</h2>
<dl class="figures" id="${id}" data-live>
${figure(
  'Known companies',
  knownShare === null ? count(known - gone) : percent(Math.min(1, knownShare)),
  registryTotal === null
    ? 'registry count unknown'
    : html`${count(known - gone)} of the registry’s ${count(registryTotal)}`,
)}
${figure(
  'Fetched records',
  fetchedShare === null ? count(fetched) : percent(Math.min(1, fetchedShare)),
  html`${count(fetched)} fetched${gone > 0 && html`, ${count(gone)} gone`}`,
)}
${figure('Calls left', ledger.left === Number.POSITIVE_INFINITY ? 'no limit' : count(ledger.left), tightestWindow(snapshot, times))}
${figure('Median record age', medianAge(snapshot), oldestAge(snapshot))}
</dl>`;
  },
});

function figure(name: string, value: string, note: Part): Html {
  return html`<div><dt>${name}</dt><dd><span class="value">${value}</span><span class="note">${note}</span></dd></div>`;
}

function tightestWindow({ ledger }: PageSnapshot, times: Times): Part {
  if (ledger.refusedKey !== null) return html`key refused ${times.brief(ledger.refusedKey.sinceMs)}`;
  if (ledger.exhausted !== null)
    return html`reported by the registry until ${times.brief(ledger.exhausted.untilMs)}`;
  const [tightest] = [...ledger.windows].sort((a, b) => a.left - b.left);
  if (tightest === undefined) return 'only the rate is limited';
  const { name, limit, resetsAtMs } = tightest;
  const reset = resetsAtMs === null ? null : html`; resets ${times.brief(resetsAtMs)}`;
  return html`of ${count(limit)} ${windowRow(name).words.per}${reset}`;
}

/** The limit of the age class that contains the median record. */
function medianAge({ ages }: PageSnapshot): string {
  const all = ages.reduce((sum, { records }) => sum + records, 0);
  if (all === 0) return '–';
  let younger = 0;
  const median = ages.findIndex(({ records }) => {
    younger += records;
    return younger * 2 >= all;
  });
  const upper = AGE_CLASSES[median];
  return upper === undefined ? `> ${roughly(AGE_CLASSES.at(-1)?.ms ?? 0)}` : `< ${roughly(upper.ms)}`;
}

function oldestAge({ ages }: PageSnapshot): string {
  const oldest = ages.findLastIndex(({ records }) => records > 0);
  if (oldest === -1) return 'no records yet';
  const upper = AGE_CLASSES[oldest];
  return upper === undefined
    ? `oldest: over ${roughly(AGE_CLASSES.at(-1)?.ms ?? 0)}`
    : `oldest: under ${roughly(upper.ms)}`;
}
