import { documentOf } from './frame.ts';
import { html } from './html.ts';
import { timesIn } from './page_figures.ts';
import type { Overview } from './page_reader.ts';
import type { PageSettings } from './page_settings.ts';
import { allowanceCharts } from './section/allowance.ts';
import { callsChart } from './section/calls.ts';
import { coverageChart } from './section/coverage.ts';
import { discoveryChart } from './section/discovery.ts';
import { firstSteps } from './section/empty.ts';
import { freshnessChart } from './section/freshness.ts';
import { keyFigures, stateLine } from './section/state.ts';
import { changesTable, quarantineTable, runsTable, schedulesTable } from './section/tables.ts';

/** The front of the page: how the mirror stands, and how it came to. */
export function overviewPage(overview: Overview, facts: PageSettings): string {
  const times = timesIn(facts.schedule.timezone, overview.nowMs);
  const isEmpty = overview.coverage.known === 0;
  return documentOf({
    title: `${facts.source.name}: the mirror`,
    source: facts.source,
    zone: times.zone,
    query: '',
    top: stateLine(overview, times),
    main: html`<h1 class="unseen">The mirror of ${facts.source.name}</h1>
${isEmpty && firstSteps(overview, facts)}
${keyFigures(overview, times)}
<h2 class="unseen">Charts</h2>
<div class="charts">
${!isEmpty && coverageChart(overview, times)}
${allowanceCharts(overview, times)}
${!isEmpty && freshnessChart(overview, facts)}
${callsChart(overview, facts, times)}
${!isEmpty && discoveryChart(overview, times)}
</div>
${!isEmpty && changesTable(overview, times)}
${quarantineTable(overview, times)}
${runsTable(overview, times)}
${schedulesTable(overview, facts, times)}`,
  });
}
