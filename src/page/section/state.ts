import { windowRow } from '../../allowance/window_table.ts';
import { count, counted, percent } from '../../report/figures.ts';
import type { RunRow } from '../../warehouse/run.ts';
import { type Html, html, type Part } from '../html.ts';
import { roughly, type Times } from '../page_figures.ts';
import type { Overview } from '../page_reader.ts';
import { AGE_CLASSES } from '../page_reader.ts';

/** One line: what the mirror does now, or how it came to rest. */
export function stateLine(overview: Overview, times: Times): Html {
  return html`<p class="state" id="state" role="status" data-live>${doing(overview, times)}</p>`;
}

function doing({ working, runs, ledger, nowMs }: Overview, times: Times): Html {
  const [last] = runs;
  if (working !== null && last !== undefined && last.ended === null)
    return html`<strong class="running">${last.command} is running</strong> since ${times.brief(Date.parse(last.startedAt))}: ${counted(last.calls, 'call')} so far`;
  if (working !== null)
    return html`<strong class="running">Working</strong> since ${times.brief(Date.parse(working.takenAt))}`;
  if (last === undefined) return html`<strong>Nothing has run yet</strong>`;
  const resumes =
    ledger.resumesAtMs !== null &&
    ledger.resumesAtMs > nowMs &&
    html`; calls resume ${times.brief(ledger.resumesAtMs)}`;
  return html`<strong>Idle</strong> since ${times.brief(Date.parse(last.endedAt ?? last.startedAt))}: ${endingOf(last)}${resumes}`;
}

/** How a run ended, as the end of a sentence. */
export function endingOf({ ended, endedAt, error }: Pick<RunRow, 'ended' | 'endedAt' | 'error'>): string {
  if (ended === null) return endedAt === null ? 'the last run was killed' : 'the last run ended';
  const words = ENDINGS[ended] ?? ended.replaceAll('_', ' ');
  return ended === 'failed' && error !== null ? `${words} (${error})` : words;
}

const ENDINGS: Readonly<Record<string, string>> = {
  done: 'nothing more was due',
  allowance: 'the allowance was spent',
  max_calls: 'it reached its bound of calls',
  max_minutes: 'it reached its bound of time',
  interrupted: 'it was interrupted',
  unauthorised: 'the registry refused the key',
  drift: 'the registry no longer speaks as the dialect says',
  failed: 'the last run failed',
};

/** The four figures that say how it stands. */
export function keyFigures(overview: Overview, times: Times): Html {
  const { coverage, ledger } = overview;
  const { known, gone, fetched, registryTotal, knownShare, fetchedShare } = coverage;
  return html`<dl class="figures" id="figures" data-live>
${figure(
  'Companies known',
  knownShare === null ? count(known - gone) : percent(Math.min(1, knownShare)),
  registryTotal === null
    ? 'the registry has not told its own count'
    : html`${count(known - gone)} of the registry’s ${count(registryTotal)}`,
)}
${figure(
  'Records held',
  fetchedShare === null ? count(fetched) : percent(Math.min(1, fetchedShare)),
  html`${count(fetched)} fetched${gone > 0 && html`, ${count(gone)} gone`}`,
)}
${figure('Calls left', ledger.left === Number.POSITIVE_INFINITY ? 'no limit' : count(ledger.left), windowsOf(overview, times))}
${figure('Half the records are', typicalAge(overview), oldestClass(overview))}
</dl>`;
}

function figure(name: string, value: string, note: Part): Html {
  return html`<div><dt>${name}</dt><dd><span class="value">${value}</span><span class="note">${note}</span></dd></div>`;
}

function windowsOf({ ledger }: Overview, times: Times): Part {
  if (ledger.refusedKey !== null) return html`the key was refused ${times.brief(ledger.refusedKey.sinceMs)}`;
  if (ledger.exhausted !== null)
    return html`the registry says so, until ${times.brief(ledger.exhausted.untilMs)}`;
  const [tightest] = [...ledger.windows].sort((a, b) => a.left - b.left);
  if (tightest === undefined) return 'only the rate is limited';
  const { name, limit, resetsAtMs } = tightest;
  const reset = resetsAtMs === null ? null : html`; resets ${times.brief(resetsAtMs)}`;
  return html`of ${count(limit)} ${windowRow(name).words.per}${reset}`;
}

/** The class of age that the middle record is in. */
function typicalAge({ ages }: Overview): string {
  const all = ages.reduce((sum, { records }) => sum + records, 0);
  if (all === 0) return '–';
  let younger = 0;
  const middle = ages.findIndex(({ records }) => {
    younger += records;
    return younger * 2 >= all;
  });
  const upper = AGE_CLASSES[middle];
  return upper === undefined ? `> ${roughly(AGE_CLASSES.at(-1)?.ms ?? 0)}` : `< ${roughly(upper.ms)}`;
}

function oldestClass({ ages }: Overview): string {
  const oldest = ages.findLastIndex(({ records }) => records > 0);
  if (oldest === -1) return 'no record yet';
  const upper = AGE_CLASSES[oldest];
  return upper === undefined
    ? `the oldest over ${roughly(AGE_CLASSES.at(-1)?.ms ?? 0)}`
    : `the oldest under ${roughly(upper.ms)}`;
}
