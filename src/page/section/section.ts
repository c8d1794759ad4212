import type { Database } from 'better-sqlite3';
import type { Html } from '../html.ts';
import type { Times } from '../page_figures.ts';
import type { PageSettings } from '../page_settings.ts';
import type { PageSnapshot } from '../page_snapshot.ts';

/** One section of the overview. `sections.ts` lists all sections in the same order as on the page. */
export interface SectionDefinition<Data> {
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
  /** Prepares the section's queries once. The returned function reads the data each time the section is drawn. */
  open(sources: SectionSources): (snapshot: PageSnapshot) => Data;
  /**
   * Draws the data. Each element that changes with the data must have an id and the attribute `data-live`, so that the
   * page can replace it without a reload.
   */
  render(data: Data, context: SectionContext): Html | readonly Html[];
}

/** The sources of data that only one section shows. */
export interface SectionSources {
  /** The warehouse, open for reading. */
  readonly db: Database;
}

export interface SectionContext {
  readonly id: string;
  readonly title: string;
  readonly settings: PageSettings;
  readonly times: Times;
  /** Whether each chart includes a table of its data. If not, it has a link to the table. */
  readonly hasTables: boolean;
}

/** A section without its data type, so that one list can contain all sections. */
export interface Section extends Pick<SectionDefinition<unknown>, 'id' | 'title' | 'group' | 'shownIf'> {
  /** Prepares the section. The returned function reads and draws its data. */
  open(
    sources: SectionSources,
  ): (snapshot: PageSnapshot, context: Omit<SectionContext, 'id' | 'title'>) => Html | readonly Html[];
}

export function defineSection<Data>(definition: SectionDefinition<Data>): Section {
  const { id, title } = definition;
  return {
    ...definition,
    open(sources) {
      const read = definition.open(sources);
      return (snapshot, context) => definition.render(read(snapshot), { id, title, ...context });
    },
  };
}
