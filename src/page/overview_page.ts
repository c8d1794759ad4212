import type { Database } from 'better-sqlite3';
import { healthSentence } from '../report/health.ts';
import { HATCHING } from './chart/chart.ts';
import { RANGES } from './chart/periods.ts';
import { documentOf } from './frame.ts';
import { type Html, html } from './html.ts';
import { timesIn } from './page_figures.ts';
import type { PageSettings } from './page_settings.ts';
import type { PageSnapshot, SnapshotRequest } from './page_snapshot.ts';
import type { Section } from './section/section.ts';
import { SECTIONS } from './sections.ts';

export interface OverviewRequest extends SnapshotRequest {
  /** The mirror version that the document shows. */
  readonly version: string;
  readonly hasTables: boolean;
}

/** Prepares the overview page. Returns a function that renders the page as of a given time. */
export function openOverviewPage(
  { db, readSnapshot }: { readonly db: Database; readSnapshot(request: SnapshotRequest): PageSnapshot },
  settings: PageSettings,
): (request: OverviewRequest) => string {
  const opened = SECTIONS.map((section) => ({ section, draw: section.open({ db }) }));
  return (request) => {
    const snapshot = readSnapshot(request);
    const times = timesIn(request.zone, request.nowMs);
    const drawGroup = (group: Section['group']): (Html | readonly Html[])[] =>
      opened
        .filter(({ section }) => section.group === group && isShown(section, snapshot))
        .map(({ draw }) => draw(snapshot, { settings, times, hasTables: request.hasTables }));
    return documentOf({
      title: `${healthSentence(snapshot.health, times.zoned)} – ${settings.source.name}`,
      ...{ source: settings.source, zone: request.zone, query: '' },
      live: { version: request.version, drawnAt: times.zoned(request.nowMs) },
      icon: snapshot.health.state,
      main: html`<h1 class="unseen">The mirror of ${settings.source.name}</h1>
${drawGroup('header')}
${drawGroup('summary')}
<details class="fold" open><summary><h2>Charts</h2></summary>
<nav class="pages" aria-label="Time range">${[null, ...Object.keys(RANGES)].map((range) => html`<a href="${range === null ? '/' : `/?range=${range}`}"${range === request.range && html` aria-current="true"`}>${range ?? 'default'}</a>`)}</nav>
${HATCHING}
<div class="charts">
${drawGroup('charts')}
</div></details>
${drawGroup('tables')}`,
    });
  };
}

function isShown({ shownIf }: Section, { mirror, health }: PageSnapshot): boolean {
  if (shownIf === 'always') return true;
  const isEmpty = mirror.coverage.known === 0;
  // While a problem needs a person, its remedy is the next step.
  return shownIf === 'filled' ? !isEmpty : isEmpty && health.problems.length === 0;
}
