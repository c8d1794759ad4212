import { healthSentence } from '../report/health.ts';
import { type PageDocument, pageDocument } from './frame.ts';
import { type Html, html } from './html.ts';
import type { PageSnapshot } from './page_snapshot.ts';
import { RANGES } from './periods.ts';
import { changesSection } from './section/changes.ts';
import {
  allowanceSection,
  callsSection,
  coverageSection,
  freshnessSection,
  runHistorySection,
  weeklySection,
} from './section/charts.ts';
import { quarantineSection } from './section/quarantine.ts';
import { runsSection, schedulesSection } from './section/runs.ts';
import type { Section, SectionContext } from './section/section.ts';
import { firstStepsSection, healthSection, tilesSection } from './section/summary.ts';

/** The overview's sections. Each group has the same order as on the page. */
export const SECTIONS: readonly Section[] = [
  healthSection,
  firstStepsSection,
  tilesSection,
  coverageSection,
  callsSection,
  weeklySection,
  allowanceSection,
  freshnessSection,
  runHistorySection,
  changesSection,
  quarantineSection,
  runsSection,
  schedulesSection,
];

/** Draws the overview as of the snapshot's time. */
export function overviewPage(context: SectionContext): PageDocument {
  const { snapshot, times, config } = context;
  const { nowMs, health, range: chosen } = snapshot;
  const drawGroup = (group: Section['group']): (Html | readonly Html[])[] =>
    SECTIONS.filter((section) => section.group === group && isShown(section, snapshot)).map((section) =>
      section.draw(context, section),
    );
  const rangeLink = (range: string | null) =>
    html`<a href="${range === null ? '/' : `/?range=${range}`}"${range === chosen && html` aria-current="true"`}>${range ?? 'auto'}</a>`;
  return pageDocument(context, {
    title: healthSentence(health, times.zoned),
    drawnAt: times.zoned(nowMs),
    icon: health.state,
    main: html`<h1 class="unseen">The mirror of ${config.source.name}</h1>
${drawGroup('header')}
${drawGroup('summary')}
<details class="fold" open><summary><h2>Charts</h2></summary>
<header><nav aria-label="Time range">${[null, ...RANGES].map(rangeLink)}</nav></header>
<div class="charts">
${drawGroup('charts')}
</div></details>
${drawGroup('tables')}`,
  });
}

function isShown({ shownIf }: Section, { mirror, health }: PageSnapshot): boolean {
  if (shownIf === 'always') return true;
  const isEmpty = mirror.coverage.known === 0;
  // While a problem needs a person, its remedy is the next step.
  return shownIf === 'filled' ? !isEmpty : isEmpty && health.problems.length === 0;
}
