import type { Pointer } from '../../dialect/dialect.ts';
import { entityUrl, UnwritableUrl } from '../../dialect/request.ts';
import type { Exchange } from './exchange.ts';
import { relativeTo } from './fields.ts';
import { type Finding, open } from './finding.ts';
import { itemOf, type Listing, textAt } from './listing.ts';
import { findRecord, type RecordPlaces } from './record.ts';

/** A record that opened, and where the rows hold the id that opened it. */
export interface OpenedRecord {
  /** Inside of a row as it stands in the list. */
  readonly idPlace: Pointer;
  readonly record: Finding<RecordPlaces | null>;
}

/**
 * Which place of the rows holds the ids that open records: the answer must be about the same company. A place
 * whose values open nothing, or other companies, is none.
 */
export function findOpened(
  listing: Listing,
  entities: readonly Exchange[],
  template: string,
  namePlace: Pointer | null,
): OpenedRecord | null {
  const answered = entities.filter(({ reading }) => reading === 'answered');
  const opened = listing.ids.flatMap(({ pointer }) =>
    answered.flatMap((answer) => openedBy(listing, answer, template, pointer, namePlace) ?? []),
  );
  return opened.find(({ record }) => record.certainty === 'sure') ?? opened[0] ?? null;
}

function openedBy(
  { rows }: Listing,
  answer: Exchange,
  template: string,
  idPlace: Pointer,
  namePlace: Pointer | null,
): OpenedRecord | null {
  const row = rows.find((one) => entityPath(template, textAt(one, idPlace) ?? '') === answer.request.path);
  if (row === undefined) return null;
  const item = itemOf(rows, idPlace, namePlace);
  const record = findRecord(answer, {
    id: textAt(row, idPlace) ?? '',
    name: namePlace === null ? null : textAt(row, namePlace),
    idInList: relativeTo(item, idPlace),
    nameInList: namePlace === null ? null : relativeTo(item, namePlace),
  });
  return record.value === null ? null : { idPlace, record };
}

/** What is known of the record while none has opened. */
export function noRecord(entities: readonly Exchange[]): Finding<RecordPlaces | null> {
  return open(
    null,
    entities.length === 0 ? 'no record was asked for yet' : 'no answer held the record that was asked for',
  );
}

/** The answer to an id that is none of those seen; null: it was not asked for. */
export function unknownIdAnswer(
  entities: readonly Exchange[],
  listing: Listing | null,
  template: string,
): Exchange | null {
  const known = new Set(listing?.ids.flatMap(({ pointer }) => idPaths(listing, pointer, template)));
  return entities.find(({ request }) => !known.has(request.path)) ?? null;
}

function idPaths({ rows }: Listing, pointer: Pointer, template: string): string[] {
  return rows.flatMap((row) => {
    const id = textAt(row, pointer);
    return id === null ? [] : [entityPath(template, id) ?? ''];
  });
}

/** The path of one record; null where the id cannot stand in a path. */
export function entityPath(template: string, id: string): string | null {
  const url = entityUrl({ entity: template } as Parameters<typeof entityUrl>[0], id);
  return url instanceof UnwritableUrl ? null : url.pathname;
}
