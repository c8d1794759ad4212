import { hasFailed, runEnding } from '../../ending.ts';
import { FACTS, type Line } from '../../report/fact_table.ts';
import { counted, percent } from '../../report/figures.ts';
import { HEALTH_WORDS, type HealthState, healthSentence } from '../../report/health.ts';
import { type Html, html } from '../html.ts';
import type { Times } from '../page_figures.ts';
import type { PageSnapshot } from '../page_snapshot.ts';
import type { Section } from './section.ts';

/**
 * The mirror's health: a symbol, a word, and the causes and remedies of problems. Screen readers announce changes only
 * in the sentence, because all other lines change with each call.
 */
export const healthSection: Section = {
  id: 'health',
  title: 'Health',
  group: 'header',
  shownIf: 'always',
  draw({ snapshot, times }, { id, title }) {
    const { health } = snapshot;
    const [first, ...others] = health.problems;
    return html`<article class="health is-${health.state}" aria-label="${title}">
<p id="${id}" role="status">${sentence(healthSentence(health, times.zoned), health.state)}</p>
${first !== undefined && remedyOf(first.remedy)}${others.map(
  (problem) => html`<p><strong>${problem.cause}</strong></p>${remedyOf(problem.remedy)}`,
)}<p class="note">${activity(snapshot, times)}</p>
</article>`;
  },
};

/** Draws the sentence with its first words emphasised. */
function sentence(text: string, state: HealthState): Html {
  const word = HEALTH_WORDS[state];
  return html`<strong><span class="badge" aria-hidden="true">${SYMBOLS[state]}</span> ${word}</strong>${text.slice(word.length)}`;
}

/** Draws a remedy with its commands marked as code. */
export function remedyOf(text: string): Html {
  const parts = text.split('`');
  return html`<p>${parts.map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part))}</p>`;
}

/** Describes the current run, or how the last run ended. */
function activity({ working, mirror, nowMs }: PageSnapshot, times: Times): Html {
  const [last] = mirror.runs;
  if (working !== null) {
    const isOwn = last !== undefined && last.ended === null;
    return html`${isOwn ? html`<a href="/page/runs/${last.runId}">${last.command}</a>` : 'A run'} has been running since ${times.brief(Date.parse(working.takenAt))}${isOwn && html`: ${counted(last.calls, 'call')} so far`}`;
  }
  if (last === undefined) return html`No run yet`;
  const endedMs = Date.parse(last.endedAt ?? last.startedAt);
  const { lastSuccessAt } = mirror;
  const success = hasFailed(last) && lastSuccessAt !== null;
  return html`Last run <a href="/page/runs/${last.runId}">${last.runId}</a> ended ${times.brief(Math.min(endedMs, nowMs))}: ${runEnding(last)}${success && html`; last success ${times.brief(Date.parse(lastSuccessAt))}`}`;
}

const SYMBOLS: Readonly<Record<HealthState, string>> = {
  needs_you: '!',
  working: '↻',
  waiting: '…',
  empty: '○',
  healthy: '✓',
};

/** Shows the commands to run first while the mirror is empty. */
export const firstStepsSection: Section = {
  id: 'steps',
  title: 'This mirror is empty. Next steps:',
  group: 'summary',
  shownIf: 'empty',
  draw({ snapshot: { allowance }, config }, { id, title }) {
    const { left: calls } = allowance.scheduled;
    const probe = html`<li><p><code>registry-mirror probe</code></p><p>learns the registry’s API with a few calls and writes the dialect to the configuration.</p></li>`;
    const left = calls !== Infinity && html` Quota left: ${counted(calls, 'call')}.`;
    return html`<article id="${id}"><h2>${title}</h2>
<ol>
${config.dialect === undefined && probe}
<li><p><code>registry-mirror plan</code></p><p>estimates the calls, days and end date of a complete mirror. It uses no calls.${left}</p></li>
<li><p><code>registry-mirror sync</code></p><p>sends the most useful calls that the allowance permits. The next run continues. This page shows the progress.</p></li>
</ol></article>`;
  },
};

/** The key figures: every line of the fact table that has a tile. */
export const tilesSection: Section = {
  id: 'answers',
  title: 'Key figures',
  group: 'summary',
  shownIf: 'always',
  draw({ snapshot, times }, { id, title }) {
    const format = { time: times.zoned, zone: times.zone };
    const lines = FACTS.flatMap((fact) => fact.lines?.(snapshot, format) ?? []);
    return html`<article><h2 class="unseen">${title}</h2>
<dl class="figures" id="${id}">${lines.filter(({ tile }) => tile !== undefined).map(drawTile)}</dl></article>`;
  },
};

function drawTile({ tile = '', value, notes = [], share }: Line): Html {
  return html`<div><dt>${tile}</dt><dd><span class="value">${value}</span>${share !== undefined && bar(tile, share)}${notes.map((note) => html`<span class="note">${note}</span>`)}</dd></div>`;
}

/** Draws a share, or the lowest value of the range in which it lies. */
function bar(title: string, { low, high }: NonNullable<Line['share']>): Html {
  const range = low === high ? percent(low) : `${percent(low)} to ${percent(high)}`;
  return html`<progress aria-label="${title}: ${range}" value="${Math.min(1, low)}"></progress>`;
}
