import { count } from '../../report/figures.ts';
import { type ChangeFilter, readChanges } from '../../warehouse/change_list.ts';
import type { NamedChange } from '../../warehouse/page_queries.ts';
import { changeList, companyLink, countOfChanges } from '../company_markup.ts';
import { html, type Part } from '../html.ts';
import { liveListing } from '../listing.ts';
import type { Times } from '../page_figures.ts';
import { defineSection } from './section.ts';

/** The last changes, with one row for each company and call. */
export const changesSection = defineSection({
  id: 'changes',
  title: 'Recent changes',
  group: 'tables',
  shownIf: 'filled',
  open:
    ({ db }) =>
    () =>
      readChanges(db, EVERY_CHANGE, { beforeId: null, most: MAX_CHANGES }),
  render({ changes: latest, total }, { id, title, times }) {
    const companies = [
      ...Map.groupBy(latest, ({ callId, entityId }) => `${callId} ${entityId}`).values(),
    ].slice(0, MAX_ROWS);
    const shown = companies.reduce((sum, changes) => sum + changes.length, 0);
    return liveListing({
      id,
      title,
      empty:
        'No changes yet. A change appears when a record is fetched again and differs from the previous version.',
      head: ['Seen', 'Company', 'Changes'],
      note:
        total > 0 &&
        html`${count(shown)} of ${countOfChanges(total)} ${total === 1 ? 'change' : 'changes'}. <a href="/page/changes">All changes</a>`,
      rows: companies.flatMap((ofCompany) => rowOf(ofCompany, times)),
    });
  },
});

function rowOf(changes: readonly NamedChange[], times: Times): (readonly Part[])[] {
  const [first] = changes;
  if (first === undefined) return [];
  return [
    [
      times.brief(Date.parse(first.observedAt)),
      companyLink(first),
      changeList(changes.toReversed(), MAX_FIELDS),
    ],
  ];
}

const EVERY_CHANGE: ChangeFilter = { sinceMs: null, path: null, kind: 'all' };
const MAX_CHANGES = 40;
const MAX_ROWS = 5;
const MAX_FIELDS = 2;
