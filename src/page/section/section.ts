import type { Database } from 'better-sqlite3';
import type { PageContext } from '../frame.ts';
import type { Html } from '../html.ts';
import type { PageSnapshot } from '../page_snapshot.ts';

/** One section of the overview. `overview_page.ts` lists all sections in the same order as on the page. */
export interface Section {
  /** The id of the section's element. If the section has several elements, their ids begin with this id. */
  readonly id: string;
  readonly title: string;
  /** Which part of the page shows the section. `header` is beside the search field. */
  readonly group: 'header' | 'summary' | 'charts' | 'tables';
  /**
   * Whether the section is always shown, only if the mirror has companies (`filled`), or only if it has neither
   * companies nor a problem (`empty`).
   */
  readonly shownIf: 'always' | 'filled' | 'empty';
  /** Draws the section. The page's script updates it without a reload. */
  draw(context: SectionContext, section: Section): Html | readonly Html[];
}

export interface SectionContext extends PageContext {
  readonly snapshot: PageSnapshot;
  /** The warehouse, open for reading, for data that only one section shows. */
  readonly db: Database;
}
