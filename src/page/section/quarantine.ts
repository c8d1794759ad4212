import { count } from '../../report/figures.ts';
import { listQuarantined, type Quarantined, quarantineCounts } from '../../warehouse/quarantine.ts';
import { foreign, html } from '../html.ts';
import { listing } from '../listing.ts';
import type { Times } from '../page_figures.ts';
import type { Section } from './section.ts';

/** Responses that could not be processed. */
export const quarantineSection: Section = {
  id: 'quarantine',
  title: 'Quarantine',
  group: 'tables',
  shownIf: 'always',
  draw({ db, times }, { id, title }) {
    const { open } = quarantineCounts(db);
    const latest = listQuarantined(db, 'open', MAX_ROWS);
    return listing({
      id,
      title: open === 0 ? title : `${title}: ${count(open)} open`,
      note:
        open > 0 &&
        html`${count(latest.length)} of ${count(open)} responses that could not be processed. <a href="/page/quarantine">All entries</a>`,
      ...quarantineTable(latest, times),
    });
  },
};

export function quarantineTable(entries: readonly Quarantined[], times: Times) {
  return {
    empty: 'The quarantine is empty: all responses were processed.',
    head: ['Since', 'Call', 'Target', 'Reason', 'Times'],
    numeric: [4],
    rows: entries.map((one) => [
      times.brief(Date.parse(one.quarantinedAt)),
      html`<a href="/page/quarantine?id=${one.quarantineId}">${one.kind} ${one.quarantineId}</a>`,
      foreign(one.target),
      foreign(one.reason),
      count(one.times),
    ]),
  };
}

const MAX_ROWS = 5;
