import type { BackfillItemRow } from '../../warehouse/backfill.ts';
import { explainFileError, writeAtomicFile } from '../../warehouse/export/atomic_file.ts';

/** The columns in a CSV report, which are also the keys in a JSON Lines report. */
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
 * Writes every item's result as CSV, or as JSON Lines if the file name ends in `.jsonl`. The file appears only when it
 * is complete.
 *
 * @throws UsageError if the file cannot be written.
 */
export function writeReport(path: string, items: Iterable<BackfillItemRow>): void {
  const lines = /\.(jsonl|ndjson)$/i.test(path) ? jsonLines : csvLines;
  try {
    writeAtomicFile(path, lines(items));
  } catch (error) {
    const remedy =
      'The backfill is stored. Write its report to another file with --resume NUMBER --report FILE.';
    throw explainFileError(error, `the report ${path}`, remedy);
  }
}

function* jsonLines(items: Iterable<BackfillItemRow>): Generator<string> {
  for (const item of items) yield `${JSON.stringify(documentOf(item))}\n`;
}

function* csvLines(items: Iterable<BackfillItemRow>): Generator<string> {
  yield `${COLUMNS.join(',')}\r\n`;
  for (const item of items) yield rowOf(item);
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

/** Formats one CSV row. All candidates are in one cell: `0.97 00042 Acme Limited; 0.88 00043 Acne Ltd`. */
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

/** Formats a value as a CSV cell (RFC 4180). */
function quoted(value: string | number | null): string {
  const text = value === null ? '' : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
