import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { UsageError } from '../../errors.ts';
import type { BackfillItemRow } from '../../warehouse/backfill.ts';

/** The columns of a report; the JSON Lines carry the same keys. */
const COLUMNS = [
  'position',
  'kind',
  'given',
  'state',
  'entity_id',
  'name',
  'candidates',
  'note',
  'call_id',
] as const;

interface Candidate {
  readonly entity_id: string;
  readonly name: string;
  readonly score: number;
}

/**
 * Writes the result of every item: CSV, or JSON Lines for a file name that ends in `.jsonl`. The file appears only
 * when it is complete.
 *
 * @throws UsageError if the file cannot be written.
 */
export function writeReport(path: string, items: Iterable<BackfillItemRow>): void {
  const temporary = `${path}.${process.pid}.partial`;
  const isLines = /\.(jsonl|ndjson)$/i.test(path);
  try {
    const file = openSync(temporary, 'w');
    try {
      if (!isLines) writeSync(file, `${COLUMNS.join(',')}\r\n`);
      for (const item of items)
        writeSync(file, isLines ? `${JSON.stringify(documentOf(item))}\n` : rowOf(item));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new UsageError(`the report ${path} cannot be written (${code})`, {
      hint: 'The backfill is stored. Write its report to another file with --resume NUMBER --report FILE.',
      cause: error,
    });
  }
}

function documentOf({ candidates, ...item }: BackfillItemRow) {
  return {
    position: item.position,
    kind: item.kind,
    given: item.given,
    state: item.state,
    entity_id: item.entityId,
    name: item.name,
    candidates: candidatesIn(candidates),
    note: item.note,
    call_id: item.callId,
  } satisfies Record<(typeof COLUMNS)[number], unknown>;
}

/** The candidates share one cell: `0.97 00042 Acme Limited; 0.88 00043 Acne Ltd`. */
function rowOf(item: BackfillItemRow): string {
  const { candidates, ...document } = documentOf(item);
  const cells = {
    ...document,
    candidates: candidates.map(({ score, entity_id, name }) => `${score} ${entity_id} ${name}`).join('; '),
  };
  return `${COLUMNS.map((column) => quoted(cells[column])).join(',')}\r\n`;
}

function candidatesIn(text: string | null): readonly Candidate[] {
  return text === null ? [] : (JSON.parse(text) as Candidate[]);
}

/** A CSV cell (RFC 4180). */
function quoted(value: string | number | null): string {
  const text = value === null ? '' : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
