import { documentOf } from './frame.ts';
import { type Html, html } from './html.ts';
import { timesIn } from './page_figures.ts';
import type { PageReader } from './page_reader.ts';
import type { PageSettings } from './page_settings.ts';
import type { PageSnapshot } from './page_snapshot.ts';
import type { Section, SectionScript } from './section/section.ts';
import { SECTIONS } from './sections.ts';

/** Opens the first page of the mirror. The result draws its document as of a time (epoch milliseconds). */
export function openOverviewPage(reader: PageReader, settings: PageSettings): (nowMs: number) => string {
  const opened = SECTIONS.map((section) => ({ section, draw: section.open(reader) }));
  return (nowMs) => {
    const snapshot = reader.snapshot(nowMs);
    const times = timesIn(settings.schedule.timezone, nowMs);
    const drawGroup = (group: Section['group']): (Html | readonly Html[])[] =>
      opened
        .filter(({ section }) => section.group === group && isShown(section, snapshot))
        .map(({ draw }) => draw(snapshot, { settings, times }));
    return documentOf({
      title: `${settings.source.name}: the mirror`,
      source: settings.source,
      zone: times.zone,
      query: '',
      scripts: SCRIPTS,
      top: drawGroup('header'),
      main: html`<h1 class="unseen">The mirror of ${settings.source.name}</h1>
${drawGroup('summary')}
<h2 class="unseen">Charts</h2>
<div class="charts">
${drawGroup('charts')}
</div>
${drawGroup('tables')}`,
    });
  };
}

function isShown({ shownIf }: Section, { coverage }: PageSnapshot): boolean {
  return shownIf === 'always' || shownIf === (coverage.known === 0 ? 'empty' : 'filled');
}

/** The scripts of all sections: a section that is not shown now can appear without a reload. */
const SCRIPTS: readonly SectionScript[] = [
  ...new Set(SECTIONS.flatMap(({ script }) => (script === undefined ? [] : [script]))),
];
