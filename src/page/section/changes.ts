import { companyPages, type NamedChange } from '../../warehouse/page_queries.ts';
import { changeList, companyLink } from '../company_markup.ts';
import type { Part } from '../html.ts';
import { listing } from '../listing.ts';
import type { Times } from '../page_figures.ts';
import { defineSection } from './section.ts';

/** The latest changes, one row per company and call. */
export const changesSection = defineSection({
  id: 'changes',
  title: 'Recent changes',
  group: 'tables',
  shownIf: 'filled',
  open({ db }) {
    const { latestChanges } = companyPages(db);
    return () => latestChanges(MAX_CHANGES);
  },
  render: (changes, { id, title, times }) =>
    listing({
      id,
      narrow: 'blocks',
      title,
      empty: 'No changes yet. A change appears when a record is fetched again and differs.',
      head: ['Seen', 'Company', 'Changes'],
      rows: [...Map.groupBy(changes, ({ callId, entityId }) => `${callId} ${entityId}`).values()]
        .slice(0, MAX_ROWS)
        .flatMap((ofCompany) => rowOf(ofCompany, times)),
    }),
});

function rowOf(changes: readonly NamedChange[], times: Times): (readonly Part[])[] {
  const [first] = changes;
  if (first === undefined) return [];
  return [[times.brief(Date.parse(first.observedAt)), companyLink(first), changeList(changes.toReversed())]];
}

const MAX_CHANGES = 40;
const MAX_ROWS = 10;
