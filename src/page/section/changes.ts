import { count } from '../../report/figures.ts';
import { type ChangeFilter, readChanges } from '../../warehouse/change_list.ts';
import { changeRow, changesByCompany, countOfChanges } from '../company_markup.ts';
import { html } from '../html.ts';
import { listing } from '../listing.ts';
import type { Section } from './section.ts';

/** The last changes, with one row for each company and call. */
export const changesSection: Section = {
  id: 'changes',
  title: 'Recent changes',
  group: 'tables',
  shownIf: 'filled',
  draw({ db, times }, { id, title }) {
    const { changes: latest, total } = readChanges(db, EVERY_CHANGE, { beforeId: null, most: MAX_CHANGES });
    const companies = changesByCompany(latest).slice(0, MAX_ROWS);
    const shown = companies.reduce((sum, changes) => sum + changes.length, 0);
    return listing({
      id,
      title,
      empty:
        'No changes yet. A change appears when a record is fetched again and differs from the previous version.',
      head: ['Seen', 'Company', 'Changes'],
      note:
        total > 0 &&
        html`${count(shown)} of ${countOfChanges(total)} ${total === 1 ? 'change' : 'changes'}. <a href="/page/changes">All changes</a>`,
      rows: companies.flatMap((ofCompany) => changeRow(ofCompany, times, MAX_FIELDS)),
    });
  },
};

const EVERY_CHANGE: ChangeFilter = { sinceMs: null, path: null, kind: 'all' };
const MAX_CHANGES = 40;
const MAX_ROWS = 5;
const MAX_FIELDS = 2;
