import type { Database } from 'better-sqlite3';
import type { Html } from '../html.ts';
import type { Times } from '../page_figures.ts';
import type { PageSettings } from '../page_settings.ts';
import type { PageSnapshot } from '../page_snapshot.ts';

/** One section of the overview. `sections.ts` lists all of them in the order of the page. */
export interface SectionDefinition<Data> {
  /** The id of the section's element. If the section has several elements, their ids begin with it. */
  readonly id: string;
  readonly title: string;
  /** `header`: beside the search field. */
  readonly group: 'header' | 'summary' | 'charts' | 'tables';
  /** The section is shown always, only if the mirror knows a company, or only if it knows none. */
  readonly shownIf: 'always' | 'filled' | 'empty';
  /**
   * A file in `assets/` that the section needs in the browser. It runs once after loading, and must handle the
   * event `page:updated`, which follows each replacement of sections.
   */
  readonly script?: SectionScript;
  /** Prepares the section's queries once; the result reads the data of one rendering. */
  open(sources: SectionSources): (snapshot: PageSnapshot) => Data;
  /**
   * Draws the data. Each element that changes with the data has an id and the attribute `data-live`: the page
   * replaces it without a reload.
   */
  render(data: Data, context: SectionContext): Html | readonly Html[];
}

export type SectionScript = 'charts.js';

/** The sources from which a section reads data that no other section shows. */
export interface SectionSources {
  /** The warehouse, open for reading. */
  readonly db: Database;
}

export interface SectionContext {
  readonly id: string;
  readonly title: string;
  readonly settings: PageSettings;
  readonly times: Times;
  /** Charts contain their tables. */
  readonly hasTables: boolean;
}

/** A section without the type of its data, as the list contains it. */
export interface Section
  extends Pick<SectionDefinition<unknown>, 'id' | 'title' | 'group' | 'shownIf' | 'script'> {
  /** Prepares the section; the result reads its data and draws them. */
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
