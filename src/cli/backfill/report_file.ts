import type { BackfillItemRow } from '../../warehouse/backfill.ts';
import { explainFileError, writeAtomicFile } from '../../warehouse/export/atomic_file.ts';
import { csvLine } from '../../warehouse/export/row_writers.ts';

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

/** Yields the rows. All candidates are in one cell: `0.97 00042 Acme Limited; 0.88 00043 Acne Ltd`. */
function* csvLines(items: Iterable<BackfillItemRow>): Generator<string> {
  yield csvLine(COLUMNS);
  for (const item of items) {
    const document = documentOf(item);
    const candidates = document.candidates.map(
      ({ score, entity_id, name }) => `${score} ${entity_id} ${name}`,
    );
    const row = { ...document, candidates: candidates.join('; ') || null };
    yield csvLine(COLUMNS.map((column) => row[column]));
  }
}

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

function documentOf(item: BackfillItemRow) {
  const { position, kind, given, state, entityId, name, candidates, note, callId } = item;
  const found = candidates === null ? [] : (JSON.parse(candidates) as Candidate[]);
  return {
    position,
    kind,
    given,
    state,
    entity_id: entityId,
    name,
    candidates: found,
    note,
    call_id: callId,
  };
}
