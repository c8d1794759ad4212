import { count } from '../../report/figures.ts';
import { quarantineRegister } from '../../warehouse/quarantine.ts';
import { foreign, html } from '../html.ts';
import { listing } from '../listing.ts';
import { defineSection } from './section.ts';

/** Responses that could not be processed. */
export const quarantineSection = defineSection({
  id: 'quarantine',
  title: 'Quarantine',
  group: 'tables',
  shownIf: 'always',
  open({ db }) {
    const quarantine = quarantineRegister(db);
    return () => ({ open: quarantine.counts().open, latest: quarantine.list('open', MAX_ROWS) });
  },
  render: ({ open, latest }, { id, title, times }) =>
    listing({
      id,
      narrow: 'blocks',
      title: open === 0 ? title : `${title}: ${count(open)} open`,
      note:
        open > 0 &&
        html`Responses that could not be processed. List them with <code>registry-mirror quarantine list</code>.`,
      empty: 'The quarantine is empty: all responses were processed.',
      head: ['Since', 'Call', 'Target', 'Reason', 'Times'],
      numeric: [4],
      rows: latest.map(({ quarantinedAt, kind, target, reason, times: seen }) => [
        times.brief(Date.parse(quarantinedAt)),
        kind,
        foreign(target),
        foreign(reason),
        count(seen),
      ]),
    }),
});

const MAX_ROWS = 10;
