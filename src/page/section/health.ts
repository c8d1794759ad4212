import { counted } from '../../report/figures.ts';
import { HEALTH_WORDS, type HealthState, healthSentence } from '../../report/health.ts';
import { hasFailed, runEnding } from '../../report/run_ending.ts';
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
